import type { Engine } from '../engines/engine.ts';
import type { Owner } from '../record/schema.ts';

/** A shell's exit code for a program that SIGINT ended. */
export const CANCELLED_EXIT_CODE = 130;

export interface UploadedArtifact {
  readonly id: string;
  readonly url: string;
  readonly name: string;
}

export interface ArtifactUpload {
  readonly directory: string;
  /** Undefined: the host makes up a name that no other run has. */
  readonly name?: string | undefined;
  readonly deploymentId?: string | undefined;
  /** Undefined: the host's default. */
  readonly retentionDays?: number | undefined;
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** No other phase comes that could upload it when the signal aborts. */
  readonly last: boolean;
}

/**
 * A CI system as a step of its job sees it: this is what another one implements, in a folder of src/hosts. Texts come from
 * outside: the host makes sure that none of their lines is a command to it. A step has two phases, each a process: main, and post,
 * which comes after the last step of the CI job, however it ended.
 */
export interface Host {
  /** The process of this phase. */
  readonly owner: Owner;
  /** Aborts when the CI job is cancelled: the phase must be over within 2 s. */
  readonly cancelled: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The CI job's own temporary folder: what is in it stays until the job ends. */
  readonly temporaryDirectory: string;
  /** Milliseconds from a cancel to the CI job's end, whatever it still does, and to the end of a main that reacts to nothing. */
  readonly cancelWindow: { readonly jobMs: number; readonly mainMs: number };

  /** Address of this version's TROUBLESHOOTING.md; undefined where it isn't known. */
  readonly troubleshooting: string | undefined;

  /** Shows lines in the console. */
  info(text: string): void;
  /** Annotations of the run. The host adds its address to each entry of TROUBLESHOOTING.md that they name. */
  notice(text: string, title?: string): void;
  warning(text: string, title?: string): void;
  error(text: string, title?: string): void;
  /** An error that turns the step red. */
  fail(text: string): void;
  /** What is shown until `endGroup` can be folded away. */
  group(title: string): void;
  endGroup(): void;
  /** Shows lines of a program with their colours. Waits while the console's reader is slow, until `signal` aborts. */
  print(lines: readonly string[], signal: AbortSignal): Promise<void>;
  /** Hides a secret in all that the console shows from now on. */
  mask(secret: string): void;

  /** Sets an output of the step. Throws when the CI system takes none. */
  setOutput(name: string, value: string): void;
  /** Adds Markdown to the job's summary. Throws when the CI system takes none. */
  addSummary(markdown: string): Promise<void>;
  /** Uploads a directory. Never throws: what goes wrong is a warning, no artifact service a notice. Undefined when there is no artifact. */
  upload(upload: ArtifactUpload): Promise<UploadedArtifact | undefined>;

  /** Keeps a text for the post phase. Throws when the CI system takes none. */
  keep(name: string, text: string): void;
  /** What main kept under a name; empty for nothing. */
  kept(name: string): string;

  /** The CI job's ID token for an audience, masked. Throws OutcomeError `auth-error`, and the signal's reason when it aborts. */
  identityToken(audience: string, signal: AbortSignal): Promise<string>;
}

/** What of a run is published. */
export interface Publishing {
  readonly uploadArtifact: 'always' | 'on-failure' | 'never';
  readonly artifactName?: string;
  readonly artifactRetentionDays?: number;
}

/** What the inputs of a step say. */
export interface StepSettings extends Publishing {
  readonly engine: Engine;
  /** The audience to ask the CI job's ID token for; undefined when something else authenticates. */
  readonly idTokenAudience?: string;
  /** To be hidden in the console. */
  readonly secrets: readonly string[];
  /** Sentences for what was passed over in the configuration. */
  readonly warnings: readonly string[];
  readonly onNoWork: 'succeed' | 'warn' | 'fail';
  /** Checks the set-up instead of waiting for work. */
  readonly doctor: boolean;
}
