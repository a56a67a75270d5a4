import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { parsePositiveDuration } from '../../src/config/duration.ts';
import { KEYS } from '../../src/config/schema.ts';
import { read, yamlOf } from '../support/documents/pages.ts';

interface Step {
  readonly uses: string;
  readonly with?: Readonly<Record<string, string | number>>;
}

/** Milliseconds that the credentials of a step live; undefined for a step that fetches none. */
function lifetimeOf({ uses, with: inputs = {} }: Step): number | undefined {
  if (uses.startsWith('aws-actions/configure-aws-credentials@')) return Number(inputs['role-duration-seconds']) * 1000;
  if (uses.startsWith('google-github-actions/auth@')) return 3_600_000;
  return undefined;
}

it('the page of recipes has a deployment end before its credentials do, and the CI job after it', () => {
  const jobs = yamlOf(read('docs/recipes.md')).flatMap((text): { 'timeout-minutes': number; steps: Step[] }[] =>
    Object.values(parse(text).jobs ?? {}),
  );
  expect(jobs).toHaveLength(2);
  for (const { 'timeout-minutes': minutes, steps } of jobs) {
    const [credentials, deployment] = steps;
    const of = (input: string) => parsePositiveDuration(String(deployment?.with?.[input]));
    const longest = of('max-wait') + of('soft-timeout') + parsePositiveDuration(KEYS.cancel_grace_period.default);
    expect(longest).toBeLessThan((credentials && lifetimeOf(credentials)) ?? 0);
    expect(longest).toBeLessThan(minutes * 60_000);
  }
});
