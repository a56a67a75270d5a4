import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { MOST_STACKS } from '../../src/agent/on-demand/stacks.ts';
import { KEYS } from '../../src/config/schema.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const page = read('docs/drift.md');
const examples = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map(([, text = '']) => parse(text));
const manifests: Record<string, { inputs: object; outputs: object }> = {
  'org/pulumi-runner-action@v1': parse(read('action.yml')),
  'org/pulumi-runner-action/plan@v1': parse(read('plan/action.yml')),
};

interface Step {
  readonly uses: string;
  readonly with: Readonly<Record<string, string>>;
}

describe('the page about drift', () => {
  it('gives every step inputs that its action has', () => {
    const [workflow, steps] = examples;
    const jobs = Object.values<{ steps: Step[] }>(workflow.jobs);
    const all = [...jobs.flatMap((job) => job.steps), ...(steps as Step[])];
    expect(all).toHaveLength(3);
    for (const { uses, with: given } of all)
      expect(Object.keys(manifests[uses]?.inputs ?? {})).toEqual(expect.arrayContaining(Object.keys(given)));
  });

  it('hands the plan on to a matrix that is skipped when there is no work', () => {
    const { plan, drift } = examples[0].jobs;
    expect(examples[0].permissions).toMatchObject({ 'id-token': 'write' });
    const outputs = Object.keys(manifests['org/pulumi-runner-action/plan@v1']?.outputs ?? {});
    for (const [name, expression] of Object.entries(plan.outputs)) {
      expect(expression).toBe(`\${{ steps.plan.outputs.${name} }}`);
      expect(outputs).toContain(name);
    }
    expect(plan.steps[0].id).toBe('plan');
    expect(drift.needs).toBe('plan');
    expect(drift.strategy).toEqual({ 'fail-fast': false, matrix: '${{ fromJSON(needs.plan.outputs.matrix) }}' });
    expect(drift.if).toBe('${{ !cancelled() && needs.plan.outputs.count > 0 }}');
  });

  it('names every operation and key, and the most stacks', () => {
    for (const operation of KEYS.operation.kind.words.split(' | ')) expect(page).toContain(`\`${operation}\``);
    for (const key of ['trigger', 'operation', 'trigger_jitter', 'access_token', 'access_token_scope', 'plan_max'])
      expect(page).toContain(`\`${key}\``);
    expect(page).toContain(`more than ${MOST_STACKS} stacks`);
  });
});
