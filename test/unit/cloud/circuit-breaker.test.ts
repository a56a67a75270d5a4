import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CircuitBreaker } from '../../../src/cloud/circuit-breaker.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

const PAUSE_MS = 600_000;
const [DOWN, STOPPED] = [new Error('HTTP 503'), new Error('the run was stopped')];

function breaker(failures: number) {
  const clock = new ManualClock();
  let pauses = 0;
  const made = new CircuitBreaker({
    failures,
    pauseMs: PAUSE_MS,
    clock,
    isFailure: (error) => error === DOWN,
    onPause: () => {
      pauses += 1;
    },
  });
  const ends = (error?: Error) =>
    made.watch(() => (error ? Promise.reject(error) : Promise.resolve())).catch(() => undefined);
  return { made, clock, ends, pauses: () => pauses };
}

describe('the circuit breaker', () => {
  it('pauses calls by the steady clock, says so once, and lets one call end the pause', async () => {
    const { made, clock, ends, pauses } = breaker(2);
    await ends(DOWN);
    expect({ isOpen: made.isOpen, pauses: pauses() }).toEqual({ isOpen: false, pauses: 0 });
    await ends(DOWN);
    expect({ isOpen: made.isOpen, restMs: made.restMs, pauses: pauses() }).toEqual({
      isOpen: true,
      restMs: PAUSE_MS + 1,
      pauses: 1,
    });
    clock.set(-PAUSE_MS);
    clock.pass(PAUSE_MS - 1);
    expect(made.isOpen).toBe(true);
    clock.pass(1);
    expect({ isOpen: made.isOpen, restMs: made.restMs }).toEqual({ isOpen: false, restMs: 0 });
    const answer = Promise.withResolvers<void>();
    const trial = made.watch(() => answer.promise);
    expect({ isOpen: made.isOpen, restMs: made.restMs }).toEqual({ isOpen: true, restMs: 0 });
    answer.resolve();
    await trial;
    await ends(DOWN);
    expect({ isOpen: made.isOpen, pauses: pauses() }).toEqual({ isOpen: false, pauses: 1 });
  });

  it('pauses anew when the trial fails, and tries the next call when the trial is aborted', async () => {
    const { made, ends, clock, pauses } = breaker(2);
    await ends(DOWN);
    await ends(DOWN);
    clock.pass(PAUSE_MS);
    await ends(STOPPED);
    expect({ isOpen: made.isOpen, pauses: pauses() }).toEqual({ isOpen: false, pauses: 1 });
    await ends(DOWN);
    expect({ isOpen: made.isOpen, restMs: made.restMs, pauses: pauses() }).toEqual({
      isOpen: true,
      restMs: PAUSE_MS + 1,
      pauses: 2,
    });
  });

  it('is closed by a call that began before the pause, but not kept open longer by one', async () => {
    const { made, ends, clock, pauses } = breaker(1);
    const [late, later] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const calls = [late, later].map(({ promise }) => made.watch(() => promise).catch(() => undefined));
    await ends(DOWN);
    clock.pass(1_000);
    late.reject(DOWN);
    await calls[0];
    expect({ restMs: made.restMs, pauses: pauses() }).toEqual({ restMs: PAUSE_MS - 1_000 + 1, pauses: 1 });
    later.resolve();
    await calls[1];
    expect(made.isOpen).toBe(false);
  });

  it('is open for exactly its pause after as many failures in a row as are set, whatever happens', async () => {
    const event = fc.record({
      end: fc.constantFrom(undefined, DOWN, DOWN, STOPPED),
      afterMs: fc.constantFrom(0, 1, PAUSE_MS - 1, PAUSE_MS),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(event, { maxLength: 40 }),
        async (failures, events) => {
          const { made, clock, ends, pauses } = breaker(failures);
          let [inRow, until, begun] = [0, Number.NEGATIVE_INFINITY, 0];
          for (const { end, afterMs } of events) {
            clock.pass(afterMs);
            expect(made.isOpen).toBe(clock.steady() < until);
            if (made.isOpen) continue;
            await ends(end);
            if (end === undefined) inRow = 0;
            if (end === DOWN) inRow += 1;
            if (end !== DOWN || inRow < failures) continue;
            until = clock.steady() + PAUSE_MS;
            begun += 1;
          }
          expect(pauses()).toBe(begun);
        },
      ),
    );
  });
});
