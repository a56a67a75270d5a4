import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  ContainerLostError,
  type ContainerSpec,
  type Executor,
  type JobContainer,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StepSpec,
  type StopSignal,
} from '../../../src/executor/executor.ts';

const NUMBERS: Record<StopSignal, number> = { SIGINT: 2, SIGTERM: 15, SIGKILL: 9 };

export interface ProcessExecutorOptions {
  /** Stands in for the container's file system, which holds the job's files; `remove` deletes it. */
  readonly root: string;
  /** Called before the container is made; may wait, throw, or both. */
  readonly onPrepare?: (signal: AbortSignal) => Promise<void>;
  readonly onRemove?: () => Promise<void>;
  /** The memory that the container reports, in bytes. */
  readonly memory?: () => number;
}

/** Runs a job's steps as processes on this machine, each in its own process group. */
export class ProcessExecutor implements Executor {
  readonly name = 'process';
  readonly #options: ProcessExecutorOptions;
  /** The specs passed to `prepare`. */
  readonly specs: ContainerSpec[] = [];
  readonly containers: ProcessContainer[] = [];

  constructor(options: ProcessExecutorOptions) {
    this.#options = options;
  }

  check(_: AbortSignal): Promise<string> {
    return Promise.resolve('Processes of this machine.');
  }

  async probe(): Promise<void> {}

  async prepare(
    spec: ContainerSpec,
    progress: (line: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<JobContainer> {
    this.specs.push(spec);
    await progress(`Pulling ${spec.image}`);
    await this.#options.onPrepare?.(signal);
    signal.throwIfAborted();
    const container = new ProcessContainer(this.#options, spec);
    await container.make();
    this.containers.push(container);
    await progress('Container started');
    return container;
  }

  sweep(): Promise<string[]> {
    return Promise.resolve([]);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

export class ProcessContainer implements JobContainer {
  readonly id = 'process';
  readonly imageDigest: string;
  readonly confinement = {};
  readonly warnings = [];
  readonly #options: ProcessExecutorOptions;
  readonly #spec: ContainerSpec;
  readonly #steps = new Set<ProcessStep>();
  readonly specs: StepSpec[] = [];
  /** Every signal sent to a step. */
  readonly signals: StopSignal[] = [];
  removals = 0;

  constructor(options: ProcessExecutorOptions, spec: ContainerSpec) {
    this.#options = options;
    this.#spec = spec;
    this.imageDigest = `${spec.image}@sha256:0`;
  }

  async make(): Promise<void> {
    for (const { path, mode, content } of this.#spec.files) {
      const file = this.inside(path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, content);
      await chmod(file, mode);
    }
  }

  /** Where a path in the container is on this machine. */
  inside(path: string): string {
    return path.startsWith(this.#options.root) ? path : join(this.#options.root, path);
  }

  async start(spec: StepSpec, output: OutputSink, signal: AbortSignal): Promise<StepProcess> {
    signal.throwIfAborted();
    this.specs.push(spec);
    const child = spawn(spec.shell, ['-c', 'exec "$0" -c "$1" 2>&1', spec.shell, spec.script], {
      cwd: spec.workingDirectory ?? this.#options.root,
      env: { PATH: process.env['PATH'], ...spec.environment },
      detached: true,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await Promise.race([once(child, 'spawn'), once(child, 'error').then(([error]) => Promise.reject(error))]);
    const step = new ProcessStep(child, output, this.signals);
    this.#steps.add(step);
    return step;
  }

  get environmentFile(): string {
    return this.#spec.environmentFile;
  }

  async readEnvironmentFile(): Promise<string> {
    const text = await readFile(this.inside(this.#spec.environmentFile), 'utf8');
    if (text.length > 1024 * 1024) throw new Error('the environment file is over 1 MiB');
    return text;
  }

  memory(): Promise<number | undefined> {
    return Promise.resolve(this.#options.memory?.());
  }

  async remove(): Promise<void> {
    this.removals += 1;
    for (const step of this.#steps) step.lose();
    await rm(this.#options.root, { recursive: true, force: true });
    await this.#options.onRemove?.();
  }

  /** Takes the container away under its running step. */
  vanish(): void {
    for (const step of this.#steps) step.lose();
  }
}

class ProcessStep implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #child: ChildProcess;
  readonly #sent: StopSignal[];
  readonly #lost = Promise.withResolvers<never>();
  #ended = false;

  constructor(child: ChildProcess, output: OutputSink, sent: StopSignal[]) {
    this.#child = child;
    this.#sent = sent;
    this.exit = Promise.race([this.#run(output), this.#lost.promise]);
    this.exit.catch(() => undefined);
  }

  async #run(output: OutputSink): Promise<StepExit> {
    const exited = once(this.#child, 'exit');
    for await (const chunk of this.#child.stdout ?? []) await output(chunk as Buffer);
    const [code, signal] = (await exited) as [number | null, StopSignal | null];
    this.#ended = true;
    return { code: code ?? 128 + (signal === null ? 0 : NUMBERS[signal]), outOfMemory: false };
  }

  signal(name: StopSignal): Promise<void> {
    this.#sent.push(name);
    this.#kill(name);
    return Promise.resolve();
  }

  lose(): void {
    if (this.#ended) return;
    this.#kill('SIGKILL');
    this.#lost.reject(
      new ContainerLostError('The container went away while the step ran. Start the deployment again.', {
        code: 'PRA-CONTAINER-05',
      }),
    );
  }

  #kill(name: StopSignal): void {
    if (this.#child.pid === undefined || this.#ended) return;
    try {
      process.kill(-this.#child.pid, name);
    } catch {
      // The whole group has ended.
    }
  }
}
