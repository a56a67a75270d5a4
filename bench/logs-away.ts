import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEvent, readResult } from '../src/record/reader.ts';
import { RUN_FILES } from '../src/record/schema.ts';
import type { FaultAnswer } from '../test/emulators/pulumi-cloud/faults.ts';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { endAgent, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';
import { soon } from './waiting.ts';

const TARGET = 1.1;
const PRINTED_MB = 30;
/** Prints lines of 100 bytes, a typical length. */
const SCRIPT = `yes ${'x'.repeat(99)} | head -c ${PRINTED_MB}000000`;
const PRINTED_LINES = PRINTED_MB * 10_000;
const WARM_UP = 2;
const WAIT = { ms: 120_000, everyMs: 50 };

/** How one kind of a step's calls is answered while it runs. Once it has ended, all lines are taken. */
interface Trouble {
  readonly method: 'PATCH' | 'POST';
  readonly path: RegExp;
  readonly answer: FaultAnswer;
}

/** `running` is a step's first call: until it is answered, nothing reads the step's file and nothing is sent. */
const NOTHING_REPORTS: Trouble = { method: 'PATCH', path: /\/1\/status$/, answer: 'hang' };
const LOGS = { method: 'POST', path: /\/1\/logs$/ } as const;
const REFUSED: Trouble = {
  ...LOGS,
  answer: { status: 503, body: { code: 503, message: 'Service Unavailable' } },
};
const SILENT: Trouble = { ...LOGS, answer: 'hang' };

/**
 * A step's own time, as recorded, while it prints 30 MB and `/logs` is unavailable, against the same step when nothing
 * is reported: both times, output is redacted and written to its file. One lasting agent runs all the jobs, in turns.
 */
export const logsAway: Claim = {
  name: 'logs-away',
  measure: async ({ dist, samples = 24, image, progress }) => {
    await using scene = await Scene.open();
    // An unanswered call holds its job up until this timeout; by then the step is over.
    const settings = {
      SINGLE_RUN: 'false',
      POLLING_INTERVAL: '200ms',
      REQUEST_TIMEOUT: '5s',
      KEPT_RUNS: '1',
    };
    const agent = await scene.startAgent(dist, await scene.folder('home'), settings);
    const kinds = [NOTHING_REPORTS, REFUSED, SILENT, undefined];
    const times = kinds.map((): number[] => []);
    for (let round = 1 - WARM_UP; round <= samples; round += 1) {
      for (const turn of kinds.keys()) {
        // Each round begins with another kind, so periodic load on the machine hits all kinds alike.
        const kind = (turn + round + WARM_UP) % kinds.length;
        const ms = await stepMs(scene, agent, image, kinds[kind]);
        if (round > 0) times[kind]?.push(ms);
      }
      if (round > 0)
        progress(
          `round ${round} of ${samples}: ${times.map((each) => each.at(-1)?.toFixed(0)).join(', ')} ms`,
        );
    }
    const [alone = [], refused = [], silent = [], taken = []] = times;
    await endAgent(agent, 'SIGTERM');
    const what = `a step that prints ${PRINTED_MB} MB while /logs`;
    const against = 'against the same with nothing that reports';
    return [
      ratioFigure(`${what} answers 503, ${against}`, refused, alone, atMost(TARGET)),
      ratioFigure(`${what} is silent, ${against}`, silent, alone, atMost(TARGET)),
      ratioFigure(`${what} takes all at once, ${against}`, taken, alone),
    ];
  },
};

/** Milliseconds of the step, as recorded. Throws if the job fails or a line never arrives. */
async function stepMs(scene: Scene, agent: SceneAgent, image: string, trouble?: Trouble): Promise<number> {
  const { cloud } = scene;
  const before = await runsOf(agent);
  // The first matching script wins, so this one precedes the one that takes logs.
  const troubled = trouble && cloud.script({ ...trouble, times: Infinity });
  const taken = scene.takeLogs();
  const job = jobOf(image, [SCRIPT]);
  cloud.enqueue({ project: 'bench', stack: 'logs-away', poolId: POOL.id, job });
  const directory = await soon(
    'a job',
    async () => (await runsOf(agent)).find((each) => !before.includes(each)),
    WAIT,
  );
  const seconds = await soon("the step's end", () => stepSeconds(directory), WAIT);
  troubled?.remove();
  const { outcome, steps } = await soon("the job's end", () => readResult(directory), WAIT);
  taken.remove();
  const { sent = 0, undelivered = 0 } = steps[1]?.cloud ?? {};
  if (outcome !== 'succeeded' || undelivered > 0 || sent !== PRINTED_LINES) {
    throw new Error(`a job is ${outcome}, ${sent} lines were taken and ${undelivered} not`);
  }
  return seconds * 1000;
}

/** The run directories that a lasting agent keeps. */
async function runsOf({ runDirectory }: SceneAgent): Promise<string[]> {
  const entries = await readdir(runDirectory, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(runDirectory, name));
}

/** The step's own time as recorded; undefined until it has ended. */
async function stepSeconds(directory: string): Promise<number | undefined> {
  const text = await readFile(join(directory, RUN_FILES.events), 'utf8');
  // The last line may be incomplete.
  const events = text.split('\n').slice(0, -1).map(parseEvent);
  return events.flatMap((event) =>
    event?.type === 'step-finished' && event.index === 1 ? [event.seconds] : [],
  )[0];
}
