import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEvent } from '../src/record/reader.ts';
import type { RecordEvent } from '../src/record/schema.ts';
import { RUN_FILES } from '../src/record/schema.ts';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Claim, Figure } from './claim.ts';
import { atMost, sampleFigure } from './figures.ts';
import { endAgent, jobOf, POOL, Scene } from './scene.ts';
import { samplesUntil } from './waiting.ts';

/** Milliseconds between heartbeats, as in the protocol: the measurement shortens nothing. */
const INTERVAL_MS = 30_000;
/** A hundredth of the fence (8 minutes): shows that the main thread gets to send heartbeats. */
const TARGET_MS = 5_000;
/** Values that the redactor looks for: those of the job, and those that a step writes to PULUMI_ENV for later steps. */
const SECRETS = 50;
const WRITTEN = 100;
/** Keeps the last heartbeat clear of the flood's end. */
const MARGIN_S = 5;
const LOOK_EVERY_MS = 250;

/**
 * How late heartbeats are while a step prints as fast as it can and the redactor knows many secrets. Pulumi Cloud takes
 * every line at once and keeps none, so the agent sets the pace. The latency of /healthz shows how long the main
 * thread, which also sends the heartbeats, was blocked.
 */
export const heartbeatJitter: Claim = {
  name: 'heartbeat-jitter',
  measure: async ({ dist, samples = 4, image, progress }) => {
    await using scene = await Scene.open();
    const seconds = (samples * INTERVAL_MS) / 1000 + MARGIN_S;
    scene.takeLogs();
    const deployment = scene.cloud.enqueue({
      project: 'bench',
      stack: 'heartbeats',
      poolId: POOL.id,
      job: {
        ...jobOf(image, [writing(), `timeout ${seconds} yes ${'x'.repeat(99)} || test $? = 124`]),
        env: Object.fromEntries(
          values(SECRETS).map((value, index) => [`SECRET_${index}`, { secret: value }]),
        ),
      },
    });
    const agent = await scene.startAgent(dist, await scene.folder('home'));
    await scene.cloud.waitFor(() => deployment.steps[2]?.status === 'running', 60_000);
    progress(`a step prints for ${seconds} s; its log in ${agent.runDirectory} grows by GBs and is removed`);
    const began = performance.now();
    const url = await healthUrl(agent.runDirectory);
    const health = await samplesUntil(delay(seconds * 1000), LOOK_EVERY_MS, () => answerMs(url));
    const took = (performance.now() - began) / 1000;
    const { size } = await stat(join(agent.runDirectory, await stepLog(agent.runDirectory)));
    // Delivering the rest of such a log would take minutes.
    await endAgent(agent, 'SIGKILL');
    return figures(deployment, size / 1e6 / took, health);
  },
};

/** The script of a step that leaves secrets to the next one. */
function writing(): string {
  return values(WRITTEN)
    .map((value, index) => `echo WRITTEN_${index}=${value} >>/PULUMI_ENV`)
    .join('\n');
}

function values(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(30).toString('base64url'));
}

/** @param rate MB (10^6 bytes) a second @param health milliseconds of each /healthz answer; undefined without one */
function figures(
  { heartbeats }: Deployment,
  rate: number,
  health: readonly (number | undefined)[],
): Figure[] {
  const late = heartbeats.slice(1).map((at, index) => at - (heartbeats[index] ?? Number.NaN) - INTERVAL_MS);
  const what = `heartbeats, the latest while a step's log comes at ${rate.toFixed(0)} MB/s`;
  const answered = health.filter((ms) => ms !== undefined);
  return [
    sampleFigure(what, late, { ...atMost(TARGET_MS), unit: 'ms late', of: 1 }),
    sampleFigure('/healthz at the same time, at worst', answered, { unit: 'ms', of: 1 }),
  ];
}

/** Milliseconds until `url` has answered; undefined if the agent has ended meanwhile. */
function answerMs(url: string): Promise<number | undefined> {
  const asked = performance.now();
  return fetch(url).then(
    async (answer) => {
      await answer.text();
      return performance.now() - asked;
    },
    () => undefined,
  );
}

async function healthUrl(runDirectory: string): Promise<string> {
  const listening = (await eventsOf(runDirectory)).find((event) => event.type === 'health-listening');
  if (listening === undefined) throw new Error('the agent does not say where its health is served');
  return listening.url;
}

async function stepLog(runDirectory: string): Promise<string> {
  const begun = (await eventsOf(runDirectory)).find(
    (event) => event.type === 'step-started' && event.index === 2,
  );
  if (begun?.type !== 'step-started') throw new Error('the step was not begun');
  return begun.log;
}

async function eventsOf(runDirectory: string): Promise<RecordEvent[]> {
  const text = await readFile(join(runDirectory, RUN_FILES.events), 'utf8');
  // The last line may be incomplete.
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => parseEvent(line) ?? []);
}
