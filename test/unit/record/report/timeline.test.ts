import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ganttOf } from '../../../../src/record/report/gantt.ts';
import type { RunReport } from '../../../../src/record/report/report.ts';
import { type Bar, timelineOf } from '../../../../src/record/report/timeline.ts';
import { timelinePicture } from '../../../../src/record/report/timeline-picture.ts';
import { runs } from '../../../support/property-runs.ts';

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
      { phase: 'reporting', name: 'Last reports and cleanup', start: 17_000, end: 19_000, status: 'done' },
    ],
  });
});

test('an unfinished step lasts until the last known moment, and no reporting follows it', () => {
  const steps = [
    ...REPORT.steps.slice(0, 1),
    { index: 1, name: 'x', status: 'running' as const, startedAt: 6_000 },
  ];
  const bars = timelineOf({ ...REPORT, steps })?.bars;
  expect(bars?.at(-1)).toEqual({
    phase: 'steps',
    name: '1 x',
    start: 5_000,
    end: 19_000,
    status: 'unfinished',
  });
});

test('a clock that was set back reverses no bar', () => {
  const steps = [{ index: 1, name: 'x', status: 'succeeded' as const, startedAt: 10_000, finishedAt: 9_000 }];
  const { bars = [] } = timelineOf({ ...REPORT, claimedAt: 500, finishedAt: 100, steps }) ?? {};
  expect(bars.map(({ start, end }) => [start, end])).toEqual([
    [500, 500],
    [9_500, 9_500],
  ]);
});

test('the time before the wait gets its own bar if it was noticeable', () => {
  const bars = (waitSeconds: number) =>
    timelineOf({ ...REPORT, waitSeconds })
      ?.bars.filter(({ phase }) => phase === 'queue')
      .map(({ name, start, end }) => [name, start, end]);
  expect(bars(2.2)).toEqual([
    ['Start and sign-in', 0, 800],
    ['Waiting for a deployment', 800, 3_000],
  ]);
  for (const waitSeconds of [2.95, 3, 100])
    expect(bars(waitSeconds)).toEqual([['Waiting for a deployment', 0, 3_000]]);
});

test('a run without a claim has no timeline', () => {
  const { claimedAt: _, ...rest } = REPORT;
  expect(timelineOf({ ...rest, steps: [] })).toBeUndefined();
});

const bar = (over: Partial<Bar>): Bar => ({
  phase: 'steps',
  name: '1 x',
  start: 0,
  end: 1_000,
  status: 'done',
  ...over,
});

test('a chart has a line for each bar', () => {
  const bars = [
    bar({ phase: 'queue', name: 'Waiting', end: 90_500 }),
    bar({ name: '1 pulumi update: "prod"; #1', start: 90_500, end: 90_501, status: 'failed' }),
    bar({ name: '2 after', start: 90_501, end: 100_000, status: 'unfinished' }),
  ];
  const [fence, colours, ...rest] = ganttOf({ bars, length: 100_000 }).split('\n');
  expect({ fence, colours }).toEqual({
    fence: '```mermaid',
    colours: expect.stringMatching(/^%%\{init: \{"themeVariables":\{"section.*\}%%$/),
  });
  expect(rest).toEqual([
    'gantt',
    'dateFormat YYYY-MM-DD HH:mm:ss.SSS',
    'axisFormat %M:%S',
    'tickInterval 15second',
    'todayMarker off',
    'Waiting (1 min 31 s) :done, 2001-01-01 00:00:00.000, 90500ms',
    // Widened to be visible.
    '1 pulumi update· ·prod· ·1 (0 s) :crit, 2001-01-01 00:01:30.500, 400ms',
    '2 after (9.5 s) :active, crit, 2001-01-01 00:01:30.501, 9499ms',
    '```',
    '',
    '<p>grey: waiting · red: failed · blue with a red edge: not finished</p>',
  ]);
});

test('a long chart keeps its ends', () => {
  const bars = Array.from({ length: 500 }, (_, n) =>
    bar({ name: `${n} ${'漢'.repeat(1_000)}`, start: n, end: n + 1 }),
  );
  const chart = ganttOf({ bars, length: 500 });
  expect(chart.match(/ :2001/g)).toHaveLength(60);
  expect(chart).toContain(' · 440 bars in the middle are omitted</p>');
  expect(chart).toMatch(/\n499 漢/);
  // GitHub draws no longer chart.
  expect(chart.length).toBeLessThan(50_000);
});

test('no name breaks out of its line', () => {
  const line =
    /^(?:gantt|(?:dateFormat|axisFormat|tickInterval|todayMarker|section) [\w:.% -]+|7[\p{L}\p{M}\p{N} _.,/()+=·…-]* \(0\.\d s\) :2001-01-01 00:00:00\.000, \d+ms)$/u;
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc
      .array(
        fc.constantFrom(':', ';', '#', '%%', '{', '`', '\n', '\r', '\u2028', '---', '<', '&', '"', 'section'),
      )
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(name, (text) => {
      const lines = ganttOf({ bars: [bar({ name: `7 ${text}`, end: 300 })], length: 300 }).split('\n');
      expect(lines.at(0)).toBe('```mermaid');
      expect(lines.slice(-3)).toEqual(['```', '', '<p>green: succeeded</p>']);
      for (const inside of lines.slice(2, -3)) expect(inside).toMatch(line);
      expect(lines).toHaveLength(11);
    }),
    { numRuns: runs(1_000) },
  );
});

test('a chart has few ticks, however long the run took', () => {
  const axis = (length: number) =>
    ganttOf({ bars: [bar({ end: length })], length })
      .split('\n')
      .slice(4, 6);
  expect(axis(300)).toEqual(['axisFormat %-S.%L s', 'tickInterval 100millisecond']);
  expect(axis(41 * 60_000)).toEqual(['axisFormat %H:%M', 'tickInterval 10minute']);
  expect(axis(300 * 3_600_000)).toEqual(['axisFormat %j', 'tickInterval 1day']);
});

test('the picture has round ticks, a legend for what occurs, and its rows in words', () => {
  const bars = [
    bar({ phase: 'queue', name: 'Waiting', end: 42_000 }),
    bar({ name: '1 <b>', start: 42_000, end: 125_000, status: 'failed' }),
  ];
  const picture = timelinePicture({ bars, length: 125_000 });
  expect([...picture.matchAll(/<text class="tick[^>]*>([^<]+)</g)].map(([, label]) => label)).toEqual([
    ...['0 s', '30 s', '1 min', '1 min 30 s', '2 min'],
  ]);
  expect([...picture.matchAll(/<\/svg> ([a-z ]+)<\/span>/g)].map(([, words]) => words)).toEqual([
    'waiting',
    'failed',
  ]);
  expect(picture).toContain(
    'aria-label="How the run spent its time: Waiting · 42 s; 1 &lt;b&gt; · 1 min 23 s"',
  );
});
