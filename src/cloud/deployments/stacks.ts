import {
  isGlob,
  matchesStack,
  organizationOf,
  stackNamed,
  stackPatternProblem,
} from '../../base/config/stack-pattern.ts';
import { type StackName, stackText } from '../../base/stack.ts';
import type { OrganizationApi } from '../organization-api.ts';
import { noStackMatches, tooManyPages, tooManyStacks } from './errors.ts';

/** The most stacks to start at once: as many as GitHub allows jobs in a matrix to run them. */
export const MAX_STACKS = 256;

/** The most pages to read of a list of stacks; Pulumi Cloud's hold some hundred stacks each. */
const MAX_PAGES = 200;

/**
 * The stacks that match patterns, each once, in their order; only wildcards are looked up. Throws
 * OutcomeError `config-error` if a pattern matches none, or there are too many.
 */
export async function chooseStacks(
  patterns: readonly string[],
  api: Pick<OrganizationApi, 'stacks'>,
  signal: AbortSignal,
): Promise<StackName[]> {
  const lists = new Map<string, StackName[]>();
  const chosen = new Map<string, StackName>();

  for (const pattern of patterns) {
    const organization = organizationOf(pattern);
    if (isGlob(pattern) && !lists.has(organization))
      lists.set(organization, await allStacks(organization, api, signal));
    const all = lists.get(organization) ?? [];
    const matching = isGlob(pattern) ? matchingStacks(pattern, all) : [stackNamed(pattern)];
    for (const stack of matching) chosen.set(stackText(stack), stack);
  }

  if (chosen.size > MAX_STACKS) throw tooManyStacks(patterns, chosen.size, MAX_STACKS);

  return [...chosen.values()];
}

function matchingStacks(pattern: string, all: readonly StackName[]): readonly StackName[] {
  const matching = all.filter((stack) => matchesStack(pattern, stack));
  if (matching.length === 0) throw noStackMatches(pattern, all.length);
  return matching;
}

async function allStacks(
  organization: string,
  api: Pick<OrganizationApi, 'stacks'>,
  signal: AbortSignal,
): Promise<StackName[]> {
  const all: StackName[] = [];
  let continuation: string | undefined;

  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await api.stacks(organization, continuation, signal);
    // A pattern doesn't match a stack that can't be named in full.
    all.push(...answer.stacks.filter((stack) => stackPatternProblem(stackText(stack)) === undefined));
    continuation = answer.continuation;
    if (continuation === undefined) return all;
  }

  throw tooManyPages(organization, MAX_PAGES);
}
