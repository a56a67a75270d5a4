/*
 * base/: the parts that every process needs. It imports no other room.
 *
 * Begin here: how a run can end, and the error that ends it (error-codes.ts: its entry for the user). Then read
 * - config/schema.ts: the agent's configuration, from its table of keys to the loaded AgentConfig
 * - log/redactor.ts: untrusted text and secrets, from a step's output to its log on disk
 * - network/route.ts: the connection to a service, with proxies and trusted certificates
 * - clock.ts, deadline.ts, retry.ts: time; owner.ts: a process, known again later
 * - stack.ts, environment.ts, process.ts: names that all rooms share; the other files hold a function or two each
 */

import type { ErrorCode } from './error-codes.ts';
import { span } from './quantity.ts';

/** How a run can end. The README's table explains the same outcomes; a test compares their names and exit codes. */
export const OUTCOMES = {
  succeeded: { exitCode: 0, sentence: 'The deployment ran and every step succeeded.' },
  'no-work': { exitCode: 0, sentence: 'No deployment was queued for the pool in time.' },
  skipped: { exitCode: 0, sentence: 'Pulumi Cloud skipped the deployment for a newer one.' },
  failed: { exitCode: 1, sentence: 'The deployment failed.' },
  'config-error': { exitCode: 2, sentence: 'The configuration is invalid.' },
  'auth-error': { exitCode: 3, sentence: 'Pulumi Cloud refused the credentials.' },
  'cloud-unreachable': { exitCode: 4, sentence: 'Pulumi Cloud could not be reached.' },
  'target-error': { exitCode: 5, sentence: 'The target that should run the job could not be used.' },
  cancelled: { exitCode: 6, sentence: 'The deployment was cancelled in Pulumi Cloud.' },
  interrupted: { exitCode: 7, sentence: 'The CI job interrupted the run.' },
  'lease-lost': { exitCode: 8, sentence: 'No heartbeat was accepted in time, so the job was stopped.' },
  unreported: {
    exitCode: 9,
    sentence:
      "The deployment's steps succeeded, but Pulumi Cloud accepted no report of it and will show it as failed.",
  },
  refused: { exitCode: 10, sentence: 'This runner refused the deployment.' },
} as const satisfies Record<string, { exitCode: number; sentence: string }>;

export type Outcome = keyof typeof OUTCOMES;

/** Every outcome's name, in table order. */
export const OUTCOME_NAMES = Object.keys(OUTCOMES) as readonly Outcome[];

/**
 * The agent's exit code for `outcome`; with `--fail-on-no-work`, EX_TEMPFAIL of sysexits.h for
 * `no-work`.
 */
export function exitCodeOf(outcome: Outcome, { failOnNoWork = false } = {}): number {
  return outcome === 'no-work' && failOnNoWork ? 75 : OUTCOMES[outcome].exitCode;
}

/**
 * The outcome of an agent that ended with `exitCode`; undefined if none has it. 0 may also stand
 * for `no-work`.
 */
export function outcomeOf(exitCode: number): Outcome | undefined {
  return OUTCOME_NAMES.find((outcome) =>
    [exitCodeOf(outcome), exitCodeOf(outcome, { failOnNoWork: true })].includes(exitCode),
  );
}

/** For whose work an agent waited, and for how long. */
export interface PoolWait {
  readonly runnerPoolId?: string | undefined;
  readonly organizationName?: string | undefined;
  readonly maxWaitMs?: number | undefined;
}

/** Says that a wait claimed nothing: a wrong pool looks like an empty one. */
export function noWorkSentence({ runnerPoolId, organizationName, maxWaitMs }: PoolWait): string {
  const organization = organizationName === undefined ? '' : ` of ${organizationName}`;
  const pool = runnerPoolId === undefined ? "the token's pool" : `pool ${runnerPoolId}${organization}`;
  const time = maxWaitMs === undefined ? 'in time' : `within ${span(maxWaitMs)}`;
  return `No deployment was queued for ${pool} ${time}.`;
}

/**
 * What a failure before a job's first step is about. After `executor` and `elsewhere` the next deployment would fail
 * too: a trial container proves that an executor works again, but only the next claim that a registry or a hook does.
 */
export type Fault = 'executor' | 'elsewhere' | 'deployment';

/** How a job or a run ended; `message` is the one sentence shown to the user. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly message: string;
  readonly code?: ErrorCode | undefined;
  readonly fault?: Fault | undefined;
}

export interface OutcomeErrorOptions extends ErrorOptions {
  /** The error's entry in TROUBLESHOOTING.md. */
  readonly code: ErrorCode;
  readonly fault?: Fault | undefined;
}

/**
 * An error that determines the run's outcome. Its message is the one sentence shown to the user.
 */
export class OutcomeError extends Error {
  override readonly name: string = 'OutcomeError';
  readonly outcome: Outcome;
  readonly code: ErrorCode;
  readonly fault: Fault | undefined;

  constructor(outcome: Outcome, message: string, options: OutcomeErrorOptions) {
    super(message, options);
    this.outcome = outcome;
    this.code = options.code;
    this.fault = options.fault;
  }
}

/** The code of `error`, or of its nearest cause that has one. */
export function codeOf(error: unknown): ErrorCode | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof OutcomeError) return cause.code;
  }
  return undefined;
}

/** What an error says about a run or a job that it ended. */
export function verdictOf({ outcome, message, code, fault }: OutcomeError): Verdict {
  return { outcome, message, code, fault };
}

/** The verdict on a run that `error` ended, for its record, which names no fault. */
export function failureOf(error: unknown): Omit<Verdict, 'fault'> {
  if (error instanceof OutcomeError)
    return { outcome: error.outcome, message: error.message, code: error.code };
  const message = `Failed to run the agent for the pool: ${messageOf(error)}. Report this with the run's artifact.`;
  return { outcome: 'failed', message, code: codeOf(error) ?? 'PRA-CONFIG-11' };
}

/** A sentence without its full stop, for use within another. */
export function clause(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * The message of any thrown value, or of each error in an aggregate; the name of an error without a
 * message.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ');
  return error instanceof Error && error.message === '' ? error.name : messageOf(error);
}
