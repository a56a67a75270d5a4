import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineQueue, type Outlet } from '../../../src/agent/logging/line-queue.ts';
import { settled } from '../../support/job/manual-clock.ts';
import { runs } from '../../support/property-runs.ts';

const entry = (message: string) => ({ at: 0, level: 'info', message }) as const;

/** An outlet that takes an entry only when the test calls `take`. */
function slowOutlet() {
  const taken: string[] = [];
  let pending: (() => void) | undefined;
  const outlet: Outlet = ({ message }, done) => {
    pending = () => {
      taken.push(message);
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

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}`);

test('the queue holds a thousand lines, counts further ones, and says so in their place', async () => {
  const { outlet, taken, take } = slowOutlet();
  const queue = new LineQueue(outlet, () => 0);
  for (const line of numbered(0, 1_250)) queue.write(entry(line));
  await take();
  // Still full: this line would come before the count of those lost earlier.
  queue.write(entry('too early'));
  while (await take());
  queue.write(entry('again'));
  while (await take());
  const lost = 'Lost 251 lines of this log: its reader was too slow, or the disk was full.';
  expect(taken).toEqual([...numbered(0, 1_000), lost, 'again']);
});

test('whatever the outlet takes or refuses, each line is in its place or counted there', async () => {
  const round = fc.record({ lines: fc.nat(1_300), takes: fc.nat(1_400), works: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(round, { maxLength: 6 }), async (rounds) => {
      let works = true;
      const { outlet, taken, take } = slowOutlet();
      const refusing: Outlet = (line, done) => (works ? outlet(line, done) : done(new Error('disk full')));
      const queue = new LineQueue(refusing, () => 0);
      let written = 0;
      for (const { lines, takes, works: next } of rounds) {
        works = next;
        for (let count = 0; count < lines; count += 1) queue.write(entry(`line ${written++}`));
        for (let count = 0; count < takes && (await take()); count += 1);
      }
      works = true;
      const closed = queue.close(60_000);
      while (await take());
      await closed;
      let at = 0;
      for (const message of taken) {
        const [, count] = /^Lost (\d+) line/.exec(message) ?? [];
        if (count === undefined) expect(message).toBe(`line ${at++}`);
        else at += Number(count);
      }
      expect(at).toBe(written);
    }),
    { numRuns: runs(40) },
  );
});

test('an outlet that never takes anything delays the end no longer than allowed', async () => {
  const { outlet, taken } = slowOutlet();
  const queue = new LineQueue(outlet, () => 0);
  queue.write(entry('one'));
  await queue.close(50);
  queue.write(entry('later'));
  expect(taken).toEqual([]);
});
