import { spawn } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readResult } from '../src/record/reader.ts';
import type { Claim } from './claim.ts';
import { atLeast, ratioFigure } from './figures.ts';
import { PLAIN_ENVIRONMENT } from './processes.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';

const TARGET = 0.5;
const ROUND_MB = 200;
/** Prints lines of 100 bytes, a typical length: without colours, and with them as Pulumi prints a resource. */
const PLAIN = flood('x'.repeat(99));
const COLOURED = flood(
  ` \\033[38;5;2m+\\033[0m  \\033[1maws:ec2:Subnet\\033[0m private \\033[38;5;2mcreated\\033[0m ${'x'.repeat(30)}`,
);
const SECRETS = 50;

/**
 * How fast a step's output goes the whole way: out of the container, redacted, into the step's file and, in batches, to
 * a Pulumi Cloud that takes them at once, until the last status is reported. Against `docker run > file`, less the time
 * of an empty `docker run`; with Docker's default log driver, which writes to disk and is slow, and without one.
 */
export const logPath: Claim = {
  name: 'log-path',
  measure: async ({ dist, samples = 5, image, progress }) => {
    await using scene = await Scene.open();
    scene.takeLogs();
    const [ours, coloured]: [number[], number[]] = [[], []];
    const [usual, undriven]: [number[], number[]] = [[], []];
    for (let round = 1; round <= samples; round++) {
      const start = await dockerRun(scene, image, 'true', []);
      usual.push(ROUND_MB / ((await dockerRun(scene, image, PLAIN, [])) - start));
      undriven.push(ROUND_MB / ((await dockerRun(scene, image, PLAIN, ['--log-driver', 'none'])) - start));
      ours.push(ROUND_MB / (await agentRun(scene, dist, image, PLAIN)));
      coloured.push(ROUND_MB / (await agentRun(scene, dist, image, COLOURED)));
      progress(
        `round ${round} of ${samples}: ${ours.at(-1)?.toFixed(0)} MB/s, coloured ${coloured.at(-1)?.toFixed(0)}`,
      );
    }
    const what = 'log from the engine to file and cloud, speed against `docker run';
    return [
      ratioFigure(`${what} > file\``, ours, usual, { ...atLeast(TARGET), unit: 'MB/s', digits: 0 }),
      ratioFigure(`${what} --log-driver none > file\``, ours, undriven, { unit: 'MB/s', digits: 0 }),
      ratioFigure('the same in coloured lines, against plain ones', coloured, ours, { unit: 'MB/s', digits: 0 }),
    ];
  },
};

/** Seconds of a whole `docker run` with its output redirected to a file. */
function dockerRun(scene: Scene, image: string, script: string, more: readonly string[]): Promise<number> {
  return printed(scene, 'docker', ['run', '--rm', ...more, image, 'sh', '-c', script]);
}

/** Seconds of a command with its output redirected to a file. Throws if it fails. */
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

/** Seconds from the start of a job's step to the job's last status. Throws if the log is not whole. */
async function agentRun(scene: Scene, dist: string, image: string, script: string): Promise<number> {
  const job = { ...jobOf(image, [script]), env: secrets() };
  const deployment = scene.cloud.enqueue({ project: 'bench', stack: 'log-path', poolId: POOL.id, job });
  const agent = await scene.startAgent(dist, await scene.folder('home'));
  await scene.cloud.waitFor(() => deployment.endedAt !== undefined, 600_000);
  await endedWith('succeeded', agent);
  const step = (await readResult(agent.runDirectory))?.steps[1];
  const { size } = await stat(join(agent.runDirectory, step?.log ?? ''));
  await rm(join(agent.runDirectory, step?.log ?? ''));
  if (step === undefined || size !== ROUND_MB * 1e6 || step.cloud.sent < step.lines || step.cloud.undelivered > 0)
    throw new Error(`the log is not whole: ${JSON.stringify(step)}, ${size} bytes`);
  return ((deployment.endedAt ?? 0) - Date.parse(step.startedAt ?? '')) / 1000;
}

/** A script that prints a line of 99 characters again and again. */
function flood(line: string): string {
  return `yes "$(printf '${line}')" | head -c ${ROUND_MB}000000`;
}

function secrets(): Record<string, { secret: string }> {
  const value = (index: number) => `s3cr3t/${index}&${'kQ7-'.repeat(5)}${index * 7919}`;
  return Object.fromEntries(
    Array.from({ length: SECRETS }, (_, index) => [`SECRET_${index}`, { secret: value(index) }]),
  );
}
