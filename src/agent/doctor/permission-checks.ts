import { OutcomeError } from '../../outcome.ts';
import type { Permission } from '../../target/target.ts';
import { type Examination, type Finding, reasonOf } from './examination.ts';

/** What the account may do where jobs run, a check for each kind of object. */
export function permissionChecks(
  examination: Examination,
  permissions: readonly Permission[],
  deadlineMs: number,
): void {
  for (const permission of permissions) {
    const { resource } = permission;
    const id = `permission-${resource.replace('/', '-')}`;
    examination.check({ id, title: `May use ${resource}`, outcome: 'target-error', deadlineMs }, [], (signal) =>
      reviewed(permission, signal),
    );
  }
}

async function reviewed(permission: Permission, signal: AbortSignal): Promise<Finding<undefined>> {
  const { resource, needed, useful, purpose } = permission;
  const value = undefined;
  let review: Awaited<ReturnType<Permission['review']>>;
  try {
    review = await permission.review(signal);
  } catch (cause) {
    signal.throwIfAborted();
    // Why it can't be asked is told by the check of the place itself.
    return { status: 'unknown', detail: `could not ask: ${reasonOf(cause)}.`, value };
  }
  const { refused, remedy } = review;
  if (refused.length === 0) return { status: 'passed', detail: [...needed, ...useful].join(', '), value };
  const may = `this account may not ${refused.join(', ')}`;
  if (refused.some((verb) => needed.includes(verb))) {
    throw new OutcomeError('target-error', `Failed to get access to ${resource} for jobs: ${may}. ${remedy}.`);
  }
  return { status: 'warning', detail: `${may}: without it, ${purpose}. ${remedy}.`, value };
}
