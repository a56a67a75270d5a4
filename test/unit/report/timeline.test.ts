import { expect, test } from 'vitest';
import type { RunReport } from '../../../src/report/report.ts';
import { timelineOf } from '../../../src/report/timeline.ts';

const REPORT: RunReport = {
  outcome: 'failed',
  message: '',
  startedAt: 1_000,
  claimedAt: 4_000,
  finishedAt: 20_000,
  forwarded: [],
  notices: [],
  steps: [
    { index: 0, name: 'Setup', status: 'succeeded', startedAt: 4_500, finishedAt: 6_000 },
    { index: 1, name: 'update', status: 'failed', startedAt: 6_000, finishedAt: 18_000 },
    { index: 2, name: 'after', status: 'not-started' },
  ],
};

test('waiting, preparation, steps and reporting follow each other', () => {
  expect(timelineOf(REPORT)).toEqual({
    length: 19_000,
    bars: [
      { phase: 'queue', name: 'Waiting for a deployment', start: 0, end: 3_000, status: 'done' },
      { phase: 'preparation', name: '0 Setup', start: 3_500, end: 5_000, status: 'done' },
      { phase: 'steps', name: '1 update', start: 5_000, end: 17_000, status: 'failed' },
      { phase: 'reporting', name: 'Last reports and clearing up', start: 17_000, end: 19_000, status: 'done' },
    ],
  });
});

test('a step that was never finished lasts to the last that is known, and nothing is reported behind it', () => {
  const steps = [...REPORT.steps.slice(0, 1), { index: 1, name: 'x', status: 'running' as const, startedAt: 6_000 }];
  const bars = timelineOf({ ...REPORT, steps })?.bars;
  expect(bars?.at(-1)).toEqual({ phase: 'steps', name: '1 x', start: 5_000, end: 19_000, status: 'unfinished' });
});

test('a clock that was set back turns no bar round', () => {
  const steps = [{ index: 1, name: 'x', status: 'succeeded' as const, startedAt: 10_000, finishedAt: 9_000 }];
  const { bars = [] } = timelineOf({ ...REPORT, claimedAt: 500, finishedAt: 100, steps }) ?? {};
  expect(bars.map(({ start, end }) => [start, end])).toEqual([
    [500, 500],
    [9_500, 9_500],
  ]);
});

test('what came before the wait is told apart from it when it took its time', () => {
  const bars = (waitSeconds: number) =>
    timelineOf({ ...REPORT, waitSeconds })
      ?.bars.filter(({ phase }) => phase === 'queue')
      .map(({ name, start, end }) => [name, start, end]);
  expect(bars(2.2)).toEqual([
    ['Start and sign-in', 0, 800],
    ['Waiting for a deployment', 800, 3_000],
  ]);
  for (const waitSeconds of [2.95, 3, 100]) expect(bars(waitSeconds)).toEqual([['Waiting for a deployment', 0, 3_000]]);
});

test('a run without a claim has no timeline', () => {
  const { claimedAt: _, ...rest } = REPORT;
  expect(timelineOf({ ...rest, steps: [] })).toBeUndefined();
});
