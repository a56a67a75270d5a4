import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { NewJobOptions } from '../emulators/github/github.ts';
import type { PhaseResult } from '../emulators/github/phase.ts';
import { enqueue, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

/** Runs a CI job that polls once; returns the result of main. */
async function once(inputs: Record<string, string> = {}, options: NewJobOptions = {}): Promise<PhaseResult> {
  const { main } = await stage.run({ 'max-wait': '0s', ...inputs }, {}, options);
  expect(existsSync(main.outputs['run-directory'] ?? '')).toBe(true);
  return main;
}

describe('the artifact', () => {
  it('is kept for the configured number of days, under its own name in each matrix job and re-run', async () => {
    enqueue(stage, { 'pulumi update': 'echo updated' });
    const named = await once({ 'max-wait': '10s', 'artifact-retention-days': '3' });
    const [{ createdAt = Number.NaN, expiresAt = Number.NaN } = {}] = stage.github.artifacts.list();
    expect(Math.round((Number(expiresAt) - Number(createdAt)) / 864_000) / 100).toBe(3);
    await Promise.all([once(), once({}, { attempt: 2 })]);
    const names = stage.github.artifacts.list().map(({ name }) => name);
    const { runId } = (await stage.job()).identity;
    expect(names.map((name) => name.replace(/-[0-9a-f]{6}$/, '')).sort()).toEqual(
      ['network-prod-1-deploy-1', `${runId}-deploy-1`, `${runId}-deploy-2`]
        .map((end) => `pulumi-runner-${end}`)
        .sort(),
    );
    expect(new Set(names).size).toBe(3);
    expect(named.outputs['artifact-url']).toBe(
      `https://github.com/acme/infrastructure/actions/runs/${runId}/artifacts/${named.outputs['artifact-id']}`,
    );
  });

  it.each([
    ['on-failure', 'fail', 'failure', 1],
    ['on-failure', 'succeed', 'success', 0],
  ])(
    'follows upload-artifact %s: with on-no-work %s, a run without work ends in %s and uploads %s',
    async (when, noWork, conclusion, count) => {
      const main = await once({ 'upload-artifact': when, 'on-no-work': noWork });
      expect(main.conclusion).toBe(conclusion);
      expect(main.outputs['artifact-id']).toMatch(count === 0 ? /^$/ : /^\d+$/);
      expect(main.outputs['artifact-url']).toMatch(count === 0 ? /^$/ : /^https:/);
      expect(stage.github.artifacts.list()).toHaveLength(count);
      expect(stage.github.artifacts.calls.length > 0).toBe(count > 0);
      expect(main.summary).not.toBe('');
    },
  );
});
