import { spawn } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readResult } from '../src/record/reader.ts';
import type { Claim, Figure } from './claim.ts';
import { spread } from './figures.ts';
import { PLAIN_ENVIRONMENT } from './processes.ts';
import { residentMb } from './resources.ts';
import { endedWith, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';
import { compare, summarize } from './statistics.ts';

const REACH = 0.5;
const REACH_RSS_MB = 200;
const ROUND_MB = 200;
/** Lines of 100 bytes, as programs print them. */
const flood = (megabytes: number) => `yes ${'x'.repeat(99)} | head -c ${megabytes}000000`;
const SECRETS = 50;
const EVERY_MS = 100;

/**
 * How fast a step's output goes the whole way: out of the engine, redacted, into the step's file and, in batches, to a Pulumi
 * Cloud that takes them at once, until the last status is told. Against `docker run > file`, less what an empty `docker run`
 * takes. Docker writes a container's output to disk a second time unless told otherwise, which is slow: both ways are measured.
 */
export const logPath: Claim = {
  name: 'log-path',
  measure: async ({ dist, samples = 5, image, progress }) => {
    await using scene = await Scene.open();
    scene.takeLogs();
    const whole: number[] = [];
    const usual: number[] = [];
    const undriven: number[] = [];
    const piped: number[] = [];
    for (let round = 1; round <= samples; round++) {
      const start = await dockerRun(scene, image, 'true', []);
      usual.push((await dockerRun(scene, image, flood(ROUND_MB), [])) - start);
      undriven.push((await dockerRun(scene, image, flood(ROUND_MB), ['--log-driver', 'none'])) - start);
      piped.push(await printed(scene, 'sh', ['-c', `${flood(ROUND_MB)} | cat`]));
      const { seconds } = await agentRun(scene, dist, image, ROUND_MB);
      whole.push(seconds);
      const [, mine, theirs, none] = [0, seconds, usual.at(-1) ?? 0, undriven.at(-1) ?? 0].map((s) => ROUND_MB / s);
      progress(
        `round ${round}: ${mine?.toFixed(0)} MB/s; docker run ${theirs?.toFixed(0)}, without log ${none?.toFixed(0)}`,
      );
    }
    progress('1 GB is being printed');
    const { peakMb, seconds } = await agentRun(scene, dist, image, 1_000);
    return [
      speedFigure('`docker run > file`', whole, usual, REACH),
      speedFigure('`docker run --log-driver none > file`', whole, undriven),
      speedFigure('a pipe through `cat > file`, without a container', whole, piped),
      {
        what: 'agent memory, the most while a step prints 1 GB',
        reach: `≤ ${REACH_RSS_MB} MB`,
        got: `${peakMb.toFixed(0)} MB`,
        met: peakMb <= REACH_RSS_MB,
        detail: `RSS; ${(1_000 / seconds).toFixed(0)} MB/s, everything delivered`,
      },
    ];
  },
};

function speedFigure(against: string, ours: readonly number[], theirs: readonly number[], least?: number): Figure {
  const { measured, baseline, paired } = compare(theirs, ours);
  // Of one amount of output, the baseline's time over ours is our speed over the baseline's.
  const ratio = measured.median / baseline.median;
  const speed = (seconds: readonly number[]) => spread(summarize(seconds.map((each) => ROUND_MB / each)), 0);
  return {
    what: `log from the engine to file and cloud, speed against ${against}`,
    got: `${ratio.toFixed(2)} ×`,
    detail: `${speed(ours)} / ${speed(theirs)} MB/s; side by side ${paired.median.toFixed(2)} [${paired.lower.toFixed(2)}–${paired.upper.toFixed(2)}]; n=${ours.length}`,
    ...(least === undefined ? {} : { reach: `≥ ${least.toFixed(2)} ×`, met: ratio >= least }),
  };
}

/** Seconds of a whole `docker run` with its output in a file. */
function dockerRun(scene: Scene, image: string, script: string, more: readonly string[]): Promise<number> {
  return printed(scene, 'docker', ['run', '--rm', ...more, image, 'sh', '-c', script]);
}

/** Seconds of a command with its output in a file. Throws when it fails. */
async function printed(scene: Scene, command: string, parameters: readonly string[]): Promise<number> {
  const path = join(await scene.folder('output'), 'file');
  await using file = await open(path, 'w');
  const started = performance.now();
  const child = spawn(command, parameters, { stdio: ['ignore', file.fd, 'inherit'], env: PLAIN_ENVIRONMENT });
  const ended = Promise.withResolvers<number | null>();
  child.once('error', ended.reject);
  child.once('close', ended.resolve);
  const code = await ended.promise;
  if (code !== 0) throw new Error(`${command} ended with code ${code}`);
  return (performance.now() - started) / 1000;
}

/** A job that prints so much: seconds from its step's beginning to the last status, and the agent's highest memory in MB. */
async function agentRun(
  scene: Scene,
  dist: string,
  image: string,
  megabytes: number,
): Promise<{ seconds: number; peakMb: number }> {
  const deployment = scene.cloud.enqueue({
    project: 'bench',
    stack: 'log-path',
    poolId: POOL.id,
    job: { ...jobOf(image, [flood(megabytes)]), env: secrets() },
  });
  const agent = await scene.startAgent(dist, await scene.folder('home'));
  const ended = scene.cloud.waitFor(() => deployment.endedAt !== undefined, 600_000);
  const peakMb = await highest(ended, agent);
  await endedWith('succeeded', agent);
  const step = (await readResult(agent.runDirectory))?.steps[1];
  const { size } = await stat(join(agent.runDirectory, step?.log ?? ''));
  await rm(join(agent.runDirectory, step?.log ?? ''));
  if (step === undefined || size !== megabytes * 1e6 || step.cloud.sent < step.lines || step.cloud.undelivered > 0)
    throw new Error(`the log is not whole: ${JSON.stringify(step)}, ${size} bytes`);
  return { seconds: ((deployment.endedAt ?? 0) - Date.parse(step.startedAt ?? '')) / 1000, peakMb };
}

async function highest(over: Promise<unknown>, { process: { owner } }: SceneAgent): Promise<number> {
  let peak = 0;
  let isOver = false;
  const settled = over.finally(() => {
    isOver = true;
  });
  settled.catch(() => undefined);
  while (!isOver) {
    peak = Math.max(peak, residentMb(owner.pid));
    await delay(EVERY_MS);
  }
  await settled;
  return peak;
}

function secrets(): Record<string, { secret: string }> {
  const value = (index: number) => `s3cr3t/${index}&${'kQ7-'.repeat(5)}${index * 7919}`;
  return Object.fromEntries(
    Array.from({ length: SECRETS }, (_, index) => [`SECRET_${index}`, { secret: value(index) }]),
  );
}
