import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import {
  createDockerExecutor,
  type DockerExecutorOptions,
} from '../../../src/executor/docker/docker-executor.ts';
import {
  type ContainerSpec,
  type Executor,
  ExecutorUnavailableError,
  type JobContainer,
  type StepExit,
  type StepProcess,
  type StepSpec,
} from '../../../src/executor/executor.ts';
import { type EngineProxyOptions, startEngineProxy } from './engine-proxy.ts';
import { deriveImage, docker, JOB_IMAGE, makeImages, removeImage } from './images.ts';

export const NEVER = new AbortController().signal;

/** A Docker engine that is not this machine's; `docker` is first called when the tests begin. */
interface OtherEngine {
  readonly environment: Readonly<Record<string, string>>;
  docker(): Docker;
}

/** What a test file needs from Docker, cleaned up after each test; containers carry `labels`. Call it at the top. */
export function workbench(other?: OtherEngine) {
  const engine = () => other?.docker() ?? docker;
  const labels = { 'pulumi-runner-test.bench': randomBytes(8).toString('hex') };
  const logged: string[] = [];
  const targets: Executor[] = [];
  const images: string[] = [];
  const newExecutor = (options: Partial<DockerExecutorOptions> = {}): Executor => {
    const made = createDockerExecutor({
      environment: other?.environment ?? process.env,
      logger: (level, message) => logged.push(`${level} ${message}`),
      pullRetryMs: 20,
      ...options,
    });
    targets.push(made);
    return made;
  };
  const target = newExecutor();
  const filters = { label: Object.entries(labels).map(([key, value]) => `${key}=${value}`) };
  const spec = (overrides: Partial<ContainerSpec> = {}): ContainerSpec => ({
    image: JOB_IMAGE,
    pull: false,
    labels,
    files: [{ path: '/PULUMI_ENV', mode: 0o600, content: '' }],
    environmentFile: '/PULUMI_ENV',
    ...overrides,
  });
  /** Removes the image when the file's tests are over. */
  const keepImage = (name: string) => {
    images.push(name);
    return name;
  };
  beforeAll(makeImages);
  afterEach(async () => {
    logged.length = 0;
    await target.sweep(labels, NEVER);
  });
  afterAll(async () => {
    for (const made of targets) await made.close();
    for (const image of images) await removeImage(image);
  });
  return {
    labels,
    target,
    /** What the executors logged in the current test. */
    logged,
    newExecutor,
    /** A proxy in front of the Docker engine, and an executor that goes through it. */
    behindProxy: async (options?: EngineProxyOptions, more: Partial<DockerExecutorOptions> = {}) => {
      const proxy = await startEngineProxy(options);
      return { proxy, target: newExecutor({ environment: { DOCKER_HOST: proxy.url }, ...more }) };
    },
    /** Why no job can run on the Docker engine that these variables name. */
    refusal: async (environment: Readonly<Record<string, string>>): Promise<string> => {
      const error: unknown = await newExecutor({ environment })
        .check(NEVER)
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ExecutorUnavailableError);
      return (error as Error).message;
    },
    spec,
    /** Prepares a container; adds step 0's output to `lines`. */
    prepare: (
      overrides?: Partial<ContainerSpec>,
      from = target,
      lines: string[] = [],
    ): Promise<JobContainer> => from.prepare(spec(overrides), async (line) => void lines.push(line), NEVER),
    /** IDs of the containers that carry the labels, running or not. */
    containers: async () => (await engine().listContainers({ all: true, filters })).map(({ Id }) => Id),
    /** IDs of the networks that carry the labels. */
    networks: async () => (await engine().listNetworks({ filters })).map(({ Id }) => Id),
    keepImage,
    /** An image derived from `base`, until the file's tests are over; `base` itself if nothing changes. */
    derive: async (base: string, { script, changes = [] }: Parameters<typeof deriveImage>[1]) =>
      script === undefined && changes.length === 0
        ? base
        : keepImage(await deriveImage(base, { script, changes })),
  };
}

/** A step and what it has written so far. */
export interface RunningStep extends StepProcess {
  readonly output: () => string;
  /** Resolves when the output holds `text`. */
  shows(text: string): Promise<void>;
}

export async function begin(
  container: JobContainer,
  script: string,
  step: Partial<StepSpec> = {},
): Promise<RunningStep> {
  const chunks: Buffer[] = [];
  const output = () => Buffer.concat(chunks).toString('utf8');
  const started = await container.start(
    { shell: 'bash', script, environment: {}, ...step },
    (chunk) => void chunks.push(Buffer.from(chunk)),
    NEVER,
  );
  let isRunning = true;
  const over = () => {
    isRunning = false;
  };
  started.exit.then(over, over);
  return {
    exit: started.exit,
    signal: (name) => started.signal(name),
    output,
    shows: async (text) => {
      while (!output().includes(text)) {
        if (!isRunning)
          throw new Error(`the step ended without "${text}": ${output()}`, { cause: await started.exit });
        await sleep(10);
      }
    },
  };
}

/** Runs a step to its end. */
export async function run(
  container: JobContainer,
  script: string,
  step: Partial<StepSpec> = {},
): Promise<StepExit & { output: string }> {
  const running = await begin(container, script, step);
  const exit = await running.exit;
  return { ...exit, output: running.output() };
}

/** Resolves when the Docker engine no longer knows the container. */
export async function isGone(id: string): Promise<void> {
  for (;;) {
    try {
      await docker.getContainer(id).inspect();
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode === 404) return;
      throw error;
    }
    await sleep(20);
  }
}
