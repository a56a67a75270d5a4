import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Reporter } from '../../../src/job/reporter.ts';
import { ManualClock, settled } from './manual-clock.ts';
import { type Fate, StrictReceiver } from './strict-receiver.ts';

/** Moves time on, whenever everybody waits for it, until `work` is done. */
async function driven<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let done = false;
  const end = work.finally(() => {
    done = true;
  });
  end.catch(() => undefined);
  for (await settled(); !done; await settled()) if (clock.sleeping > 0) await clock.next();
  return end;
}

/** One step: pieces of output, each of some lines, with a pause in between; then its end. */
const step = fc.record({
  pieces: fc.array(
    fc.record({ lines: fc.integer({ min: 1, max: 250 }), pauseMs: fc.constantFrom(0, 10, 700, 3_000) }),
    {
      maxLength: 5,
    },
  ),
});
const end = fc.constantFrom('succeeded' as const, 'failed' as const);
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Fate>('taken') },
  { weight: 1, arbitrary: fc.constant<Fate>('not-arrived') },
  { weight: 1, arbitrary: fc.constant<Fate>('answer-lost') },
);
/** Sizes that are refused: any call of more lines than this. */
const largest = fc.constantFrom(10, 40, Number.POSITIVE_INFINITY);

describe('the reports of a job', () => {
  it('arrive in order and whole, whatever single calls meet with', { timeout: 120_000 }, async () => {
    const fates = fc.infiniteStream(fate);
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        end,
        fates,
        largest,
        async (steps, last, stream, most) => {
          // Nothing follows a step that failed.
          const statusOf = (index: number) => (index < steps.length - 1 ? 'succeeded' : last);
          const clock = new ManualClock();
          let inARow = 0;
          const receiver = new StrictReceiver((call) => {
            const count = Number(/\+(\d+)$/.exec(call)?.[1] ?? 0);
            if (count > most) return 'too-large';
            // Never so often that the patience of minutes would end: what happens then is another test's.
            const next = inARow >= 3 ? 'taken' : (stream.next().value as Fate);
            inARow = next === 'taken' ? 0 : inARow + 1;
            return next;
          });
          const notices: string[] = [];
          const reporter = new Reporter({
            api: receiver,
            clock,
            onGone: () => notices.push('gone'),
            onNotice: (message) => notices.push(message),
            stopping: new AbortController().signal,
          });
          const order: string[] = [];
          const expected = steps.map(() => [] as string[]);
          const deliveries: Promise<{ sent: number; undelivered: number }>[] = [];
          const job = async () => {
            for (const [index, { pieces }] of steps.entries()) {
              const report = reporter.begin(index);
              for (const { lines, pauseMs } of pieces) {
                const t = new Date(clock.now()).toISOString();
                const texts = Array.from({ length: lines }, (_, at) => `${index}:${expected[index]!.length + at}\n`);
                expected[index]!.push(...texts);
                await report.log.write(texts.map((text) => ({ t, bytes: Buffer.from(text) })));
                if (pauseMs > 0) await clock.sleep(pauseMs, new AbortController().signal);
              }
              const before = () => {
                order.push(`before ${index}: ${receiver.steps.get(index)?.lines.length ?? 0}`);
                return Promise.resolve();
              };
              deliveries.push(report.finish(statusOf(index), before));
            }
            await reporter.drained();
          };
          await driven(clock, job());
          expect(notices).toEqual([]);
          for (const index of steps.keys()) {
            expect(receiver.steps.get(index)).toEqual({
              statuses: ['running', statusOf(index)],
              lines: expected[index],
            });
          }
          expect(order).toEqual(expected.map((lines, index) => `before ${index}: ${lines.length}`));
          expect(await Promise.all(deliveries)).toMatchObject(
            expected.map(({ length }) => ({ sent: length, undelivered: 0 })),
          );
        },
      ),
      { numRuns: 150 },
    );
  });
});
