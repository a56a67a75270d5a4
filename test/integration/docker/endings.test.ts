import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';
import { trialOn } from '../../../src/executor/trial.ts';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { startEngineProxy } from '../../support/docker/engine-proxy.ts';
import { HOLD, letGo } from '../../support/docker/held-step.ts';
import { BUSYBOX_IMAGE, docker, JOB_IMAGE, makeImages } from '../../support/docker/images.ts';
import { copyImage, startOwnEngine } from '../../support/docker/own-engine.ts';
import { fastClock } from '../../support/job/fast-clock.ts';
import { holdTimer } from '../../support/job/held-timer.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { TOLD_ENDINGS } from './told-endings.ts';

/** Labels every job of this file; its value is each job's own. */
const LABEL = 'pulumi-runner-test.endings';
/** Jobs at a time: most of them are mostly waiting. The engine of the world cgroup2 has one slow processor. */
const sideBySide = async () => ((await docker.info()).NCPU === 1 ? 1 : 6);
/** For a job's container to start. */
const PATIENCE_MS = 120_000;

const runProgram = promisify(execFile);

beforeAll(makeImages);

async function containers(label: string): Promise<string[]> {
  return (await docker.listContainers({ all: true, filters: { label: [label] } })).map(({ Id }) => Id);
}

interface Given {
  /** The job's own settings. */
  readonly job?: Readonly<Record<string, unknown>>;
  /** The step's own settings. */
  readonly step?: Readonly<Record<string, unknown>>;
  readonly engine?: string;
  readonly image?: string;
  /** How many times faster the agent's clock runs: the harsher signals of a stop are 10 s apart. */
  readonly pace?: number;
  /** The engine won't answer, so it gets little time to. */
  readonly impatient?: boolean;
  /** Where the run is recorded. */
  readonly runDirectory?: string;
}

/** A job whose step 1 has printed `up` in a container of the real engine; step 2 would print `next`. */
async function running(script: string, given: Given = {}) {
  const { job = {}, step = {}, engine = 'unix:///var/run/docker.sock', image = JOB_IMAGE, pace = 1 } = given;
  const { runDirectory, impatient = false } = given;
  const environment = { DOCKER_HOST: engine };
  const executor = createDockerExecutor({
    environment,
    ...(impatient ? { silenceMs: 200, stopMs: 2_000 } : { silenceMs: 1_000 }),
  });
  const config = { image, pull_image: 'false', cancel_grace_period: '1s' };
  const mark = randomBytes(6).toString('hex');
  const labels = { [LABEL]: mark };
  const { agent, cloud, enqueue, result, send } = await agentOf({
    config,
    options: {
      executor,
      // Patient: the engine still answers.
      trial: trialOn(createDockerExecutor({ environment }), configOf({ token: 'pul-1', ...config }), labels),
      labels,
      ...(pace === 1 ? {} : { clock: fastClock(pace) }),
      ...(runDirectory === undefined ? {} : { runDirectory: () => runDirectory }),
    },
  });
  const deployment = enqueue({ ...jobOf({ run: `echo up; ${script}`, ...step }, 'echo next'), ...job });
  const ended = agent.run();
  const printed = (text: string) =>
    cloud.waitFor(() => deployment.steps[1]?.lines.some(({ l }) => l === `${text}\n`) === true, PATIENCE_MS);
  await printed('up');
  return {
    send,
    printed,
    gone: async () => {
      while ((await containers(`${LABEL}=${mark}`)).length > 0) await delay(50);
    },
    container: async () => docker.getContainer((await containers(`${LABEL}=${mark}`))[0] ?? ''),
    /** How the job ended; its step statuses must have ended it in Pulumi Cloud too. */
    end: async () => {
      await ended;
      expect(deployment.endReason).toBe('steps');
      const { outcome, message, steps, notices } = (await result()) ?? {};
      const log = deployment.steps[1]?.lines.map(({ l }) => l).join('') ?? '';
      return { outcome, message, steps, notices, log, next: deployment.steps[2]?.status };
    },
  };
}

/** An engine that a test may stop or crash. */
async function ownEngine() {
  const engine = await startOwnEngine();
  onTestFinished(() => engine.close());
  await copyImage(BUSYBOX_IMAGE, engine.url);
  return engine;
}

/** A disk of 1 MiB. */
async function smallDisk(): Promise<string> {
  const disk = await temporaryDirectory();
  await runProgram('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', disk]);
  onTestFinished(async () => void (await runProgram('umount', [disk])));
  return disk;
}

type End = Awaited<ReturnType<Awaited<ReturnType<typeof running>>['end']>>;
const ORDERLY = 'trap "echo saved; exit 5" INT; while :; do sleep 0.05; done';
const UNRESPONSIVE = 'trap "" INT TERM; while :; do sleep 0.05; done';
const MEMORY = 64 * 1024 ** 2;

/** Each row of the page's table, with a job on a real engine that ends that way. */
const ENDINGS: Readonly<Record<string, () => Promise<End>>> = {
  'a step ends with an exit code': async () => (await running('exit 3')).end(),
  'a step runs past its timeout': async () => (await running(ORDERLY, { step: { timeout: '5s' } })).end(),
  'the job runs past its timeout': async () => {
    const up = Promise.withResolvers<void>();
    holdTimer(12_000, up.promise);
    const job = await running(ORDERLY, { job: { timeout: '12s' } });
    up.resolve();
    return job.end();
  },
  'the step runs out of the memory it may have': () => outOfMemory('tail /dev/zero'),
  'the same of a pipe’s member only': () => outOfMemory('tail /dev/zero | cat; echo went on'),
  'a step heeds no signal while it is stopped': () => interrupted(UNRESPONSIVE),
  'a step has stopped itself (SIGSTOP)': () => interrupted('kill -STOP $$'),
  'the container is killed': () => harmed((container) => container.kill()),
  'the container is removed': () => harmed((container) => container.remove({ force: true })),
  'the container is stopped': async () => {
    const job = await running(ORDERLY);
    await (await job.container()).stop();
    return job.end();
  },
  'a step ends the container’s main process': async () => (await running('kill -PWR 1; sleep 60')).end(),
  'a step claims that its container is being stopped': async () =>
    (await running('echo "0 ending" >/proc/1/fd/1; exit 3')).end(),
  'the engine is stopped or restarted': async () => {
    const engine = await ownEngine();
    const job = await running(ORDERLY, { engine: engine.url, image: BUSYBOX_IMAGE });
    await engine.stop();
    await engine.start();
    return job.end();
  },
  'the engine crashes': async () => {
    const engine = await ownEngine();
    const job = await running('sleep 60', { engine: engine.url, image: BUSYBOX_IMAGE, impatient: true });
    await engine.crash();
    return job.end();
  },
  'the engine answers nothing any more': async () => {
    const proxy = await startEngineProxy();
    const job = await running('sleep 60', { engine: proxy.url, impatient: true });
    proxy.freeze();
    const end = await job.end();
    proxy.cut();
    await job.gone();
    return end;
  },
  'the connection that carries the output is cut': () => cutOff('sleep 3; echo unread', /^POST \S+\/exec\//),
  'the same, and the step fails': () => cutOff('sleep 3; exit 3', /^POST \S+\/exec\//),
  'the same, and the job is interrupted': () => cutOff(ORDERLY, /^POST \S+\/exec\//, 'SIGINT'),
  'the connection to the container’s main process is cut': () => cutOff(ORDERLY, /\/attach/),
  'the same, and the step ends its work well': () =>
    cutOff('trap "exit 0" INT; while :; do sleep 0.05; done', /\/attach/),
  'the container’s disk is full': async () => (await running('head -c 200M /dev/zero > /dev/shm/all')).end(),
  'the disk of the run directory is full': async () => {
    const disk = await smallDisk();
    const runDirectory = join(disk, 'run');
    const job = await running(`${HOLD}; head -c 300000 /dev/zero | tr "\\0" x; echo; echo done`, {
      runDirectory,
    });
    await writeFile(join(disk, 'ballast'), Buffer.alloc(1024 * 1024)).catch(() => undefined);
    await letGo(await job.container());
    await job.printed('done');
    await rm(join(disk, 'ballast'));
    const end = await job.end();
    const result = JSON.parse(await readFile(join(runDirectory, 'run.json'), 'utf8')) as End;
    return { ...end, ...result };
  },
  'a process outlives its step and holds the output': async () =>
    (await running('sleep 60 & echo done')).end(),
};

async function interrupted(script: string): Promise<End> {
  const job = await running(script, { pace: 4 });
  job.send('SIGINT');
  return job.end();
}

/**
 * @param request a request on the connection to cut
 * @param signal sent to the agent two seconds later
 */
async function cutOff(script: string, request: RegExp, signal?: NodeJS.Signals): Promise<End> {
  const proxy = await startEngineProxy();
  const job = await running(script, { engine: proxy.url });
  proxy.cutOnly(request);
  if (signal !== undefined) {
    await delay(2_000);
    job.send(signal);
  }
  return job.end();
}

async function outOfMemory(script: string): Promise<End> {
  const job = await running(`${HOLD}; ${script}`);
  const container = await job.container();
  await container.update({ Memory: MEMORY, MemorySwap: MEMORY });
  await letGo(container);
  return job.end();
}

async function harmed(harm: (container: Docker.Container) => Promise<unknown>): Promise<End> {
  const job = await running('sleep 60');
  await harm(await job.container());
  return job.end();
}

/** The text of an ending as a pattern, in which … is any text. */
function patternOf(said: string): RegExp {
  return new RegExp(said.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s*…\s*/g, '.+'), 's');
}

describe('a job in Docker ends as told-endings.ts says', () => {
  const ends = new Map<string, End | Error>();

  it('however it is ended, and leaves nothing', { timeout: 5 * PATIENCE_MS }, async () => {
    const waiting = Object.entries(ENDINGS);
    const worker = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const [what, bringAbout] = next;
        ends.set(what, await bringAbout().catch((error: Error) => error));
      }
    };
    await Promise.all(Array.from({ length: await sideBySide() }, worker));
    expect(await containers(LABEL)).toEqual([]);
  });

  it.each(Object.keys(ENDINGS))('when %s', async (what) => {
    const end = ends.get(what);
    if (end === undefined || end instanceof Error) throw end;
    const { outcome, message, notices = [], log, steps, next } = end;
    const told = TOLD_ENDINGS[what];
    expect(outcome).toBe(told?.outcome);
    expect([message, ...notices, log].join('\n')).toMatch(patternOf(told!.said));
    // No step runs after one that failed.
    if (steps?.[1]?.status === 'failed') expect(next).toBe('not-started');
    else expect(next).toBe(outcome);
  });

  it('which names every ending, and no other', () => {
    expect(Object.keys(TOLD_ENDINGS)).toEqual(Object.keys(ENDINGS));
  });
});
