import { type StackName, stackText } from '../stack.ts';
import { quoteValue } from './problem.ts';

/**
 * A clause on what is wrong with a stack or a pattern of stacks (Pulumi allows letters, digits,
 * `-`, `_` and `.`).
 */
export function stackPatternProblem(text: string): string | undefined {
  const names = text.split('/');
  if (names.length === 3 && isGlob(organizationOf(text)))
    return `${quoteValue(text)} has a wildcard in its organization; name the organization in full`;
  // A name of nothing but dots would change the path of a request.
  const whole =
    names.length === 3 && names.every((name) => /^[A-Za-z0-9._*?-]+$/.test(name) && !/^\.+$/.test(name));
  return whole ? undefined : `${quoteValue(text)} is not of the form org/project/stack`;
}

/** True if a pattern may match several stacks. */
export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** The organization of a stack or pattern, which names it in full. */
export function organizationOf(pattern: string): string {
  return pattern.split('/', 1).join();
}

/** The names of a stack written in full. */
export function stackNamed(text: string): StackName {
  const [organization = '', project = '', stack = ''] = text.split('/');
  return { organization, project, stack };
}

/**
 * True if a pattern matches a stack: `*` is any text and `?` any character, within one of the three
 * names.
 */
export function matchesStack(pattern: string, name: StackName): boolean {
  const parts = pattern.replaceAll('.', '\\.').replaceAll('?', '[^/]').split(/\*+/);
  // The first match of a part is as good as any, and a lookahead keeps it: backtracking could take
  // forever.
  const middle = parts.slice(1, -1).map((part, index) => `(?=([^/]*?${part}))\\${index + 1}`);
  const last = parts.length > 1 ? `[^/]*${parts.at(-1)}` : '';
  return new RegExp(`^${parts[0]}${middle.join('')}${last}$`).test(stackText(name));
}
