import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseEvent } from '../src/record/reader.ts';
import type { RecordEvent } from '../src/record/schema.ts';
import { RUN_FILES } from '../src/record/schema.ts';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Claim, Figure } from './claim.ts';
import { spread } from './figures.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';
import { summarize } from './statistics.ts';

/** Milliseconds from one heartbeat to the next, as the protocol wants it: nothing is shortened for the measurement. */
const INTERVAL_MS = 30_000;
/** The fence falls after 8 minutes: a hundred times less says that the main thread can send them. */
const REACH_MS = 5_000;
/** What the redactor looks for: so many values from the start, and as many again that a step writes down for the next ones. */
const SECRETS = 50;
const WRITTEN = 100;
/** The last heartbeat must not fall together with the flood's end. */
const MARGIN_S = 5;
const LOOK_EVERY_MS = 250;

/**
 * How late heartbeats are while a step prints as fast as it can and the redactor knows many secrets. Pulumi Cloud takes every line at
 * once and keeps none, so that it is the agent that sets the pace. How long /healthz takes tells how long the main thread, which
 * sends the heartbeats too, was held up.
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
        env: Object.fromEntries(values(SECRETS).map((value, index) => [`SECRET_${index}`, { secret: value }])),
      },
    });
    const agent = await scene.startAgent(dist, await scene.folder('home'));
    await scene.cloud.waitFor(() => deployment.steps[2]?.status === 'running', 60_000);
    progress(`a step prints for ${seconds} s; its log in ${agent.runDirectory} grows by GBs and is removed`);
    const began = performance.now();
    const service = monitorEventLoopDelay();
    service.enable();
    const ended = scene.cloud.waitFor(() => deployment.endedAt !== undefined, (seconds + 120) * 1000);
    const health = await answers(await healthUrl(agent.runDirectory), ended);
    const took = (performance.now() - began) / 1000;
    service.disable();
    await endedWith('succeeded', agent);
    const { size } = await stat(join(agent.runDirectory, await stepLog(agent.runDirectory)));
    return figures(deployment, { rate: size / 1e6 / took, health, serviceMs: service.max / 1e6 });
  },
};

/** A step that leaves the next one more to hide. */
function writing(): string {
  return values(WRITTEN)
    .map((value, index) => `echo WRITTEN_${index}=${value} >>/PULUMI_ENV`)
    .join('\n');
}

function values(count: number): string[] {
  return Array.from({ length: count }, () => randomBytes(30).toString('base64url'));
}

interface Seen {
  /** MB a second, of 10^6 bytes. */
  readonly rate: number;
  /** Milliseconds of each answer of /healthz. */
  readonly health: readonly number[];
  /** The longest that this process's own event loop, which notes the heartbeats, was held up. */
  readonly serviceMs: number;
}

function figures({ heartbeats }: Deployment, { rate, health, serviceMs }: Seen): Figure[] {
  const late = heartbeats.slice(1).map((at, index) => at - (heartbeats[index] ?? Number.NaN) - INTERVAL_MS);
  if (late.length === 0) throw new Error('no two heartbeats came');
  const worst = Math.max(...late);
  const busy = summarize(health);
  return [
    {
      what: `heartbeats, the latest of ${late.length} while a step's log comes at ${rate.toFixed(0)} MB/s`,
      reach: `≤ ${REACH_MS} ms late`,
      got: `${worst} ms late`,
      met: worst <= REACH_MS,
      detail: `${spread(summarize(late), 0)} ms; n=${late.length}; the service itself was held up for ${serviceMs.toFixed(0)} ms at most`,
    },
    {
      what: '/healthz at the same time',
      got: `${Math.max(...health).toFixed(0)} ms`,
      detail: `${spread(busy, 0)} ms; n=${busy.count}`,
    },
  ];
}

/** How long each answer of `url` takes, in milliseconds, until `over` settles. */
async function answers(url: string, over: Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  let isOver = false;
  const settled = over.finally(() => {
    isOver = true;
  });
  settled.catch(() => undefined);
  while (!isOver) {
    const asked = performance.now();
    // The agent may end meanwhile.
    const answered = await fetch(url).then(
      (answer) => answer.text(),
      () => undefined,
    );
    if (answered !== undefined) times.push(performance.now() - asked);
    await delay(LOOK_EVERY_MS);
  }
  await settled;
  return times;
}

async function healthUrl(runDirectory: string): Promise<string> {
  const listening = (await eventsOf(runDirectory)).find((event) => event.type === 'health-listening');
  if (listening === undefined) throw new Error('the agent does not say where its health is served');
  return listening.url;
}

async function stepLog(runDirectory: string): Promise<string> {
  const begun = (await eventsOf(runDirectory)).find((event) => event.type === 'step-started' && event.index === 2);
  if (begun?.type !== 'step-started') throw new Error('the step was not begun');
  return begun.log;
}

async function eventsOf(runDirectory: string): Promise<RecordEvent[]> {
  const text = await readFile(join(runDirectory, RUN_FILES.events), 'utf8');
  // The last line may still be being written.
  const lines = text.split('\n').slice(0, -1);
  return lines.flatMap((line) => parseEvent(line) ?? []);
}
