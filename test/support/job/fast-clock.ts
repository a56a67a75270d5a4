import { type Clock, systemClock } from '../../../src/base/clock.ts';

/** A clock that runs, and ends sleeps, `pace` times as fast; the calls' own deadlines stay. */
export function fastClock(pace: number): Clock {
  const started = Date.now();
  return {
    now: () => started + (Date.now() - started) * pace,
    steady: () => systemClock.steady() * pace,
    sleep: (ms, signal) => systemClock.sleep(ms / pace, signal),
  };
}
