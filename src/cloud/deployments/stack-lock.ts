import type { Log } from '../../base/log/level.ts';
import { plainText } from '../../base/log/plain-text.ts';
import { messageOf } from '../../base/outcome.ts';
import type { StackName } from '../../base/stack.ts';
import { type LockHint, lockBy } from '../../record/output/lock.ts';
import type { StackLock } from '../../record/stack-lock.ts';
import type { DeploymentApi } from '../deployment-api.ts';

const ANSWER_MS = 3_000;

/** Characters of an operation's kind, and of its author's login, in our sentences. */
const MAX_TEXT = 100;

export interface StackLockOptions {
  /** Absent without an access token; asked only about a stack that Pulumi Cloud itself named. */
  readonly api: DeploymentApi | undefined;
  readonly stack: StackName | undefined;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/**
 * The lock of a job's stack, by what Pulumi Cloud says after the job's end, or else by the job's own
 * sign, if it gave one. Undefined if neither tells. Only reads: nothing of ours unlocks a stack. Never rejects.
 */
export async function stackLock(
  hint: LockHint | undefined,
  { api, stack, log, signal }: StackLockOptions,
): Promise<StackLock | undefined> {
  const conflict = hint?.sign === 'conflict' ? true : undefined;
  try {
    const end = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
    const operation = stack && (await api?.operation(stack, end));
    if (operation === 'none') return { state: 'free', conflict };
    if (operation !== undefined) {
      const { started } = operation;
      const [kind, author] = [operation.kind, operation.author].map((text) => plainText(text, MAX_TEXT));
      const startedAt = started === undefined ? undefined : timeOf(started);
      return { state: 'locked', conflict, kind, author, startedAt };
    }
  } catch (error) {
    log('debug', messageOf(error));
  }

  return hint && lockBy(hint);
}

/** RFC 3339 of seconds since the epoch; undefined for a time that no date has. */
function timeOf(seconds: number): string | undefined {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
