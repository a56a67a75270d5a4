import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { FaultAnswer } from '../test/emulators/pulumi-cloud/faults.ts';
import { ByHand } from './baseline.ts';
import type { Claim, Figure } from './claim.ts';
import { allFigure, atMost, ratioFigure } from './figures.ts';
import { ANY_INSPECTOR_PORT, keptMb } from './inspector.ts';
import { residentMb } from './resources.ts';
import { endAgent, jobOf, POOL, Scene } from './scene.ts';

const TARGET = 1.15;
/** Samples of retained memory in each window. */
const KEPT_TIMES = 5;
const JOBS = 300;
/** The windows to compare: jobs 11 to 30, which surround job 20, and as many at the end. */
const [SKIPPED, WINDOW] = [10, 20];
const SECRETS = 20;
const LINES = 1_000;
const JOB_MS = 120_000;
/** By then, the work that a job's end triggers is over. */
const SETTLED_MS = 500;
const OUTAGE_EVERY = 10;
const OUTAGE_MS = 2_000;
/** The answers to all calls during an outage, one kind for each in turn. */
const OUTAGES: readonly FaultAnswer[] = [
  { status: 503, body: { code: 503, message: 'upstream connect error' } },
  'reset',
  { status: 403, body: { code: 403, message: 'Forbidden' } },
  { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad Gateway</html>' },
  { status: 404, body: { code: 404, message: 'default backend - 404' } },
];

/** The figures of one window. */
interface Seen {
  readonly residentMb: number[];
  readonly ms: number[];
  /** Milliseconds of network + create + start + exec by hand, right before each job. */
  readonly handMs: number[];
  /** Retained memory, sampled at the window's end. */
  readonly keptMb: number[];
}

/**
 * One agent serves 300 jobs, each with its own secrets; for every tenth, Pulumi Cloud is unavailable for 2 s from its
 * claim or its step's start. Is the agent in the end as small and fast as at job 20, and has it forgotten former
 * secrets? Memory is reported twice: resident, which users pay for, and retained after a collection, which shows
 * growth that a resident heap hides.
 */
export const lasting: Claim = {
  name: 'lasting',
  measure: async ({ dist, samples: jobs = JOBS, image, progress }) => {
    if (jobs < SKIPPED + 2 * WINDOW) throw new Error(`lasting needs ${SKIPPED + 2 * WINDOW} jobs at least`);
    await using scene = await Scene.open();
    await using hand = await ByHand.start();
    const settings = { SINGLE_RUN: 'false', POLLING_INTERVAL: '200ms', MAX_WAIT: '1h' };
    const agent = await scene.startAgent(dist, await scene.folder('home'), settings, ANY_INSPECTOR_PORT);
    const { pid } = agent.process.owner;
    const windows = [seenNothing(), seenNothing()] as const;
    const former: string[][] = [];
    let masked = 0;
    for (let job = 1; job <= jobs; job += 1) {
      const window = job > jobs - WINDOW ? 1 : job > SKIPPED && job <= SKIPPED + WINDOW ? 0 : undefined;
      const seen = window === undefined ? undefined : windows[window];
      seen?.handMs.push(await hand.do({ order: 'first-output', image, script: 'echo here' }));
      const secrets = Array.from({ length: SECRETS }, () => randomBytes(24).toString('base64url'));
      const others = [
        former[0] ?? [],
        former.at(-1) ?? [],
        former[Math.floor(former.length / 2)] ?? [],
      ].flat();
      const deployment = await serve(scene, image, { job, secrets, others });
      masked += hidden(deployment, others);
      former.push(secrets);
      await delay(SETTLED_MS);
      seen?.residentMb.push(residentMb(pid));
      seen?.ms.push((deployment.endedAt ?? Number.NaN) - (deployment.claimedAt ?? Number.NaN));
      if (job === SKIPPED + WINDOW || job === jobs)
        for (let times = 0; times < KEPT_TIMES; times += 1) seen?.keptMb.push(await keptMb(agent));
      if (job % 30 === 0) progress(`job ${job} of ${jobs}: ${residentMb(pid).toFixed(0)} MB`);
    }
    await endAgent(agent, 'SIGTERM');
    return figures(jobs, windows, masked);
  },
};

function seenNothing(): Seen {
  return { residentMb: [], ms: [], handMs: [], keptMb: [] };
}

interface Served {
  /** Counted from 1. */
  readonly job: number;
  /** The job's own; `others` are from former jobs. */
  readonly secrets: readonly string[];
  readonly others: readonly string[];
}

/** Runs one job, which prints its own secrets and those of others. Throws unless it succeeds. */
async function serve(scene: Scene, image: string, { job, secrets, others }: Served): Promise<Deployment> {
  const { cloud } = scene;
  const names = secrets.map((_, index) => `SECRET_${index}`);
  const script = [
    `seq -f 'line %g' ${LINES}`,
    ...names.map((name) => `echo "own $${name}"`),
    ...others.map((value) => `echo 'other ${value}'`),
  ].join('\n');
  const env = Object.fromEntries(names.map((name, index) => [name, { secret: secrets[index] }]));
  const definition = { ...jobOf(image, [script]), env };
  const deployment = cloud.enqueue({ project: 'bench', stack: 'lasting', poolId: POOL.id, job: definition });
  if (job % OUTAGE_EVERY === 0) {
    const count = job / OUTAGE_EVERY;
    const from = () => (count % 2 === 0 ? deployment.claimedAt : deployment.steps[1]?.statusHistory[0]?.at);
    await cloud.waitFor(() => from() !== undefined, JOB_MS);
    await away(scene, OUTAGES[count % OUTAGES.length] ?? 'reset');
  }
  await cloud.waitFor(() => deployment.endedAt !== undefined, JOB_MS);
  if (deployment.status !== 'succeeded')
    throw new Error(`job ${job} is ${deployment.status}: ${deployment.endReason}`);
  return deployment;
}

/** Makes Pulumi Cloud unavailable for a while. */
async function away({ cloud }: Scene, answer: FaultAnswer): Promise<void> {
  const scripts = ['GET', 'POST', 'PATCH'].map((method) =>
    cloud.script({ method, path: /^\/api\//, times: Infinity, answer }),
  );
  await delay(OUTAGE_MS);
  for (const script of scripts) script.remove();
}

/** How many values of others the job's log hides. Throws if a line is missing or shows one of its own values. */
function hidden({ steps }: Deployment, others: readonly string[]): number {
  const lines = steps[1]?.lines.map(({ l }) => l) ?? [];
  const own = lines.slice(LINES, LINES + SECRETS);
  const rest = lines.slice(LINES + SECRETS);
  if (rest.length !== others.length || own.some((line) => line !== 'own ***\n')) {
    throw new Error(`a job's log is not what it is to be: ${lines.length} lines, ${JSON.stringify(own)}`);
  }
  return rest.filter((line, index) => line !== `other ${others[index]}\n`).length;
}

function figures(jobs: number, [first, last]: readonly [Seen, Seen], masked: number): Figure[] {
  const against = `at job ${jobs}, against job 20`;
  const megabytes = { ...atMost(TARGET), unit: 'MB', isPaired: false };
  // Relative to the run by hand: the machine may be busier at the end than at the beginning.
  const times = (seen: Seen) => seen.ms.map((ms, index) => ms / (seen.handMs[index] ?? Number.NaN));
  const wrong = masked === 0 ? [] : [`${masked} values are hidden`];
  return [
    ratioFigure(`resident memory of one agent ${against}`, last.residentMb, first.residentMb, megabytes),
    ratioFigure(`what it keeps after a collection ${against}`, last.keptMb, first.keptMb, megabytes),
    ratioFigure(`time per job ${against}`, times(last), times(first), {
      ...atMost(TARGET),
      unit: '× by hand',
      digits: 2,
      isPaired: false,
    }),
    allFigure("jobs that hide none of former jobs' secrets", wrong, jobs),
  ];
}
