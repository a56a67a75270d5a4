import { describe, expect, it } from 'vitest';
import { momentOf } from '../../../src/base/clock.ts';
import { type RunState, reasonToStop, type StopConditions } from '../../../src/pulumi-agent/stop.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

const IDLE: RunState = { hasWork: false, hasPolled: true, lastHeartbeat: undefined, isOver: false };

/** A watch driven by a manual clock; the test can change what it sees in `seen`. */
function watch(sight: Partial<RunState>, conditions: Partial<StopConditions> = {}) {
  const clock = new ManualClock();
  const [drain, interrupt, exit] = [new AbortController(), new AbortController(), new AbortController()];
  const seen = { ...IDLE, ...sight };
  const closed: number[] = [];
  const ended = reasonToStop({
    state: () => seen,
    clock,
    maxWaitMs: undefined,
    graceMs: 60_000,
    drain: drain.signal,
    interrupted: interrupt.signal,
    giveNoWork: async () => void closed.push(clock.steady()),
    exited: exit.signal,
    ...conditions,
  });
  return {
    clock,
    seen: seen as { -readonly [K in keyof RunState]: RunState[K] },
    ended,
    drain,
    interrupt,
    exit,
    closed,
  };
}

describe('a run of Pulumi’s agent', () => {
  it('ends when no work comes in time, once no poll is under way', async () => {
    const { clock, ended, closed } = watch({}, { maxWaitMs: 5_000 });
    await clock.advance(6_000);
    expect(await ended).toMatchObject({ by: 'wait' });
    expect(closed).toHaveLength(1);
  });

  it('does not end when the last poll brings work after all', async () => {
    const scene = watch(
      {},
      {
        maxWaitMs: 5_000,
        giveNoWork: async () => {
          scene.seen.hasWork = true;
        },
      },
    );
    await scene.clock.advance(60_000);
    scene.exit.abort();
    expect(await scene.ended).toBeUndefined();
  });

  it('ends when it has not asked for work within 2 minutes, whatever the wait', async () => {
    const { clock, ended } = watch({ hasPolled: false }, { maxWaitMs: 0 });
    await clock.advance(119_000);
    await clock.advance(2_000);
    expect(await ended).toEqual({ by: 'start', reason: 'it did not ask for work within 2 minutes' });
  });

  it('ends 8 minutes after the last accepted heartbeat, and no sooner', async () => {
    const scene = watch({ hasWork: true });
    scene.seen.lastHeartbeat = momentOf(scene.clock);
    await scene.clock.advance(7 * 60_000);
    scene.seen.lastHeartbeat = momentOf(scene.clock);
    await scene.clock.advance(7 * 60_000 + 59_000);
    let isEnded = false;
    void scene.ended.then(() => {
      isEnded = true;
    });
    await Promise.resolve();
    expect(isEnded).toBe(false);
    await scene.clock.advance(2_000);
    expect(await scene.ended).toEqual({
      by: 'lease',
      reason: expect.stringMatching(/^no heartbeat was accepted for 8 minutes/),
    });
  });

  it.each([
    ['8 minutes forward', 8 * 60_000],
    ['a day forward', 24 * 3_600_000],
    ['8 minutes back', -8 * 60_000],
  ])('goes on when the clock steps %s, as the next heartbeat is accepted', async (_, ms) => {
    const scene = watch({ hasWork: true });
    scene.seen.lastHeartbeat = momentOf(scene.clock);
    scene.clock.set(ms);
    // Pulumi's agent sends one every 30 s.
    for (let at = 0; at < 20; at += 1) {
      await scene.clock.advance(30_000);
      scene.seen.lastHeartbeat = momentOf(scene.clock);
    }
    scene.exit.abort();
    expect(await scene.ended).toBeUndefined();
  });

  it('ends a minute after the clock stepped forward if no heartbeat is accepted by then', async () => {
    const scene = watch({ hasWork: true });
    scene.seen.lastHeartbeat = momentOf(scene.clock);
    await scene.clock.advance(30_000);
    scene.clock.set(20 * 60_000);
    await scene.clock.advance(59_000);
    expect(scene.clock.sleeping).toBe(1);
    await scene.clock.advance(2_000);
    expect(await scene.ended).toMatchObject({
      by: 'lease',
      reason: expect.stringMatching(/^this machine was suspended, or its clock set forward, by about 20 min/),
    });
  });

  it('ends when it lingers with nothing left to do', async () => {
    const { clock, ended } = watch({ hasWork: true, isOver: true });
    await clock.advance(181_000);
    expect(await ended).toMatchObject({ by: 'linger' });
  });

  it('does not end for lack of heartbeats when nothing is left to do, however long a step takes to end', async () => {
    const scene = watch({ hasWork: true, isOver: true }, { graceMs: 15 * 60_000 });
    scene.seen.lastHeartbeat = momentOf(scene.clock);
    await scene.clock.advance(18 * 60_000);
    expect(await scene.ended).toMatchObject({ by: 'linger' });
  });

  it('ends at once on an interrupt, or on a drain while it waits', async () => {
    const asked = watch({ hasWork: true });
    asked.interrupt.abort(new Error('the agent was interrupted by SIGINT'));
    await asked.clock.advance(300);
    expect(await asked.ended).toEqual({ by: 'signal', reason: 'the agent was interrupted by SIGINT' });
    const left = watch({});
    left.drain.abort();
    await left.clock.advance(300);
    expect(await left.ended).toMatchObject({ by: 'drain' });
  });
});
