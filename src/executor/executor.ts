/**
 * The executor: the place where jobs run, an engine's containers or a cluster's pods, behind one interface.
 *
 * This file has the interface. targets.ts finds the executor of a `deploy_target`, and trial.ts shows that jobs can run.
 * docker/: read docker-executor.ts, container/prepare.ts (its stages), container/container.ts, step/step.ts.
 * kubernetes/: read kubernetes-executor.ts, pod/prepare.ts, pod/pod-container.ts, step/step.ts; cluster.ts calls the API
 * server, and exec/ enters pods.
 * container/: the shell that runs inside both; its picture is in library.sh.
 * The rest is for both, which don't import each other: images' names, policy and pulls, owners' labels, foreign texts.
 */
import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
import { OutcomeError, type OutcomeErrorOptions } from '../base/outcome.ts';
import type { Confinement, Place } from '../record/schema.ts';

/** A file put into the job's container before its first step. It belongs to the image's user. */
export interface ContainerFile {
  /** Absolute path inside the container. Missing folders are created. */
  readonly path: string;
  readonly mode: number;
  readonly content: string;
  /** True if the deployment named the path. */
  readonly isNamed?: boolean | undefined;
}

/**
 * Decides whether an image may run, before any registry is contacted and before a container is
 * created. Returns the full name: the engine can read a short one differently. Throws ImageError if
 * the image may not run.
 */
export type ImagePolicy = (image: string) => string;

/** A volume that outlives its job and is mounted again for the next one. */
export interface CacheVolume {
  readonly name: string;
  /** Absolute path inside the container. */
  readonly path: string;

  /**
   * The pool it belongs to: a volume with another pool's label, or without one, is never mounted.
   */
  readonly pool: string;
}

/** The agent's settings for every job's container. */
export interface ContainerSettings {
  /** Any image may run when absent. */
  readonly policy?: ImagePolicy | undefined;
  readonly cache?: CacheVolume | undefined;
}

/** An image, and how to obtain it. */
export interface ImageSpec {
  readonly image: string;
  /** Registry credentials that came with the job. */
  readonly credentials?: { readonly username: string; readonly password: string } | undefined;
  /** `os/architecture`, as in `linux/amd64`. */
  readonly platform?: string | undefined;
  /** If false, the image must be there already. */
  readonly pull: boolean;
  /** Any image may run when absent. */
  readonly policy?: ImagePolicy | undefined;
}

/** The specification of a job's only container. */
export interface ContainerSpec extends ImageSpec, ContainerSettings {
  /** From now until the agent stops the job; unlimited if absent. */
  readonly timeoutMs?: number | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly files: readonly ContainerFile[];
  /** The file in which steps pass variables to later steps (`PULUMI_ENV`, protocol section 4). */
  readonly environmentFile: string;
}

/** One step's process: `<shell> -c <script>`. */
export interface StepSpec {
  readonly shell: string;
  readonly script: string;
  readonly workingDirectory?: string | undefined;
  readonly environment: Readonly<Record<string, string>>;
}

export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

export interface StepExit {
  /** The process's exit code; 128 + n after signal n. */
  readonly code: number;
  /** True if the container's memory limit killed a process during this step. */
  readonly outOfMemory: boolean;
  /** The cause of the interrupt, if it wasn't the agent, and the remedy. */
  readonly interruption?: string | undefined;
  /** What is missing of its output, and why, as sentences for the user. */
  readonly lostOutput?: string | undefined;
}

export interface StepProcess {
  /**
   * Resolves once the process has ended and all its output was delivered to the sink. Throws
   * ContainerLostError.
   */
  readonly exit: Promise<StepExit>;

  /**
   * Signals the step's whole process group, if it runs. Resolves when the signal has arrived, which
   * starts its grace period, or when the engine has hung for so long that a harsher signal should
   * follow.
   */
  signal(name: StopSignal): Promise<void>;
}

/**
 * Receives a step's bytes in order. The executor reads on once the promise resolves: that is the
 * back-pressure.
 */
export type OutputSink = (chunk: Buffer) => Promise<void> | void;

export interface ConfinementReport {
  readonly confinement: Confinement;
  /** Sentences on each claim of docs/isolation.md that doesn't hold, beyond those that settings loosen. */
  readonly warnings: readonly string[];
}

/** The running container of one job. */
export interface JobContainer extends ConfinementReport {
  readonly id: string;
  /** The image that runs: `name@sha256:…`, or the image's ID if the engine knows no digest. */
  readonly imageDigest: string;
  /** The path of the environment file, which can differ from the requested one. */
  readonly environmentFile: string;
  start(step: StepSpec, output: OutputSink, signal: AbortSignal): Promise<StepProcess>;
  /** The environment file's text; empty if it is missing. Throws if it is over 1 MiB. */
  readEnvironmentFile(signal: AbortSignal): Promise<string>;

  /**
   * Bytes of its working set, as a kubelet counts it: memory that the kernel can't reclaim at once.
   * Undefined where that is unknown. Throws while the engine can't be reached.
   */
  memory(signal: AbortSignal): Promise<number | undefined>;

  /**
   * Ends and removes the container and everything made for it. Idempotent; rejects only if
   * something is left.
   */
  remove(): Promise<void>;
}

/** The labels that an object must have; undefined stands for any value. */
export type Selection = Readonly<Record<string, string | undefined>>;

/** The objects that a sweep removes, and the time that it waits. */
export interface SweepOptions {
  /** True for the labels of an object to remove; when absent, every object found is removed. */
  readonly only?: ((labels: Readonly<Record<string, string>>) => boolean) | undefined;

  /** Time for running containers to end by themselves, as they do without their agent; 0 when absent. */
  readonly graceMs?: number | undefined;

  /** True if a container that runs after that grace is left to end by itself: it was too short. */
  readonly leavesRunning?: boolean | undefined;

  /**
   * Aborts to end that grace: a container that still runs then, and was not asked to end, is left
   * alone.
   */
  readonly skipGrace?: AbortSignal | undefined;
}

/** The verbs that jobs need for one kind of object in the place where they run. */
export interface Access {
  /** For example `pods/exec`. */
  readonly resource: string;
  /** Verbs without which no job runs. */
  readonly needed: readonly string[];
  /** Verbs without which jobs still run, but something else fails. */
  readonly useful: readonly string[];
  /** The consequence of lacking those, as a clause. */
  readonly purpose: string;
}

/** This account's permissions for one kind of object. */
export interface Permission extends Access {
  /**
   * Returns the refused verbs and the remedy: a sentence without its full stop. Throws if the place
   * doesn't answer.
   */
  review(signal: AbortSignal): Promise<{ readonly refused: readonly string[]; readonly remedy: string }>;
}

/** Logs anything but errors. */
export type Logger = (level: 'debug' | 'info' | 'warning', message: string) => void;

/** Time for the place where jobs run to answer a probe. */
export const PROBE_MS = 5_000;

export interface Executor {
  readonly name: string;
  /**
   * Proves that jobs can run here. Throws ExecutorUnavailableError. Returns one line that names the
   * engine.
   */
  check(signal: AbortSignal): Promise<string>;

  /**
   * Asks cheaply whether it still answers and lets us in, for at most PROBE_MS. Throws
   * ExecutorUnavailableError.
   */
  probe(signal: AbortSignal): Promise<void>;

  /** The permissions that jobs need. Optional, for places that grant each one separately. */
  permissions?(): readonly Permission[];

  /**
   * Pulls an image ahead of the job that can need it. Returns one line that names it. Throws as
   * `prepare` does.
   */
  prepull?(image: string, policy: ImagePolicy | undefined, signal: AbortSignal): Promise<string>;

  /**
   * Pulls the image and starts the container; progress goes to step 0's log. Leaves nothing behind
   * on failure.
   */
  prepare(
    spec: ContainerSpec,
    progress: (line: string) => Promise<void>,
    signal: AbortSignal,
  ): Promise<JobContainer>;

  /**
   * Removes every object with all of `labels`. Returns a line per object removed, or asked to end
   * and still there.
   */
  sweep(labels: Selection, signal: AbortSignal, options?: SweepOptions): Promise<string[]>;

  /**
   * Removes the remains of dead owners whose processes can't be checked. Returns one line per
   * object removed.
   */
  sweepAbandoned?(signal: AbortSignal): Promise<string[]>;

  /**
   * The confinement that the place reports, and the warnings that a job's container would have.
   * Optional.
   */
  confinement?(signal: AbortSignal): Promise<ConfinementReport>;

  /**
   * The folder on this machine that holds images and containers; undefined if they are elsewhere.
   * Optional.
   */
  dataDirectory?(signal: AbortSignal): Promise<string | undefined>;

  /**
   * The routes of this machine that the configured addresses of jobs' networks overlap, as
   * `10.0.0.0/8 (eth0)`; undefined if they can't be seen. Optional.
   */
  readonly overlappedRoutes?: ((signal: AbortSignal) => Promise<readonly string[] | undefined>) | undefined;
  close(): Promise<void>;
}

/** The agent's surroundings in which an executor works. */
export interface ExecutorSources {
  /** The agent's own environment, for the variables that the place's own programs read. */
  readonly environment: Environment;
  readonly logger?: Logger | undefined;
  /** Added to every object that is created. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Called with every secret that the executor finds by itself. */
  readonly onSecret?: ((secret: string) => void) | undefined;
}

export type DeployTarget = AgentConfig['deployTarget'];

/** The place of jobs, for one `deploy_target`. */
export type PlaceAt<T extends DeployTarget> = Extract<Place, { readonly target: T }>;

/** How the executors of one `deploy_target` are made: for jobs, and for a later sweep. */
export interface ExecutorFactory<T extends DeployTarget> {
  /** An executor for the place that the configuration describes. */
  create(config: AgentConfig, sources: ExecutorSources): Executor;
  /** How a later sweep finds that place. Throws if that is unknown. */
  place(config: AgentConfig, environment: Environment): Promise<PlaceAt<T>>;

  /**
   * An executor to sweep `place`. Throws ExecutorUnavailableError if its configuration leads
   * elsewhere or nowhere.
   */
  at(place: PlaceAt<T>, sources: ExecutorSources): Promise<Executor>;
}

interface TargetErrorOptions extends OutcomeErrorOptions {
  /** See TargetError. */
  readonly mayPass?: boolean;
}

export class TargetError extends OutcomeError {
  /**
   * True if the same preparation can succeed a little later: the place didn't answer, or another
   * program removed the objects. False for a refusal of a place or a registry.
   */
  readonly mayPass: boolean;

  constructor(message: string, { mayPass = false, ...options }: TargetErrorOptions) {
    super('target-error', message, options);
    this.mayPass = mayPass;
  }
}

/** The engine isn't there, or refuses us: `mayPass` unless that is final. */
export class ExecutorUnavailableError extends TargetError {
  override readonly name = 'ExecutorUnavailableError';
  /** True for the signs of an engine that can still be starting. */
  readonly mayBeStarting: boolean;

  constructor(
    message: string,
    options: TargetErrorOptions & { readonly mayBeStarting?: boolean | undefined },
  ) {
    super(message, { fault: 'executor', mayPass: true, ...options });
    this.mayBeStarting = options.mayBeStarting ?? false;
  }
}

export class ImageError extends TargetError {
  override readonly name: string = 'ImageError';
}

/** The container could not be created or started: the executor's fault unless `fault` says otherwise. */
export class ContainerError extends TargetError {
  override readonly name = 'ContainerError';

  constructor(message: string, options: TargetErrorOptions) {
    super(message, { fault: 'executor', ...options });
  }
}

/** The container went away under a running step. */
export class ContainerLostError extends OutcomeError {
  override readonly name = 'ContainerLostError';
  /** The reason and the remedy: for sentences that already name the failure. */
  readonly reason: string | undefined;

  constructor(message: string, options: OutcomeErrorOptions & { readonly reason?: string | undefined }) {
    super('failed', message, options);
    this.reason = options.reason;
  }
}
