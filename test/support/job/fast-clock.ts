import { type Clock, systemClock } from '../../../src/clock.ts';

/** Time that passes `pace` times as fast, for whatever is waited for; the calls' own deadlines stay. */
export function fastClock(pace: number): Clock {
  const started = Date.now();
  return {
    now: () => started + (Date.now() - started) * pace,
    steady: () => systemClock.steady() * pace,
    sleep: (ms, signal) => systemClock.sleep(ms / pace, signal),
  };
}
