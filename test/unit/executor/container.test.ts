import { expect, it } from 'vitest';
import { readMemory } from '../../../src/executor/container/memory.ts';
import { StepReport } from '../../../src/executor/container/step-report.ts';

it('has the leader and the end, however the stream is cut into pieces', async () => {
  const report = new StepReport();
  for (const letter of '41\n42\n3 0 1 of 5000\n') report.read(letter);
  expect(report.leader).toBe(41);
  expect(await report.begun).toBe(41);
  expect(report.end).toEqual({ code: 3, state: { oomKills: 0, environmentChanged: true }, bytes: 5000 });
});

it('knows no end before its line is whole, and drops what a cut stream left of one', async () => {
  const report = new StepReport();
  report.read('0 0 1 of 50');
  expect(report.end).toBeUndefined();
  report.startAnew();
  report.read('0 0 1 of 5000\n');
  expect(report.end).toMatchObject({ code: 0, bytes: 5000 });
  report.close();
  expect(await report.begun).toBeUndefined();
});

it('keeps what is no report, up to a length', () => {
  const report = new StepReport();
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
])('a container answers %j', (answer, expected) => {
  expect(readMemory(answer)).toBe(expected);
});
