import { describe, expect, it } from 'vitest';
import { readJob } from '../../../src/cli/debug.ts';
import { OutcomeError } from '../../../src/outcome.ts';

const job = (...scripts: string[]) =>
  JSON.stringify({ steps: [{ name: 'Setup' }, ...scripts.map((run) => ({ name: run, run }))] });

describe('the job of debug workflow-runner', () => {
  it.each([
    [{}, ['a', 'b', 'c']],
    [{ from: 2 }, ['b', 'c']],
    [{ to: 2 }, ['a', 'b']],
    [{ from: 3, to: 3 }, ['c']],
  ])('with %j runs %j, behind the agent’s own step', (range, names) => {
    expect(readJob(job('a', 'b', 'c'), range).steps.map(({ name }) => name)).toEqual(['Setup', ...names]);
  });

  it('may have no step but the agent’s own', () => {
    expect(readJob(job(), {}).steps).toHaveLength(1);
  });

  it.each([
    ['', {}, 'it is empty'],
    ['{"env":{"TOKEN":"pul-quoted-secret"', {}, 'it is not JSON'],
    ['{"steps":[]}', {}, 'steps: Too small'],
    [
      '{"env":{"A":{"ciphertext":"x"}},"steps":[{"run":""}]}',
      {},
      'env.A: is encrypted (ciphertext), which only Pulumi Cloud can read',
    ],
    [job('a'), { from: 2 }, 'there are no steps 2 to 1: the last one is 1'],
    [job('a', 'b', 'c'), { from: 3, to: 1 }, 'there are no steps 3 to 1'],
    [job(), { from: 2 }, 'there are no steps 2 to 0'],
  ])('%j is refused, by what is wrong and never by a value', (text, range, reason) => {
    const refused = () => readJob(text, range);
    expect(refused).toThrow(OutcomeError);
    expect(refused).toThrow(`Failed to read the job for debug workflow-runner: ${reason}`);
    expect(refused).not.toThrow(/quoted-secret/);
  });
});
