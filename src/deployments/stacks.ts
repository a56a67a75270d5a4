import type { OrganizationApi } from '../cloud/organization.ts';
import {
  isGlob,
  matchesStack,
  organizationOf,
  stackNamed,
  stackPatternProblem,
} from '../config/stack-pattern.ts';
import { OutcomeError } from '../outcome.ts';
import { type StackName, stackText } from '../stack.ts';

/** The most stacks to start at once: as many as GitHub allows jobs in a matrix to run them. */
export const MAX_STACKS = 256;

/** The most pages to read of a list of stacks; Pulumi Cloud's hold some hundred stacks each. */
const MAX_PAGES = 200;

type StackLists = Pick<OrganizationApi, 'stacks'>;

/**
 * The stacks that match patterns, each once, in their order; only wildcards are looked up. Throws
 * OutcomeError `config-error` if a pattern matches none, or there are too many.
 */
export async function chooseStacks(
  patterns: readonly string[],
  api: StackLists,
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

  if (chosen.size > MAX_STACKS) {
    const message = `Failed to choose the stacks for ${patterns.join(' ')}: there are ${chosen.size}, and at most ${MAX_STACKS} are started at once. Narrow the patterns, or split them among several jobs.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-TRIGGER-03' });
  }

  return [...chosen.values()];
}

function matchingStacks(pattern: string, all: readonly StackName[]): readonly StackName[] {
  const matching = all.filter((stack) => matchesStack(pattern, stack));
  if (matching.length > 0) return matching;
  const message = `Failed to choose the stacks for ${pattern}: none of the ${all.length} stacks of ${organizationOf(pattern)} that the access token can see matches it. Check the pattern, and the stacks that the token can see.`;
  throw new OutcomeError('config-error', message, { code: 'PRA-TRIGGER-03' });
}

async function allStacks(organization: string, api: StackLists, signal: AbortSignal): Promise<StackName[]> {
  const all: StackName[] = [];
  let continuation: string | undefined;

  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const answer = await api.stacks(organization, continuation, signal);
    // A pattern doesn't match a stack that can't be named in full.
    all.push(...answer.stacks.filter((stack) => stackPatternProblem(stackText(stack)) === undefined));
    continuation = answer.continuation;
    if (continuation === undefined) return all;
  }

  const message = `Failed to list the stacks for ${organization}: there are more than ${MAX_PAGES} pages. Name the stacks instead.`;
  throw new OutcomeError('config-error', message, { code: 'PRA-TRIGGER-04' });
}
