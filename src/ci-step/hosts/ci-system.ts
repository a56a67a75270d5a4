import type { Writable } from 'node:stream';
import type { Environment } from '../../base/environment.ts';
import type { ArtifactUpload, CancelWindow, ConsoleLimits, Host } from '../host.ts';
import type { ConsoleTexts } from './console-text.ts';
import type { SettingTexts } from './engine-settings.ts';

/** A job of a CI system, from its variables. */
export interface CiJob {
  /** Tells the job from every other on the same machine, and a retry of it from the first try. */
  readonly id: string;
  /** A folder that lasts as long as the job; the user's temporary folder when absent. */
  readonly temporaryDirectory?: string | undefined;
  /** The checkout, where the record goes; the working directory when absent. */
  readonly checkoutDirectory?: string | undefined;
  readonly cancelWindow: CancelWindow;
  readonly consoleLimits?: ConsoleLimits;
  /** The names of the variables with the system's own credentials. */
  readonly credentials: readonly string[];
  /** Defaults of settings that differ from those of every CI job. */
  readonly defaults?: SettingTexts;
  /** Labels for each container or pod that a run makes. */
  readonly labels: Readonly<Record<string, string>>;
  /** Variables that the agent must not inherit, because the system would find and kill it by them. */
  readonly hidden?: readonly string[];
  /** The system sends SIGTERM to every process of a cancelled job, the agent included. */
  readonly signalsAgent?: boolean;
  /** In `finish` the agent is gone, as it ran in a container that ended with main. */
  readonly agentIsGone?: boolean;
  /** The system says that the job was cancelled. */
  readonly isCancelled?: boolean;
}

/** The process that a phase of `ci` runs in, and its folders. */
export interface CiStep extends Pick<Host, 'owner' | 'interrupted' | 'cancelled' | 'now' | 'steady'> {
  readonly environment: Environment;
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly workingDirectory: string;
  readonly job: CiJob;
  /** The checkout. */
  readonly checkoutDirectory: string;
  /** The folder for state and secrets, which this user alone can read. */
  readonly folder: string;
}

/** The parts of a host that differ between CI systems; a plain terminal has the others. */
export interface Dialect
  extends Partial<ConsoleTexts>,
    Partial<
      Pick<Host, 'group' | 'endGroup' | 'notice' | 'warning' | 'error' | 'addSummary' | 'identityToken'>
    > {
  /** Hides a secret in all later output of the job. */
  mask?(secret: string): void;
  /** Uploads the record. Returns its address, if it has one. Throws when the system refuses it. */
  upload?(upload: ArtifactUpload): Promise<void>;
  /** Delivers the outputs of the step. Throws when the system refuses them. */
  deliver?(outputs: ReadonlyMap<string, string>): Promise<void>;
}

/** A CI system, as the commands `ci` and `finish` know it. */
export interface CiSystem {
  /** Its name, for people. */
  readonly name: string;
  /** True in a job of this system. */
  detects(environment: Environment): boolean;
  job(environment: Environment): CiJob;
  dialect(step: CiStep): Dialect;
}
