import type { Writable } from 'node:stream';
import type { Owner } from '../record/schema.ts';

/** A shell's exit code for a program that SIGINT ended. */
export const CANCELLED_EXIT_CODE = 130;

/** What a phase of the action gets from the process it runs in. */
export interface Job {
  /** This process. */
  readonly owner: Owner;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborts when the CI job is cancelled: the phase must be over within 2 s. */
  readonly cancelled: AbortSignal;
  readonly stdout: Writable;
  /** The job's workspace: where a `config-file` is, when it isn't given as an absolute path. */
  readonly checkoutDirectory: string;
  /**
   * Where the agent runs, and so the first place its configuration file is looked for. Never the workspace: a pull request
   * could then choose the service that gets the token.
   */
  readonly workingDirectory: string;
  readonly homeDirectory: string;
  /** The job's own temporary folder. */
  readonly temporaryDirectory: string;
  /** The Node program that runs this. */
  readonly nodePath: string;
  /** The folder of the agent's program, and its entry. */
  readonly agentDirectory: string;
  readonly agentScript: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}
