import type { Permission } from '../../executor/executor.ts';
import { OutcomeError } from '../../outcome.ts';
import { type Finding, reasonOf } from './examination.ts';

/** What the account may do with one kind of object where jobs run. Throws OutcomeError `target-error` when jobs need more. */
export async function permissionCheck(permission: Permission, signal: AbortSignal): Promise<Finding> {
  const { resource, needed, useful, purpose } = permission;
  let review: Awaited<ReturnType<Permission['review']>>;
  try {
    review = await permission.review(signal);
  } catch (cause) {
    signal.throwIfAborted();
    // Why it can't be asked is told by the check of the place itself.
    return { status: 'unknown', detail: `could not ask: ${reasonOf(cause)}.` };
  }
  const { refused, remedy } = review;
  if (refused.length === 0) return { status: 'passed', detail: [...needed, ...useful].join(', ') };
  const may = `this account may not ${refused.join(', ')}`;
  if (refused.some((verb) => needed.includes(verb))) {
    throw new OutcomeError('target-error', `Failed to get access to ${resource} for jobs: ${may}. ${remedy}.`);
  }
  return { status: 'warning', detail: `${may}: without it, ${purpose}. ${remedy}.` };
}
