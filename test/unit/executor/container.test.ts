import { expect, it } from 'vitest';
import { readMemory } from '../../../src/executor/container/shell.ts';
import { ShellReport } from '../../../src/executor/container/step-report.ts';

it('a step’s report has its leader and end, however the stream is split', async () => {
  const report = new ShellReport();
  for (const letter of '41\n42\n3 0 1 of 5000\n') report.read(letter);
  expect(report.leader).toBe(41);
  expect(await report.begun).toBe(41);
  expect(report.end).toEqual({ code: 3, state: { oomKills: 0, environmentChanged: true }, bytes: 5000 });
});

it('a step’s report has no end before its line is complete, and drops what a cut stream left of one', async () => {
  const report = new ShellReport();
  report.read('0 0 1 of 50');
  expect(report.end).toBeUndefined();
  report.startAnew();
  report.read('0 0 1 of 5000\n');
  expect(report.end).toMatchObject({ code: 0, bytes: 5000 });
  report.close();
  expect(await report.begun).toBeUndefined();
});

it('a step’s report keeps unknown text, up to a limit', () => {
  const report = new ShellReport();
  report.read('sh: tail: not found\n');
  expect(report.unknown).toBe('sh: tail: not found');
  report.read(`${'x'.repeat(5_000)}\n`);
  expect(report.unknown).toHaveLength(1_000);
});

it.each([
  ['94371840 20971520', 70 * 2 ** 20],
  // The two are read one after the other, so the second may be larger.
  ['1 2', 0],
  ['no', undefined],
  ['94371840 ', undefined],
])('a container’s memory is read from %j', (answer, expected) => {
  expect(readMemory(answer)).toBe(expected);
});
