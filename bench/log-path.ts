import { spawn } from 'node:child_process';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'undici';
import { readResult } from '../src/record/reader.ts';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { PLAIN_ENVIRONMENT } from './processes.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';

const TARGET = 1.2;
const ROUND_MB = 300;
/** Prints lines of 100 bytes, a typical length: without colours, and with them as Pulumi prints a resource. */
const PLAIN = flood('x'.repeat(99));
const COLOURED = flood(
  ` \\033[38;5;2m+\\033[0m  \\033[1maws:ec2:Subnet\\033[0m private \\033[38;5;2mcreated\\033[0m ${'x'.repeat(30)}`,
);
const SECRETS = 50;

/**
 * How fast a step's output goes its way: out of the container, redacted and into the step's file, against `docker run >
 * file` less the time of an empty `docker run`, with Docker's default log driver, which writes to disk and is slow; and
 * in calls to a Pulumi Cloud that takes them at once, until the last status is reported, against the same calls made by a
 * client that does nothing else.
 */
export const logPath: Claim = {
  name: 'log-path',
  measure: async ({ dist, samples = 5, image, progress }) => {
    await using scene = await Scene.open();
    scene.takeLogs();
    const ours: LogTimes[] = [];
    const coloured: LogTimes[] = [];
    const [usual, undriven, replays]: [number[], number[], number[]] = [[], [], []];
    for (let round = 1; round <= samples; round++) {
      const start = await dockerRun(scene, image, 'true', []);
      usual.push((await dockerRun(scene, image, PLAIN, [])) - start);
      undriven.push((await dockerRun(scene, image, PLAIN, ['--log-driver', 'none'])) - start);
      const plain = await agentRun(scene, dist, image, PLAIN);
      ours.push(plain);
      replays.push(await replayed(scene, plain.calls));
      coloured.push(await agentRun(scene, dist, image, COLOURED));
      progress(
        `round ${round} of ${samples}: on disk after ${plain.onDisk.toFixed(1)} s, delivered after ${plain.delivered.toFixed(1)} s`,
      );
    }
    const onDisk = ours.map((each) => each.onDisk);
    const delivered = ours.map((each) => each.delivered);
    const target = { ...atMost(TARGET), unit: 's' };
    const what = `${ROUND_MB} MB of log`;
    return [
      ratioFigure(`${what} on disk, against \`docker run > file\``, onDisk, usual, target),
      ratioFigure(`${what} on disk, against \`docker run --log-driver none > file\``, onDisk, undriven, {
        unit: 's',
      }),
      ratioFigure(`${what} delivered, against its calls alone`, delivered, replays, target),
      ratioFigure(
        `${what} in colour delivered, against plain lines`,
        coloured.map((each) => each.delivered),
        delivered,
        { unit: 's' },
      ),
    ];
  },
};

/** Seconds since the step began, and the number of calls. */
interface LogTimes {
  readonly onDisk: number;
  readonly delivered: number;
  readonly calls: number;
}

/** Seconds of as many calls with as many lines, one after the other, for a job claimed here. Throws if one is refused. */
async function replayed(scene: Scene, calls: number): Promise<number> {
  const line = { t: new Date(0).toISOString(), l: `${'x'.repeat(99)}\n` };
  const lines = new Array<typeof line>(Math.round((ROUND_MB * 10_000) / calls)).fill(line);
  const body = JSON.stringify({ offset: 0, lines });
  const deployment = scene.cloud.enqueue({
    project: 'bench',
    stack: 'replay',
    poolId: POOL.id,
    job: jobOf('none', ['true']),
  });
  const headers = {
    accept: 'application/vnd.pulumi+8',
    'user-agent': 'replay/1 (linux; x64)',
    authorization: `token ${scene.cloud.claim(deployment.id)}`,
    'content-type': 'application/json',
  };
  const client = new Client(scene.cloud.url);
  const send = async (method: 'PATCH' | 'POST', path: string, body: string) => {
    const response = await client.request({
      method,
      path: `/api/workflow/jobs/${deployment.jobId}/${path}`,
      headers,
      body,
    });
    await response.body.dump();
    if (response.statusCode !== 200)
      throw new Error(`${method} ${path} was answered with ${response.statusCode}`);
  };
  await send('PATCH', '0/status', '{"status":"running"}');
  await send('PATCH', '0/status', '{"status":"succeeded"}');
  await send('PATCH', '1/status', '{"status":"running"}');
  const { violations } = scene.cloud;
  const before = violations.length;

  const started = performance.now();
  for (let call = 0; call < calls; call += 1) await send('POST', '1/logs', body);
  const seconds = (performance.now() - started) / 1000;

  // A script answers the log calls: only the violations show that the emulator read this body as it reads the agent's.
  if (violations.length > before) throw new Error(`the emulator refused a call: ${violations.at(-1)}`);
  await send('PATCH', '1/status', '{"status":"succeeded"}');
  await client.close();
  return seconds;
}

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

/** Throws if the log is not whole. */
async function agentRun(scene: Scene, dist: string, image: string, script: string): Promise<LogTimes> {
  const job = { ...jobOf(image, [script]), env: secrets() };
  const deployment = scene.cloud.enqueue({ project: 'bench', stack: 'log-path', poolId: POOL.id, job });
  const agent = await scene.startAgent(dist, await scene.folder('home'));
  await scene.cloud.waitFor(() => deployment.endedAt !== undefined, 600_000);
  await endedWith('succeeded', agent);
  const step = (await readResult(agent.runDirectory))?.steps[1];
  const { size } = await stat(join(agent.runDirectory, step?.log ?? ''));
  await rm(join(agent.runDirectory, step?.log ?? ''));
  if (
    step === undefined ||
    size !== ROUND_MB * 1e6 ||
    step.cloud.sent < step.lines ||
    step.cloud.undelivered > 0
  )
    throw new Error(`the log is not whole: ${JSON.stringify(step)}, ${size} bytes`);
  const began = Date.parse(step.startedAt ?? '');
  const onDisk = (Date.parse(step.finishedAt ?? '') - began) / 1000;
  return { onDisk, delivered: ((deployment.endedAt ?? 0) - began) / 1000, calls: step.cloud.batches ?? 0 };
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
