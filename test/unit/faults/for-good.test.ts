import { describe, expect, it } from 'vitest';
import { pageWith, RELIABILITY_PAGE } from './page.ts';
import { EVERYTHING, had, Rows } from './row.ts';
import { endForGood, LASTING } from './table.ts';

const rows = new Rows('always');

describe('for good, at every call of a run,', () => {
  it.each(LASTING)('%s', { timeout: 120_000 }, async (name, failure) => {
    for (const { call, end, seen } of await rows.run(name, (_, at) => endForGood(failure, at))) {
      const { steps = [], notices = [] } = seen.result ?? {};
      // Every line is in Pulumi Cloud, or counted.
      for (const { lines, cloud } of steps) expect.soft([call, cloud.sent + cloud.undelivered]).toEqual([call, lines]);
      if (end !== 'succeeded') continue;
      expect.soft([call, seen.ran, steps.map(({ lines }) => lines)]).toEqual([call, [1, 1], [2, 250, 130]]);
      const isStatus = call.endsWith('status');
      const isReport = isStatus || call.endsWith('lines');
      if (failure === 'odd' || !isReport) expect.soft([call, had(seen)]).toEqual([call, EVERYTHING]);
      else
        expect.soft([call, notices.join('\n')]).toEqual([call, expect.stringMatching(/log lines .* in the artifact/)]);
      if (failure !== 'odd' && isStatus)
        expect.soft(notices).toContainEqual(expect.stringMatching(/^Pulumi Cloud could not be told how the job ended/));
    }
  });
});

describe('the page on reliability', () => {
  it('says what was seen', async () => {
    await expect(await pageWith({ always: rows.ends })).toMatchFileSnapshot(RELIABILITY_PAGE);
  });
});
