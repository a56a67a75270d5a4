import { z } from 'zod';

/** The lock of a job's stack after the job's end. */
export const stackLockSchema = z.object({
  /**
   * `free` and `locked` are what Pulumi Cloud says. Without its answer: `held` by another update, or
   * `released` by the interrupted one, both according to the output; `unknown` after a step that was
   * ended by force, or was interrupted and printed no end.
   */
  state: z.enum(['free', 'locked', 'held', 'released', 'unknown']),
  /** The step that leaves it unknown. */
  step: z.string().optional(),
  /** That step was interrupted, and its output doesn't show how it ended. */
  interrupted: z.literal(true).optional(),
  /** Another update kept a step of the job from its own, according to its output. */
  conflict: z.literal(true).optional(),
  /** The operation that holds it, and the login of its author. */
  kind: z.string().optional(),
  author: z.string().optional(),
  /** RFC 3339. */
  startedAt: z.string().optional(),
});

export type StackLock = z.infer<typeof stackLockSchema>;

/** True if the stack is locked, or may be: a reader has something to do. */
export function isLocked({ state }: StackLock): boolean {
  return state !== 'free' && state !== 'released';
}

/**
 * What is known about a stack's lock in a few sentences, and, if it is or may be locked, what to do. `stack` is a name
 * that Pulumi Cloud gave, as a reader may run a command with it; undefined without one.
 */
export function lockText(lock: StackLock, stack: string | undefined): string {
  const fact = factOf(lock, stack);
  if (!isLocked(lock)) return fact;

  // Its letters, digits, `-`, `_` and `.` need no quotes. A name that isn't known can't be guessed.
  const command = stack === undefined ? 'pulumi cancel' : `pulumi cancel ${stack}`;
  const wait = lock.state === 'unknown' ? '' : ' Wait until that ends.';
  return `${fact}${wait} If the stack's page in Pulumi Cloud and your CI jobs show that nothing works on it any more, free it with \`${command}\`.`;
}

function factOf(lock: StackLock, stack: string | undefined): string {
  const name = stack ?? 'The stack';
  switch (lock.state) {
    case 'free':
      return lock.conflict === true
        ? `${name} is free now: the other update has ended, by Pulumi Cloud's record. Start the deployment again.`
        : `${name} is free: no update holds it, by Pulumi Cloud's record.`;
    case 'released':
      return `The update of ${stack ?? 'the stack'} was interrupted gracefully, according to its output.`;
    case 'held':
      return `${name} is locked by another update, according to the output.`;
    case 'unknown': {
      const step = `${lock.step ?? 'A step'} of ${stack ?? 'the stack'}`;
      return lock.interrupted === true
        ? `${step} was interrupted, and its output doesn't show how it ended. It may have left the stack locked.`
        : `${step} was ended by force, and may have left the stack locked.`;
    }
    case 'locked':
      return `${name} is locked: ${holderOf(lock)}, by Pulumi Cloud's record.`;
  }
}

/** `update by dev since 2026-11-28 22:10:05 UTC`, as far as it is known. */
function holderOf({ kind = '', author = '', startedAt }: StackLock): string {
  const by = author === '' ? '' : ` by ${author}`;
  const time = startedAt === undefined ? '' : ` since ${startedAt.replace(/T(.*?)(?:\.\d+)?Z$/, ' $1 UTC')}`;
  return `${kind === '' ? 'an operation' : kind}${by}${time}`;
}
