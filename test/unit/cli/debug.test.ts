import { describe, expect, it } from 'vitest';
import { OutcomeError } from '../../../src/base/outcome.ts';
import { readJob } from '../../../src/cli/debug.ts';

const job = (...scripts: string[]) =>
  JSON.stringify({ steps: [{ name: 'Setup' }, ...scripts.map((run) => ({ name: run, run }))] });

describe('the job of debug workflow-runner', () => {
  it.each([
    [undefined, ['a', 'b', 'c']],
    [2, ['a', 'b']],
  ])('up to step %j runs %j after the agent’s own step', (to, names) => {
    expect(readJob(job('a', 'b', 'c'), to).steps.map(({ name }) => name)).toEqual(['Setup', ...names]);
  });

  it('may have no step but the agent’s own', () => {
    expect(readJob(job()).steps).toHaveLength(1);
  });

  it.each([
    ['', undefined, 'it is empty'],
    ['{"env":{"TOKEN":"pul-quoted-secret"', undefined, 'it is not JSON'],
    ['{"steps":[]}', undefined, 'steps: Too small'],
    [
      '{"env":{"A":{"ciphertext":"x"}},"steps":[{"run":""}]}',
      undefined,
      'env.A: is encrypted (ciphertext), which only Pulumi Cloud can read',
    ],
    [job('a'), 2, 'there is no step 2: the last one is 1'],
  ])('is refused as %j, with the problem but never a value', (text, to, reason) => {
    const refused = () => readJob(text, to);
    expect(refused).toThrow(OutcomeError);
    expect(refused).toThrow(`Failed to read the job for debug workflow-runner: ${reason}`);
    expect(refused).not.toThrow(/quoted-secret/);
  });
});
