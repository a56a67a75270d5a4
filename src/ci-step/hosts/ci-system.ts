import type { Writable } from 'node:stream';
import type { Environment } from '../../base/environment.ts';
import type { ArtifactUpload, CancelWindow, ConsoleLimits, Host, PhaseProcess } from '../host.ts';
import type { SettingTexts } from '../settings.ts';
import type { ConsoleTexts } from './console-text.ts';

/** A CI system, as the commands `ci` and `finish` know it. */
export interface CiSystem {
  /** Its name, for people. */
  readonly name: string;
  /** True in a job of this system. */
  detects(environment: Environment): boolean;
  job(environment: Environment): CiJob;
  dialect(phase: CiPhase): Dialect;
}

/** The facts that a CI system states of its job, in variables. */
export interface CiJob {
  /** Tells the job from every other on the same machine, and a retry of it from the first try. */
  readonly id: string;
  /** A folder that lasts as long as the job; the user's temporary folder when absent. */
  readonly temporaryDirectory?: string | undefined;
  /** The checkout, where the record goes; the working directory when absent. */
  readonly checkoutDirectory?: string | undefined;
  readonly cancelWindow: CancelWindow;
  readonly consoleLimits?: ConsoleLimits | undefined;
  /** The names of the variables with the system's own credentials. */
  readonly credentials: readonly string[];
  /** Defaults of settings that differ from those of every CI job. */
  readonly defaults?: SettingTexts | undefined;
  /** Labels for each container or pod that a run makes. */
  readonly labels: Readonly<Record<string, string>>;
  /** Variables by which the system would find and kill the agent, which must not inherit them. */
  readonly trackingVariables?: readonly string[] | undefined;
  /** The system sends SIGTERM to every process of a cancelled job, the agent included. */
  readonly signalsAgent?: boolean | undefined;
  /** In `finish` the agent is gone, as it ran in a container that ended with main. */
  readonly agentIsGone?: boolean | undefined;
  /** The system says that the job was cancelled. */
  readonly isCancelled?: boolean | undefined;
}

/** A phase of a CI job's step: the process of `ci` or `finish`, its job and its directories. */
export interface CiPhase extends PhaseProcess {
  readonly interrupted: AbortSignal;
  readonly environment: Environment;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly workingDirectory: string;
  readonly job: CiJob;
  readonly checkoutDirectory: string;
  /** For state and secrets: this user alone can read it. */
  readonly stateDirectory: string;
}

/** The parts of a host that differ between CI systems; `terminalHost` has the others. */
export interface Dialect {
  readonly consoleLine?: ConsoleTexts['consoleLine'];
  readonly consoleText?: ConsoleTexts['consoleText'];
  readonly group?: Host['group'];
  readonly endGroup?: Host['endGroup'];
  readonly notice?: Host['notice'];
  readonly warning?: Host['warning'];
  readonly error?: Host['error'];
  readonly addSummary?: Host['addSummary'];
  /** Undefined where the job has no ID token. */
  readonly requestIdToken?: Host['requestIdToken'] | undefined;
  /** Hides a secret in all later output of the job. */
  mask?(secret: string): void;
  /** Uploads the record. Throws when the system refuses it. */
  upload?(upload: ArtifactUpload): Promise<void>;
  /** Delivers the outputs of the step. Throws when the system refuses them. */
  deliver?(outputs: ReadonlyMap<string, string>): Promise<void>;
}
