import { formatDuration } from '../../base/config/duration.ts';
import { organizationOf } from '../../base/config/stack-pattern.ts';
import { clause, OutcomeError, type Verdict } from '../../base/outcome.ts';
import { quotedError } from '../../record/output/error.ts';
import type { FailedStart } from '../../record/plan-report.ts';

/** A deployment whose start Pulumi Cloud refused, or never confirmed: `state` says which. */
export function notStarted(
  { operation, stack, reason, state }: Readonly<Record<'operation' | 'stack' | 'reason' | 'state', string>>,
  cause?: unknown,
): OutcomeError {
  const failure = `Failed to start ${operation} for ${stack}: ${clause(reason)}; ${state}`;
  const message = `${failure}. Check the stack's deployments before you start it again.`;
  return new OutcomeError('cloud-unreachable', message, { code: 'PRA-TRIGGER-01', cause });
}

/** A stack that may have changed since its preview was approved; `finding` is a clause about it. */
export function otherVersion(
  {
    operation,
    stack,
    expected,
    finding,
    undone = 'Nothing was started',
  }: { operation: string; stack: string; expected: number; finding: string; undone?: string },
  cause?: unknown,
): OutcomeError {
  const failure = `Failed to start ${operation} for ${stack} at version ${expected}: ${finding}`;
  const message = `${failure}. ${undone}: preview the stack again, and approve that.`;
  const outcome = cause instanceof OutcomeError ? cause.outcome : 'failed';
  return new OutcomeError(outcome, message, { code: 'PRA-TRIGGER-10', cause });
}

export function notTried(operation: string, stack: string): OutcomeError {
  const failure = `Failed to start ${operation} for ${stack}: it was not tried`;
  const reason = 'because Pulumi Cloud could not be reached for other stacks';
  const message = `${failure}, ${reason}. Check the network path and Pulumi Cloud's status.`;
  return new OutcomeError('cloud-unreachable', message, { code: 'PRA-TRIGGER-01' });
}

export function paused(operation: string, organization: string): OutcomeError {
  const message = `Failed to start ${operation} for ${organization}: its deployments are paused. Resume them in Pulumi Cloud.`;
  return new OutcomeError('failed', message, { code: 'PRA-TRIGGER-01' });
}

/** A stack that a pattern of `trigger` matches, and this runner may not run. */
export function outsideRules(stack: string, operation: string): FailedStart & Verdict {
  const message = `Failed to start ${operation} for ${stack}: this runner must not run it (allowed_stacks, allowed_operations). Leave it out of trigger.`;
  return { stack, outcome: 'refused', code: 'PRA-JOB-08', message };
}

export function tooManyStacks(patterns: readonly string[], count: number, most: number): OutcomeError {
  const failure = `Failed to choose the stacks for ${patterns.join(' ')}: there are ${count}`;
  const message = `${failure}, and at most ${most} are started at once. Narrow the patterns, or split them among several jobs.`;
  return new OutcomeError('config-error', message, { code: 'PRA-TRIGGER-03' });
}

export function noStackMatches(pattern: string, count: number): OutcomeError {
  const visible = `the ${count} stacks of ${organizationOf(pattern)} that the access token can see`;
  const failure = `Failed to choose the stacks for ${pattern}: none of ${visible} matches it`;
  const message = `${failure}. Check the pattern, and the stacks that the token can see.`;
  return new OutcomeError('config-error', message, { code: 'PRA-TRIGGER-03' });
}

export function tooManyPages(organization: string, most: number): OutcomeError {
  const message = `Failed to list the stacks for ${organization}: there are more than ${most} pages. Name the stacks instead.`;
  return new OutcomeError('config-error', message, { code: 'PRA-TRIGGER-04' });
}

/** `standing` is a clause about the deployments that have not ended. */
export function timedOut(timeoutMs: number, standing: string): Verdict {
  const failure = 'Failed to follow the deployments for the run';
  const message = `${failure}: trigger_timeout (${formatDuration(timeoutMs)}) has expired: ${standing}`;
  return { outcome: 'failed', code: 'PRA-TRIGGER-08', message };
}

/** The end of a deployment that another agent ran. */
export function failedElsewhere(operation: string, stack: string, how: string, error?: string): Verdict {
  const why = error === undefined ? `: ${how}` : quotedError(error);
  const message = `Failed to finish ${operation} of ${stack}${why}. Its page in Pulumi Cloud says more.`;
  return { outcome: 'failed', code: 'PRA-TRIGGER-09', message };
}
