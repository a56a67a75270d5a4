import { OutcomeError, type OutcomeErrorOptions } from '../outcome.ts';

/** A file that is put into the job's container before any step runs there. It belongs to the image's own user. */
export interface ContainerFile {
  /** Absolute path inside the container. Missing folders are made. */
  readonly path: string;
  readonly mode: number;
  readonly content: string;
}

/** Which images may run. Asked before anything is asked of a registry, and before a container is made. */
export interface ImagePolicy {
  /** Returns the image's name in full: a short one may mean something else to the engine. Throws ImageError for an image that may not run. */
  check(image: string): string;
}

/** A volume that stays when its job goes, and that the next job gets. */
export interface CacheVolume {
  readonly name: string;
  /** Absolute path inside the container. */
  readonly path: string;
  /** Whose it is: a volume that carries another pool's label, or none, is never mounted. */
  readonly pool: string;
}

/** What the agent's settings say of every job's container. */
export interface ContainerSettings {
  /** Any image may run when absent. */
  readonly policy?: ImagePolicy;
  readonly cache?: CacheVolume;
}

/** What an executor needs to make the one container of one job. */
export interface ContainerSpec extends ContainerSettings {
  readonly image: string;
  /** Registry credentials that came with the job. */
  readonly credentials?: { readonly username: string; readonly password: string };
  /** `os/architecture`, as in `linux/amd64`. */
  readonly platform?: string;
  /** False: the image must be there already. */
  readonly pull: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly files: readonly ContainerFile[];
  /** The file whose changes the steps hand to each other (`PULUMI_ENV`, protocol section 4). */
  readonly environmentFile: string;
}

/** One step's process: `<shell> -c <script>`. */
export interface StepSpec {
  readonly shell: string;
  readonly script: string;
  readonly workingDirectory?: string;
  readonly environment: Readonly<Record<string, string>>;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** How a step's process ended. */
export interface StepExit {
  /** The process's exit code; 128 + n after signal n. */
  readonly code: number;
  /** The container's kernel limit killed something in this step. */
  readonly outOfMemory: boolean;
  /** What interrupted the step from outside, though the agent did not, and what to do. */
  readonly interruption?: string;
}

/** A step's process while it runs. */
export interface StepProcess {
  /** Resolves when the process has ended and all its output was handed to the sink. Throws ContainerLostError when the container went away. */
  readonly exit: Promise<StepExit>;
  /**
   * Signals the whole process group of the step, if it runs. Resolves when the signal has arrived, from when on its grace period counts,
   * or where an engine has hung for so long that harsher ones should follow.
   */
  signal(name: StopSignal): Promise<void>;
}

/** Takes a step's bytes in order. The executor reads no further until the promise resolves: that is the back-pressure. */
export type OutputSink = (chunk: Buffer) => Promise<void> | void;

/** The running container of one job. */
export interface JobContainer {
  readonly id: string;
  /** What really runs: `name@sha256:…`, or the image's ID where the engine knows no digest. */
  readonly imageDigest: string;
  start(step: StepSpec, output: OutputSink, signal: AbortSignal): Promise<StepProcess>;
  /** The environment file's text, empty when it is missing; throws when it is over 1 MiB. */
  readEnvironmentFile(signal: AbortSignal): Promise<string>;
  /** Bytes of its working set, as a kubelet counts: memory that the kernel can't take back at once. Undefined where that isn't told. Throws while the place is away. */
  memory(signal: AbortSignal): Promise<number | undefined>;
  /** Ends and removes the container and everything made for it. Idempotent; rejects only when something is still there. */
  remove(): Promise<void>;
}

/** What a sweep takes, and how patient it is. */
export interface SweepOptions {
  /** Takes an object by its labels; all that are found are taken when absent. */
  readonly only?: (labels: Readonly<Record<string, string>>) => boolean;
  /** Milliseconds that what runs gets to end by itself, as it does when its agent is gone; none when absent. */
  readonly graceMs?: number;
  /** Ends that grace when it aborts: what still runs then, and was not told to end, is left alone. */
  readonly hurry?: AbortSignal;
}

/** A sweep, and the time that each removal has in which nothing runs. */
export interface SweepLimits extends SweepOptions {
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** What this account may do with one kind of object, where jobs run. */
export interface Permission {
  /** As in `pods/exec`. */
  readonly resource: string;
  /** Verbs without which no job runs. */
  readonly needed: readonly string[];
  /** Verbs without which something less works. */
  readonly useful: readonly string[];
  /** What becomes of it without them, as a clause. */
  readonly purpose: string;
  /** Which of the verbs are refused, and the sentence that says what to do, without its full stop. Throws what the place answers instead. */
  review(signal: AbortSignal): Promise<{ readonly refused: readonly string[]; readonly remedy: string }>;
}

/** Takes what isn't an error. */
export type Logger = (level: 'debug' | 'info' | 'warning', message: string) => void;

/** Where jobs run. */
export interface Executor {
  readonly name: string;
  /** Proves that jobs can run here. Throws ExecutorUnavailableError. Returns one line that names the engine. */
  check(signal: AbortSignal): Promise<string>;
  /** What jobs take of the account there. Optional, for places that grant each thing by itself. */
  permissions?(): readonly Permission[];
  /** Pulls an image ahead of the job that may want it. Returns one line that names what is there. Optional. Throws as `prepare` does. */
  prepull?(image: string, policy: ImagePolicy | undefined, signal: AbortSignal): Promise<string>;
  /** Pulls the image, makes and starts the container; each line of progress goes to step 0's log. Leaves nothing on failure. */
  prepare(spec: ContainerSpec, progress: (line: string) => Promise<void>, signal: AbortSignal): Promise<JobContainer>;
  /** Removes every object that carries all of `labels`. Returns one line per object that is removed, or is asked to end and hasn't yet. */
  sweep(labels: Readonly<Record<string, string>>, signal: AbortSignal, options?: SweepOptions): Promise<string[]>;
  /** Removes what only a dead owner leaves. Optional, for places where an owner's process can't be checked. Returns one line per object removed. */
  sweepAbandoned?(signal: AbortSignal): Promise<string[]>;
  /** The folder of this machine where images and containers are kept; undefined where it can't be seen from here. Optional. */
  dataDirectory?(signal: AbortSignal): Promise<string | undefined>;
  /** Frees connections. */
  close(): Promise<void>;
}

/** The place for jobs could not be used. */
class TargetError extends OutcomeError {
  constructor(message: string, options: OutcomeErrorOptions) {
    super('target-error', message, options);
  }
}

/** The engine isn't there, or refuses us. */
export class ExecutorUnavailableError extends TargetError {
  override readonly name = 'ExecutorUnavailableError';
}

/** The image can't be had. */
export class ImageError extends TargetError {
  override readonly name: string = 'ImageError';
}

/** The container could not be made or started. */
export class ContainerError extends TargetError {
  override readonly name = 'ContainerError';
}

/** The container went away under a running step. */
export class ContainerLostError extends OutcomeError {
  override readonly name = 'ContainerLostError';
  /** Why, and what to do, for a sentence that says itself what failed. */
  readonly reason: string | undefined;
  constructor(message: string, options: OutcomeErrorOptions & { readonly reason?: string }) {
    super('failed', message, options);
    this.reason = options.reason;
  }
}
