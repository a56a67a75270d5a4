import { z } from 'zod';
import type { Engine } from '../engines/engine.ts';
import type { Owner } from '../owner.ts';
import type { Identity } from '../stack.ts';
import type { TokenFile } from './token-file.ts';

/** A shell's exit code for a program killed by SIGINT. */
export const CANCELLED_EXIT_CODE = 130;

export const uploadedArtifactSchema = z.object({ id: z.string(), url: z.string(), name: z.string() });

export type UploadedArtifact = Readonly<z.infer<typeof uploadedArtifactSchema>>;

/** The facts that an artifact is named by. */
export interface ArtifactSubject {
  /** Undefined: the host picks a unique name. */
  readonly name?: string | undefined;
  readonly deploymentId?: string | undefined;
  readonly identity?: Identity | undefined;
}

export interface ArtifactUpload extends ArtifactSubject {
  readonly directory: string;
  /** Undefined: the host's default. */
  readonly retentionDays?: number | undefined;
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** No later phase can upload it if the signal aborts. */
  readonly last: boolean;
}

/** Milliseconds that a comment can cost. */
export const COMMENT_MS = 5_000;

/** A comment on the change, such as a pull request, that the CI job is for. */
export interface ChangeComment {
  /** A later comment on the same subject takes the place of this one. */
  readonly subject: string;
  readonly markdown: string;
  readonly signal: AbortSignal;
}

/**
 * A CI system as a step of its job sees it. Another CI system implements this in a folder of
 * src/hosts. Texts may be untrusted: the host makes sure that none of their lines is a command to
 * it. A step has two phases, each its own process: main, and post, which runs after the last step
 * of the CI job, however that ended.
 */
export interface Host {
  /** The process of this phase. */
  readonly owner: Owner;
  /** Aborts when the CI job is cancelled: the phase must be over within 2 s. */
  readonly cancelled: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** The CI job's temporary folder, which lasts until the job ends. */
  readonly temporaryDirectory: string;

  /**
   * Milliseconds from a cancel until the CI system ends the job regardless and until it kills an
   * unresponsive main.
   */
  readonly cancelWindow: { readonly jobMs: number; readonly mainMs: number };

  /** Address of this version's TROUBLESHOOTING.md, if known. */
  readonly troubleshooting: string | undefined;

  /** Shows lines in the console. */
  info(text: string): void;

  /**
   * Annotations of the run. The host adds the address of each entry of TROUBLESHOOTING.md that they
   * name.
   */
  notice(text: string, title?: string): void;
  warning(text: string, title?: string): void;
  error(text: string, title?: string): void;
  /** An error that turns the step red. */
  fail(text: string): void;
  /** Starts a group that can be folded, until `endGroup`. */
  group(title: string): void;
  endGroup(): void;
  /**
   * Shows a program's lines in colour. Waits for a slow reader of the console, until `signal`
   * aborts.
   */
  print(lines: readonly string[], signal: AbortSignal): Promise<void>;

  /** Hides a secret in all later console output. */
  mask(secret: string): void;

  /** Sets an output of the step. Throws if the CI system does not accept it. */
  setOutput(name: string, value: string): void;
  /** Adds Markdown to the job's summary. Throws if the CI system does not accept it. */
  addSummary(markdown: string): Promise<void>;

  /**
   * Comments on the change that the CI job is for, within `COMMENT_MS`; absent unless asked for.
   * Never throws: a failure is a warning.
   */
  comment?(comment: ChangeComment): Promise<void>;

  /**
   * Uploads a directory. Never throws: a failure (warning) or missing artifact service (notice)
   * returns undefined.
   */
  upload(upload: ArtifactUpload): Promise<UploadedArtifact | undefined>;

  /** Saves a text for the post phase. Throws if the CI system does not accept it. */
  keep(name: string, text: string): void;
  /** The text that main saved under a name; empty if none. */
  kept(name: string): string;

  /**
   * The CI job's ID token for an audience, masked. Throws OutcomeError `auth-error`, or the
   * signal's reason.
   */
  identityToken(audience: string, signal: AbortSignal): Promise<string>;
}

export interface Publishing {
  readonly uploadArtifact: 'always' | 'on-failure' | 'never';
  readonly artifactName?: string;
  readonly artifactRetentionDays?: number;
}

/** The facts that a step's console begins with. */
export interface Greeting {
  /** The configuration file that counts. */
  readonly configFile?: string;
  /** Values to hide in the console. */
  readonly secrets: readonly string[];
  /** Sentences on ignored parts of the configuration. */
  readonly warnings: readonly string[];
}

/** The settings of a step, from its inputs. */
export interface StepSettings extends Publishing, Greeting {
  readonly engine: Engine;
  /** The file for the CI job's ID token; absent when the agent authenticates in another way. */
  readonly tokenFile?: TokenFile;
  readonly onNoWork: 'succeed' | 'warn' | 'fail';
  /** Check the set-up instead of waiting for work. */
  readonly doctor: boolean;
}
