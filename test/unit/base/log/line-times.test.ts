import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineTimes } from '../../../../src/base/log/step-file.ts';

test('a line has its time of arrival', () => {
  const steps = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 3 })), {
    minLength: 1,
  });
  fc.assert(
    fc.property(steps, fc.nat(), (blocks, forgotten) => {
      const times = new LineTimes();
      const expected: number[] = [];
      let time = 1;
      for (const [length, later] of blocks) {
        time += later;
        times.add(Buffer.from('\n'.repeat(length)), time);
        expected.push(...Array<number>(length).fill(time));
      }
      const from = forgotten % expected.length;
      times.forget(from);
      const positions = [...expected.keys()].slice(from);
      expect(positions.map((position) => times.at(position))).toEqual(expected.slice(from));
    }),
  );
});

test('a log that is never read keeps its times in order, and at most 65,536 of them', () => {
  const times = new LineTimes();
  for (let at = 0; at < 100_000; at++) times.add(Buffer.from('a\n'), 1_000 + at);
  expect([0, 2, 131_070, 131_072, 199_998].map((at) => times.at(at))).toEqual([
    1_000, 1_001, 66_535, 66_535, 66_535,
  ]);
  times.forget(131_072);
  times.add(Buffer.from('b\n'), 200_000);
  expect([199_998, 200_000].map((at) => times.at(at))).toEqual([66_535, 200_000]);
});
