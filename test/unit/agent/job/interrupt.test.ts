import { describe, expect, it } from 'vitest';
import { interrupt } from '../../../../src/agent/job/interrupt.ts';
import { StopSource } from '../../../../src/agent/job/stop.ts';
import type { StepExit, StepProcess, StopSignal } from '../../../../src/executor/executor.ts';
import { driven } from '../../../support/job/driven.ts';
import { ManualClock, settled } from '../../../support/job/manual-clock.ts';

const GRACE = 120_000;

/** Interrupts `step` with a manual clock. */
function interrupted(step: StepProcess, graceMs = GRACE) {
  const clock = new ManualClock();
  const told: [StopSignal, number][] = [];
  const started = clock.now();
  const stop = new StopSource();
  const onSignal = (signal: StopSignal) => told.push([signal, clock.now() - started]);
  return {
    clock,
    told,
    /** Advances the clock once the interrupt waits for the step. */
    pass: async (ms: number) => {
      await clock.asleep();
      await settled();
      await clock.advance(ms);
    },
    /** Requests that it end within `ms` from now. */
    endWithin: (ms: number) => {
      stop.request({ by: 'lease', reason: 'lost', endBy: clock.steady() + ms });
      return settled();
    },
    exit: interrupt(step, { clock, graceMs, stop, onSignal }),
  };
}

/** A step that handles signals with `signal`. */
function stepOf(signal: (name: StopSignal) => Promise<void>, exit = Promise.withResolvers<StepExit>()) {
  exit.promise.catch(() => undefined);
  const sent: StopSignal[] = [];
  const step: StepProcess = {
    exit: exit.promise,
    signal: (name) => {
      sent.push(name);
      return signal(name);
    },
  };
  return { step, sent, exit };
}

describe('an interrupted process', () => {
  const TIMES = [
    ['SIGINT', 0],
    ['SIGTERM', GRACE],
    ['SIGKILL', GRACE + 10_000],
  ] as const;

  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'])('that ends on %s gets no further signal', async (last) => {
    const end = { code: 3, outOfMemory: false };
    const { step, sent, exit: ends } = stepOf(async (name) => void (name === last && ends.resolve(end)));
    const { clock, told, exit } = interrupted(step);
    await driven(clock, exit);
    expect(await exit).toEqual(end);
    expect(told).toEqual(TIMES.slice(0, TIMES.findIndex(([name]) => name === last) + 1));
    expect({ sent, sleeping: clock.sleeping }).toEqual({ sent: told.map(([name]) => name), sleeping: 0 });
  });

  it('whose container goes away is given up at once', async () => {
    const { step, exit: ends } = stepOf(() => Promise.resolve());
    const { clock, exit } = interrupted(step);
    await clock.asleep();
    ends.reject(new Error('The container went away.'));
    expect(await exit).toBeUndefined();
    expect(clock.sleeping).toBe(0);
  });
});

const never = () => new Promise<void>(() => undefined);
const MINUTE = 60_000;

describe('a run’s deadline', () => {
  it.each([0, 1, 20])('set %d minutes into the grace period is met', async (minutes) => {
    const { step, sent } = stepOf(() => Promise.resolve());
    const { clock, told, exit, endWithin, pass } = interrupted(step, 30 * MINUTE);
    await pass(minutes * MINUTE);
    await endWithin(2 * MINUTE);
    const ended = exit.then((end) => [end, clock.steady()]);
    const lost = clock.steady();
    await clock.advance(2 * MINUTE);
    // The last ten seconds are for removing the container.
    expect(await ended).toEqual([undefined, lost + 110_000]);
    expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    const at = minutes * MINUTE;
    expect(told.map(([, when]) => when)).toEqual([0, at + 90_000, at + 100_000]);
    expect(clock.sleeping).toBe(0);
  });

  it('leaves the pod time to interrupt itself if the interrupt doesn’t arrive', async () => {
    const { step, sent } = stepOf(never);
    const { clock, exit, endWithin, pass } = interrupted(step, 30 * MINUTE);
    await pass(MINUTE);
    await endWithin(2 * MINUTE);
    const ended = exit.then(() => clock.steady());
    const lost = clock.steady();
    await clock.advance(2 * MINUTE);
    expect(await ended).toBe(lost + 30_000);
    expect(sent).toEqual(['SIGINT']);
  });

  it('that has passed ends the run within a second', async () => {
    const { step, sent } = stepOf(never);
    const { clock, exit, endWithin, pass } = interrupted(step, 30 * MINUTE);
    await endWithin(0);
    await pass(1_000);
    expect(await exit).toBeUndefined();
    expect({ sleeping: clock.sleeping, sent }).toEqual({ sleeping: 0, sent: ['SIGINT'] });
  });
});

describe('an executor', () => {
  it.each<[string, () => Promise<void>]>([
    ['refuses signals', () => Promise.reject(new Error('HTTP 500'))],
    ['sends signals that change nothing', () => Promise.resolve()],
  ])('that %s is asked for all three, then the process is given up', async (_, signal) => {
    const { step, sent } = stepOf(signal);
    const { clock, told, exit, pass } = interrupted(step);
    for (const ms of [GRACE, 10_000, 10_000]) await pass(ms);
    expect(await exit).toBeUndefined();
    expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    expect(told.map(([, at]) => at)).toEqual([0, GRACE, GRACE + 10_000]);
    expect(clock.now() - Date.parse('2026-06-18T10:00:00Z')).toBe(GRACE + 20_000);
  });

  it('that is unreachable for a while gets no other signal until the first has had its time', async () => {
    const [delivered, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<StepExit>()];
    const { step, sent } = stepOf(() => delivered.promise, ends);
    const { clock, exit, pass } = interrupted(step);
    await pass(GRACE + 10_000);
    expect(sent).toEqual(['SIGINT']);
    delivered.resolve();
    await settled();
    await clock.advance(GRACE - 1);
    expect(sent).toEqual(['SIGINT']);
    await clock.advance(1);
    expect(sent).toEqual(['SIGINT', 'SIGTERM']);
    ends.resolve({ code: 0, outOfMemory: false });
    expect(await exit).toEqual({ code: 0, outOfMemory: false });
    expect(clock.sleeping).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'that never takes %s is asked for nothing harsher',
    async (name) => {
      const { step, sent } = stepOf((signal) => (signal === name ? never() : Promise.resolve()));
      const { clock, exit, pass } = interrupted(step);
      if (name === 'SIGTERM') await pass(GRACE);
      await pass(359_999);
      expect(clock.sleeping).toBe(1);
      await pass(1);
      expect(await exit).toBeUndefined();
      expect(sent.at(-1)).toBe(name);
      expect(clock.sleeping).toBe(0);
    },
  );
});
