import { quoteValue } from './problem.ts';

/** One stack by its three names. */
export interface StackName {
  readonly organization: string;
  readonly project: string;
  readonly stack: string;
}

/** What is wrong with the text of a stack or of a pattern of stacks (Pulumi takes letters, digits, `-`, `_` and `.`), as a clause. */
export function stackPatternProblem(text: string): string | undefined {
  const names = text.split('/');
  if (names.length === 3 && isGlob(organizationOf(text)))
    return `${quoteValue(text)} has a wildcard for its organization; name the organization in full`;
  // Names of nothing but dots would lead elsewhere in the address of a call.
  const whole = names.length === 3 && names.every((name) => /^[A-Za-z0-9._*?-]+$/.test(name) && !/^\.+$/.test(name));
  return whole ? undefined : `${quoteValue(text)} is not of the form org/project/stack`;
}

/** Whether a pattern can stand for several stacks. */
export function isGlob(pattern: string): boolean {
  return /[*?]/.test(pattern);
}

/** The organization of a pattern, which it names in full. */
export function organizationOf(pattern: string): string {
  return pattern.split('/', 1).join();
}

/** `org/project/stack` of one stack. */
export function stackText({ organization, project, stack }: StackName): string {
  return `${organization}/${project}/${stack}`;
}

/** The names of a stack that is written in full. */
export function stackNamed(text: string): StackName {
  const [organization = '', project = '', stack = ''] = text.split('/');
  return { organization, project, stack };
}

/** Whether a pattern stands for a stack: `*` is any text and `?` any character, within one of the three names. */
export function matchesStack(pattern: string, name: StackName): boolean {
  const parts = pattern.replaceAll('.', '\\.').replaceAll('?', '[^/]').split(/\*+/);
  // The first place that suits a part is as good as any, and a lookahead keeps it: trying all of them could take forever.
  const kept = parts.slice(1, -1).map((part, index) => `(?=([^/]*?${part}))\\${index + 1}`);
  const last = parts.length > 1 ? `[^/]*${parts.at(-1)}` : '';
  return new RegExp(`^${parts[0]}${kept.join('')}${last}$`).test(stackText(name));
}
