import { z } from 'zod';

/** The lock of a job's stack after the job's end. */
export const stackLockSchema = z.object({
  /**
   * `free` and `locked` are what Pulumi Cloud says. Without its answer: `held` by another update, or
   * `released` by the interrupted one, both according to the output; `unknown` after a step that was
   * ended by force.
   */
  state: z.enum(['free', 'locked', 'held', 'released', 'unknown']),
  /** The step that was ended by force. */
  step: z.string().optional(),
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

/** What is known about the lock of `stack` in one sentence, and, if it is or may be locked, what to do. */
export function lockText(lock: StackLock, stack: string | undefined): string {
  const named = stack ?? 'The stack';
  const fact = factOf(lock, named);
  if (!isLocked(lock)) return fact;

  // Its letters, digits, `-`, `_` and `.` need no quotes. A name that isn't known can't be guessed.
  const command = stack === undefined ? 'pulumi cancel' : `pulumi cancel ${stack}`;
  return `${fact} Wait until it ends. If the stack's page in Pulumi Cloud and your CI jobs show that nothing runs any more, free it with \`${command}\`.`;
}

function factOf({ state, step, conflict, kind, author, startedAt }: StackLock, stack: string): string {
  switch (state) {
    case 'free':
      return conflict === true
        ? `The stack is free now: the other update has ended, by Pulumi Cloud's record. Start the deployment again.`
        : "The stack is free: no update holds it, by Pulumi Cloud's record.";
    case 'released':
      return 'The update was interrupted gracefully, according to its output.';
    case 'held':
      return `${stack} is locked by another update, according to the output.`;
    case 'unknown':
      return `${step ?? 'A step'} of ${stack} was ended by force, and may have left the stack locked.`;
    case 'locked': {
      const by = author === undefined || author === '' ? '' : ` by ${author}`;
      const time =
        startedAt === undefined ? '' : ` since ${startedAt.replace(/T(.*?)(?:\.\d+)?Z$/, ' $1 UTC')}`;
      return `${stack} is locked: ${kind === undefined || kind === '' ? 'an operation' : `${kind}`}${by}${time}, by Pulumi Cloud's record.`;
    }
  }
}
