import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { MOST_STACKS } from '../../src/agent/on-demand/stacks.ts';
import { KEYS } from '../../src/config/schema.ts';
import { manifestOf, read, yamlOf } from '../support/documents/pages.ts';

it('the page about drift reads what its one step found by outputs that there are', () => {
  const { permissions, jobs } = parse(yamlOf(read('docs/drift.md'))[0] ?? '');
  expect(permissions).toMatchObject({ 'id-token': 'write' });
  const [step, report] = jobs.drift.steps;
  for (const name of Object.keys(step.with)) expect(manifestOf('.').inputs).toHaveProperty(name);
  expect(report.if).toBe(`\${{ !cancelled() && steps.${step.id}.outputs.drift == 'true' }}`);
  expect(report.env.DEPLOYMENTS).toBe(`\${{ steps.${step.id}.outputs.deployments }}`);
  for (const name of ['drift', 'deployments']) expect(manifestOf('.').outputs).toHaveProperty(name);
});

it('the page about drift hands the plan on to a matrix, and names every operation, key and the most stacks', () => {
  const page = read('docs/drift.md');
  const { permissions, jobs } = parse(yamlOf(page)[1] ?? '');
  expect(permissions).toMatchObject({ 'id-token': 'write' });
  for (const [name, expression] of Object.entries(jobs.plan.outputs)) {
    expect(expression).toBe(`\${{ steps.${jobs.plan.steps[0].id}.outputs.${name} }}`);
    expect(manifestOf('plan').outputs).toHaveProperty(name);
  }
  expect(jobs.drift).toMatchObject({
    needs: 'plan',
    strategy: { 'fail-fast': false, matrix: '${{ fromJSON(needs.plan.outputs.matrix) }}' },
    if: '${{ !cancelled() && needs.plan.outputs.count > 0 }}',
  });
  const keys = ['trigger', 'operation', 'trigger_jitter', 'access_token', 'access_token_scope', 'plan_max'];
  for (const word of [...KEYS.operation.kind.words.split(' | '), ...keys]) expect(page).toContain(`\`${word}\``);
  expect(page).toContain(`more than ${MOST_STACKS} stacks`);
});
