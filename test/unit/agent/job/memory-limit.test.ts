import { describe, expect, it } from 'vitest';
import { watchMemory } from '../../../../src/agent/job/memory-limit.ts';
import { StopSource } from '../../../../src/agent/job/stop.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

/** Watches a container that gives these answers in turn, the last one over and over. */
function watching(...answers: readonly (number | undefined | Error)[]) {
  const [stop, clock, ended] = [new StopSource(), new ManualClock(), new AbortController()];
  let looks = 0;
  const memory = async () => {
    const answer = answers[Math.min(looks, answers.length - 1)];
    looks += 1;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const over = watchMemory({ memory }, 100, stop, clock, ended.signal);
  return { stop, clock, ended, over, looks: () => looks };
}

describe('the watch over a job’s memory', () => {
  it('stops the job as soon as it finds the limit reached', async () => {
    const { stop, clock, over, looks } = watching(99, 99, 100);
    expect(await clock.next()).toBe(1_000);
    await clock.asleep();
    expect({ stop: stop.stop, looks: looks() }).toEqual({ stop: undefined, looks: 2 });
    await clock.next();
    await over;
    const reason = 'the job took 100 B of memory, and memory_soft_limit is 100 B';
    expect(stop.stop).toEqual({ by: 'memory', reason });
    expect(clock.sleeping).toBe(0);
  });

  it('continues when a reading fails, and when a later one is missing', async () => {
    const { stop, clock, over } = watching(new Error('away'), undefined, new Error('away'), 101);
    for (let look = 0; look < 3; look += 1) await clock.next();
    expect({ note: await over, by: stop.stop?.by }).toEqual({ note: undefined, by: 'memory' });
  });

  it('says once that the limit has no effect if the memory use is unknown', async () => {
    const { stop, clock, over } = watching(undefined);
    expect(await over).toContain('memory_soft_limit has no effect');
    expect({ stop: stop.stop, sleeping: clock.sleeping }).toEqual({ stop: undefined, sleeping: 0 });
  });

  it('ends with the job', async () => {
    const { stop, clock, ended, over } = watching(1);
    await clock.next();
    ended.abort();
    await over;
    expect({ stop: stop.stop, sleeping: clock.sleeping }).toEqual({ stop: undefined, sleeping: 0 });
  });
});
