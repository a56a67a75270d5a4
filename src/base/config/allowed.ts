import type { Identity } from '../stack.ts';
import { matchesStack } from './stack-pattern.ts';

/** The stacks and operations that one source allows. An empty list allows all. */
export interface AllowedLists {
  /** Patterns such as `acme/web-?/dev`. */
  readonly allowedStacks: readonly string[];
  readonly allowedOperations: readonly string[];
}

/**
 * The lists that a deployment must satisfy: the configuration's, and those of a file that only root
 * can write.
 */
export interface Admission extends AllowedLists {
  readonly rootLists?: AllowedLists | undefined;
}

/** A rule that keeps a deployment out: the setting, and its values. */
export interface Rule {
  readonly key: 'allowed_stacks' | 'allowed_operations';
  readonly values: readonly string[];
}

/** Every rule that is set. */
export function rulesOf({ rootLists, ...own }: Admission): Rule[] {
  return [own, ...(rootLists === undefined ? [] : [rootLists])].flatMap(
    ({ allowedStacks, allowedOperations }) => [
      ...(allowedStacks.length > 0 ? [{ key: 'allowed_stacks', values: allowedStacks } as const] : []),
      ...(allowedOperations.length > 0
        ? [{ key: 'allowed_operations', values: allowedOperations } as const]
        : []),
    ],
  );
}

/**
 * The first rule that doesn't allow the deployment; undefined if all do. An unknown operation
 * satisfies no list of them.
 */
export function brokenRule(admission: Admission, identity: Identity): Rule | undefined {
  return rulesOf(admission).find(({ key, values }) =>
    key === 'allowed_stacks'
      ? !values.some((pattern) => matchesStack(pattern, identity))
      : !values.includes(identity.operation ?? ''),
  );
}
