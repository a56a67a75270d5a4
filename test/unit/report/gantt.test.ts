import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ganttOf } from '../../../src/report/gantt.ts';
import type { Bar } from '../../../src/report/timeline.ts';

const bar = (over: Partial<Bar>): Bar => ({
  phase: 'steps',
  name: '1 x',
  start: 0,
  end: 1_000,
  status: 'done',
  ...over,
});

test('a chart has a section for each phase and a line for each bar', () => {
  const bars = [
    bar({ phase: 'queue', name: 'Waiting', end: 90_500 }),
    bar({ name: '1 pulumi update: "prod"; #1', start: 90_500, end: 90_501, status: 'failed' }),
    bar({ name: '2 after', start: 90_501, end: 100_000, status: 'unfinished' }),
  ];
  expect(ganttOf({ bars, length: 100_000 })).toBe(
    [
      '```mermaid',
      'gantt',
      'dateFormat YYYY-MM-DD HH:mm:ss.SSS',
      'axisFormat %M:%S',
      'tickInterval 15second',
      'todayMarker off',
      'section Queue',
      'Waiting (1 min 31 s) :done, 2001-01-01 00:00:00.000, 90500ms',
      'section Steps',
      // Wide enough to be seen.
      '1 pulumi update· ·prod· ·1 (0 s) :crit, 2001-01-01 00:01:30.500, 400ms',
      '2 after (9.5 s) :active, 2001-01-01 00:01:30.501, 9499ms',
      '```',
    ].join('\n'),
  );
});

test('a long chart keeps its ends', () => {
  const bars = Array.from({ length: 500 }, (_, n) => bar({ name: `${n} ${'漢'.repeat(1_000)}`, start: n, end: n + 1 }));
  const chart = ganttOf({ bars, length: 500 });
  expect(chart.match(/:done/g)).toHaveLength(60);
  expect(chart).toContain('<p>440 bars in the middle are left out.</p>');
  expect(chart).toMatch(/\n499 漢/);
  // GitHub draws nothing that is longer.
  expect(chart.length).toBeLessThan(50_000);
});

test('no name gets out of its line', () => {
  const line =
    /^(?:gantt|(?:dateFormat|axisFormat|tickInterval|todayMarker|section) [\w:.% -]+|7[\p{L}\p{M}\p{N} _.,/()+=·…-]* \(0\.\d s\) :done, 2001-01-01 00:00:00\.000, \d+ms)$/u;
  const name = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 100 }),
    fc
      .array(fc.constantFrom(':', ';', '#', '%%', '{', '`', '\n', '\r', '\u2028', '---', '<', '&', '"', 'section'))
      .map((all) => all.join('')),
  );
  fc.assert(
    fc.property(name, (text) => {
      const lines = ganttOf({ bars: [bar({ name: `7 ${text}`, end: 300 })], length: 300 }).split('\n');
      expect(lines.at(0)).toBe('```mermaid');
      expect(lines.at(-1)).toBe('```');
      for (const inside of lines.slice(1, -1)) expect(inside).toMatch(line);
      expect(lines).toHaveLength(9);
    }),
    { numRuns: 1_000 },
  );
});

test('has at most eight ticks, however long it took', () => {
  const axis = (length: number) =>
    ganttOf({ bars: [bar({ end: length })], length })
      .split('\n')
      .slice(3, 5);
  expect(axis(300)).toEqual(['axisFormat %-S.%L s', 'tickInterval 100millisecond']);
  expect(axis(5_000)).toEqual(['axisFormat %M:%S', 'tickInterval 1second']);
  expect(axis(41 * 60_000)).toEqual(['axisFormat %H:%M', 'tickInterval 10minute']);
  expect(axis(12 * 3_600_000)).toEqual(['axisFormat %H:%M', 'tickInterval 2hour']);
  expect(axis(300 * 3_600_000)).toEqual(['axisFormat %j', 'tickInterval 1day']);
});
