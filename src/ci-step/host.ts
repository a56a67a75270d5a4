import type { Outcome } from '../base/outcome.ts';
import type { Owner } from '../base/owner.ts';
import type { Identity } from '../base/stack.ts';

/** A request for the CI job's ID token. */
export interface TokenRequest {
  readonly audience: string;
  /** The setting of that name; GitHub's host reads it from the step's inputs and variables, for its other calls too. */
  readonly caCertificate?: string | undefined;
}

export interface UploadedArtifact {
  readonly id: string;
  readonly url: string;
  readonly name: string;
}

export interface ArtifactUpload {
  readonly directory: string;
  /** Undefined: the host picks a unique name, from the deployment's ID or names. */
  readonly name?: string | undefined;
  readonly deploymentId?: string | undefined;
  readonly identity?: Identity | undefined;
  /** Undefined: the host's default. */
  readonly retentionDays?: number | undefined;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** No later phase can upload it if the signal aborts. */
  readonly last: boolean;
}

/** The longest time that a comment takes. */
export const COMMENT_MS = 5_000;

/** A comment on the change, such as a pull request, that the CI job is for. */
export interface ChangeComment {
  /** A later comment on the same subject takes the place of this one. */
  readonly subject: string;
  readonly markdown: string;
  readonly signal: AbortSignal;
}

/** The time that a CI system gives a cancelled job, from the cancel. */
export interface CancelWindow {
  /**
   * `leave`: main passes the interrupt on and exits, and post does the rest. `stay`: main interrupts
   * the engine and does the rest itself, as post can come late or never.
   */
  readonly mode: 'leave' | 'stay';
  /** Until the CI system ends the job regardless; where main stays, until it ends main. */
  readonly jobMs: number;
  /** Until it kills a main that does not react. */
  readonly mainMs: number;
}

/** Bytes that the console of a CI job can take; the run directory has all of them. */
export interface ConsoleLimits {
  readonly stepBytes: number;
  readonly runBytes: number;
}

/** The usual limits: nobody can open a CI log of hundreds of megabytes. */
export const CONSOLE_LIMITS: ConsoleLimits = { stepBytes: 10 * 1024 * 1024, runBytes: 64 * 1024 * 1024 };

/** The process that a phase of the step runs in. */
export interface PhaseProcess {
  readonly owner: Owner;
  /**
   * Aborts when the phase must be over within 2 s: with `interrupted` of its host where main leaves,
   * on a second signal where it stays.
   */
  readonly cancelled: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Monotonic milliseconds that both phases count alike: the clock can be set between them. */
  readonly steady: () => number;
}

/**
 * A CI system as a step of its job sees it. Another CI system implements this in a folder of hosts/.
 * Texts can be untrusted: the host makes sure that none of their lines is a command to it. A step
 * has two phases, each its own process: main, and post, which runs after the last step of the CI
 * job, however that ended.
 */
export interface Host extends PhaseProcess {
  /** Aborts when the CI job is cancelled. */
  readonly interrupted: AbortSignal;
  readonly cancelWindow: CancelWindow;
  readonly consoleLimits: ConsoleLimits;

  /** Address of this version's TROUBLESHOOTING.md, if known. */
  readonly troubleshooting: string | undefined;

  /** The run directory stays when the job is over, where people can find it. */
  readonly keepsRecord: boolean;

  /** What users call post, as a sentence's subject. */
  readonly postName: string;

  /** The job's summary draws charts in Mermaid's language. */
  readonly mermaid: boolean;

  /** Shows lines in the console. */
  info(text: string): void;

  /**
   * Annotations of the run, outside of groups. The host adds the address of each entry of
   * TROUBLESHOOTING.md that they name.
   */
  notice(text: string, title?: string): void;
  warning(text: string, title?: string): void;
  error(text: string, title?: string): void;
  /** An error that turns the step red. */
  fail(text: string): void;
  /** Starts a group that can be folded, until `endGroup`; nothing if it is the open one. */
  group(title: string): void;
  endGroup(): void;
  /**
   * Shows a program's lines in colour. Waits for a slow reader of the console, until `signal`
   * aborts.
   */
  print(lines: readonly string[], signal: AbortSignal): Promise<void>;

  /** Hides a secret in all later console output. */
  mask(secret: string): void;

  /** The step's exit code for an outcome that turns it red or not. */
  exitCode(outcome: Outcome, isRed: boolean): number;

  /** A job's text without commands to the CI system, for an output that later steps print. */
  consoleText(text: string): string;
  /** Sets an output of the step. Throws if the CI system does not accept it. */
  setOutput(name: string, value: string): void;
  /** Adds Markdown to the job's summary. Throws if the CI system does not accept it. */
  addSummary(markdown: string): Promise<void>;

  /**
   * Comments on the change that the CI job is for, within `COMMENT_MS`; absent unless asked for.
   * Never throws: a failure is a warning.
   */
  readonly comment?: ((comment: ChangeComment) => Promise<void>) | undefined;

  /**
   * Uploads a directory. Never throws: a failure (warning) or missing artifact service (notice)
   * returns undefined.
   */
  upload(upload: ArtifactUpload): Promise<UploadedArtifact | undefined>;

  /** Saves a text for the post phase. Throws if the CI system does not accept it. */
  saveText(name: string, text: string): void;
  /** The text that main saved under a name; empty if none. */
  savedText(name: string): string;

  /**
   * Delivers the host's values at the end of a phase, such as outputs. Where `isOver`, no later
   * phase needs the saved texts. Never throws: a failure is a warning.
   */
  close(isOver: boolean): Promise<void>;

  /**
   * The CI job's ID token, masked. Throws OutcomeError `auth-error`, or the signal's reason.
   */
  requestIdToken(request: TokenRequest, signal: AbortSignal): Promise<string>;
}
