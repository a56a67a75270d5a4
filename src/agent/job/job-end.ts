import type { ErrorCode } from '../../base/error-codes.ts';
import {
  clause,
  messageOf,
  type Outcome,
  OutcomeError,
  type Verdict,
  verdictOf,
} from '../../base/outcome.ts';
import { failedStepSentence } from '../../record/output/error.ts';
import type { RunResult, StepEnd } from '../../record/schema.ts';
import { type Stop, StopRequested } from './stop.ts';

export interface JobEnd
  extends Verdict,
    Pick<RunResult, 'steps' | 'image' | 'imageDigest' | 'confinement' | 'forwarded'> {
  /** Pulumi Cloud accepted the last status. */
  readonly reported: boolean;
}

const UNREPORTED =
  "The deployment's steps succeeded, but Pulumi Cloud accepted no report of the last one, and fails the deployment 10 minutes after the last heartbeat. The stack has the steps' changes, so don't start the deployment again: a preview shows whether anything is left to do.";

/**
 * A job's end once its reports are settled: Pulumi Cloud shows an unreported success as a failure.
 */
export function reportedEnd(verdict: Verdict, reported: boolean): Verdict & { readonly reported: boolean } {
  if (reported || verdict.outcome !== 'succeeded') return { ...verdict, reported };
  return { outcome: 'unreported', code: 'PRA-JOB-04', message: UNREPORTED, reported };
}

/** The outcome of a stopped job; the message appends `limit` to what it did not finish. */
const STOPPED: Readonly<Record<Stop['by'], { outcome: Outcome; code: ErrorCode; limit?: string }>> = {
  cloud: { outcome: 'cancelled', code: 'PRA-JOB-03' },
  signal: { outcome: 'interrupted', code: 'PRA-JOB-03' },
  lease: { outcome: 'lease-lost', code: 'PRA-JOB-03' },
  timeout: { outcome: 'failed', code: 'PRA-JOB-06', limit: ' in time' },
  memory: { outcome: 'failed', code: 'PRA-JOB-07', limit: ' within its memory' },
};

/**
 * The verdict on a job that `error` ended. A requested stop wins over errors it caused; `consequence`
 * says what remains.
 */
export function verdictOn(
  error: unknown,
  stop: Stop | undefined,
  consequence: string,
  where = 'the deployment',
): Verdict {
  const request = error instanceof StopRequested ? error.stop : stop;
  if (request !== undefined) {
    const { limit = '', ...verdict } = STOPPED[request.by];
    return {
      ...verdict,
      message: `Failed to finish ${where}${limit}: ${clause(request.reason)}. ${consequence}`,
    };
  }

  if (error instanceof OutcomeError) return verdictOf(error);

  const message = `Failed to run ${where}: ${clause(messageOf(error))}. Report this with the run's artifact.`;
  return { outcome: 'failed', code: 'PRA-JOB-02', message, fault: 'elsewhere' };
}

/** The verdict on a job whose step `name` failed. */
export function verdictOnStep(name: string, end: StepEnd, stop: Stop | undefined): Verdict {
  if (stop !== undefined) return verdictOn(undefined, stop, 'The stack may need a refresh.', name);
  const how = clause(end.reason ?? `exit code ${end.exitCode}`);
  return { outcome: 'failed', code: 'PRA-JOB-01', message: failedStepSentence(name, how, end) };
}
