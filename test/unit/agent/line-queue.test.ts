import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineQueue } from '../../../src/agent/logging/line-queue.ts';
import type { Outlet } from '../../../src/agent/logging/outlets.ts';

const lost = (count: number) => `${count} lost`;
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** An outlet that takes a text when it is told to. */
function slowOutlet() {
  const taken: string[] = [];
  let pending: (() => void) | undefined;
  const outlet: Outlet = (text, done) => {
    pending = () => {
      taken.push(text);
      done();
    };
  };
  const take = async () => {
    const now = pending;
    pending = undefined;
    now?.();
    await settled();
    return now !== undefined;
  };
  return { outlet, taken, take };
}

const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

test('a thousand lines wait, further ones are counted, and that is said where they are missing', async () => {
  const { outlet, taken, take } = slowOutlet();
  const queue = new LineQueue(outlet, lost);
  for (const line of numbered(0, 1_250)) queue.write(line);
  await take();
  // Still full: what comes now would stand before the count of those that came earlier.
  queue.write('too early');
  while (await take());
  queue.write('again');
  while (await take());
  expect(taken).toEqual([...numbered(0, 1_000), '251 lost', 'again']);
});

test('whatever the outlet takes and refuses, each line is there in its place, or counted there', async () => {
  const round = fc.record({ lines: fc.nat(1_300), takes: fc.nat(1_400), works: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 6 }), async (rounds) => {
      let works = true;
      const { outlet, taken, take } = slowOutlet();
      const queue = new LineQueue((text, done) => {
        if (works) outlet(text, done);
        else done(new Error('disk full'));
      }, lost);
      let written = 0;
      for (const { lines, takes, works: next } of rounds) {
        works = next;
        for (let count = 0; count < lines; count += 1) queue.write(`line ${written++}`);
        for (let count = 0; count < takes && (await take()); count += 1);
      }
      works = true;
      const closed = queue.close(60_000);
      while (await take());
      await closed;
      let at = 0;
      for (const text of taken) {
        const [, count] = /^(\d+) lost$/.exec(text) ?? [];
        if (count === undefined) expect(text).toBe(`line ${at++}`);
        else at += Number(count);
      }
      expect(at).toBe(written);
    }),
    { numRuns: 40 },
  );
});

test('an outlet that takes nothing ever holds up the end no longer than it may', async () => {
  const { outlet, taken } = slowOutlet();
  const queue = new LineQueue(outlet, lost);
  queue.write('one');
  await queue.close(50);
  queue.write('later');
  expect(taken).toEqual([]);
});
