import { describe, expect, it } from 'vitest';
import { pageWith, RELIABILITY_PAGE } from './page.ts';
import { EVERYTHING, had, Rows } from './row.ts';
import { faults } from './table.ts';

const rows = new Rows('once');

describe('once, at every call of a run,', () => {
  it.each(faults('').map(({ name }) => name))('%s', { timeout: 120_000 }, async (name) => {
    for (const { call, end, seen } of await rows.run(name, (fault, at) => fault.ends?.[at] ?? 'succeeded')) {
      expect.soft([call, seen.hits]).toEqual([call, 1]);
      if (end === 'succeeded') {
        expect.soft([call, had(seen)]).toEqual([call, EVERYTHING]);
      } else {
        const [setup, ...others] = seen.deployment.steps.map(({ status }) => status);
        expect.soft([call, seen.ran, setup]).toEqual([call, [0, 0], call === 'definition' ? 'failed' : 'not-started']);
        expect.soft(others).toEqual(['not-started', 'not-started']);
      }
    }
  });
});

describe('the page on reliability', () => {
  it('says what was seen', async () => {
    await expect(await pageWith({ once: rows.ends })).toMatchFileSnapshot(RELIABILITY_PAGE);
  });
});
