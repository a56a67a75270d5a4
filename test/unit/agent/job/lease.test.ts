import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { accept, hang, kept, refuse } from '../../../support/job/kept-lease.ts';
import { settled } from '../../../support/job/manual-clock.ts';
import { runs } from '../../../support/property-runs.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** The longest time to the next look at the clock. */
const LOOK = 5 * SECOND;

describe('a heartbeat', () => {
  it('is sent at once, then every 30 s, and never after the stop', async () => {
    const one = await kept();
    await one.clock.advance(90_000);
    expect(one.times).toEqual([0, 30_000, 60_000, 90_000]);
    expect(one).toMatchObject({ acceptances: 4, failures: 0 });
    await one.lease.stop();
    await one.clock.advance(300_000);
    expect(one.times).toHaveLength(4);
    expect(one.clock.sleeping).toBe(0);
  });

  it('that fails is reported and retried after 5 s', async () => {
    const one = await kept();
    one.beat = refuse;
    await one.clock.advance(35_000);
    one.beat = accept;
    await one.clock.advance(35_000);
    expect(one.times).toEqual([0, 30_000, 35_000, 40_000, 70_000]);
    expect(one.failures).toBe(2);
  });

  it('is dated from its request, when the server’s clock started', async () => {
    const answer = Promise.withResolvers<void>();
    const one = await kept(() => answer.promise);
    const asked = one.begun[0]!;
    await one.clock.advance(20_000);
    answer.resolve();
    await settled();
    expect(one.lease.lastAccepted).toEqual(asked);
    await one.clock.advance(10_000);
    expect(one.times).toEqual([0, 30_000]);
  });

  it('continues after the lease is lost, so that a late acceptance lets the end be reported', async () => {
    const one = await kept(refuse);
    await one.clock.advance(9 * MINUTE);
    expect(one.lost).toHaveLength(1);
    const { length } = one.begun;
    one.beat = accept;
    await one.clock.advance(30 * MINUTE);
    expect(one.begun.length).toBeGreaterThanOrEqual(length + 60);
    expect(one.lost).toHaveLength(1);
  });

  it('is not in flight when the stop resolves, whether its call heeds the signal or not', async () => {
    const heeding = await kept(hang);
    await heeding.lease.stop();
    expect(heeding).toMatchObject({ inFlight: 0, failures: 0 });
    const answer = Promise.withResolvers<void>();
    const one = await kept(() => answer.promise);
    const stop = one.lease.stop().then(() => one.inFlight);
    await settled();
    expect(one.inFlight).toBe(1);
    answer.resolve();
    expect(await stop).toBe(0);
    expect({ begun: one.begun.length, sleeping: one.clock.sleeping }).toEqual({ begun: 1, sleeping: 0 });
  });
});

describe('the fence', () => {
  it.each([
    ['is refused', refuse],
    ['hangs', hang],
  ])('falls 8 minutes after the claim when every heartbeat %s', async (_, beat) => {
    const { clock, lost, begun } = await kept(beat);
    await clock.advance(8 * MINUTE - 1);
    expect(lost).toEqual([]);
    await clock.advance(1);
    const endBy = clock.steady() + 2 * MINUTE;
    expect(lost).toEqual([{ atLeast: 8 * MINUTE, atMost: 8 * MINUTE, endBy }]);
    expect(begun.length).toBeGreaterThanOrEqual(beat === hang ? 1 : 90);
  });

  it('falls once, 8 minutes after the last accepted heartbeat was sent', async () => {
    const one = await kept();
    await one.clock.advance(20 * MINUTE);
    one.beat = refuse;
    await one.clock.advance(8 * MINUTE - 1);
    expect({ lost: one.lost, leftMs: one.lease.leftMs }).toEqual({ lost: [], leftMs: 1 });
    await one.clock.advance(30 * MINUTE);
    expect(one.lost).toHaveLength(1);
  });
});

describe('a clock that is set', () => {
  it.each([-HOUR, -10 * 365 * 24 * HOUR])('by %i ms does not delay the fence', async (ms) => {
    for (const before of [true, false]) {
      const one = await kept();
      await one.clock.advance(2 * MINUTE);
      if (before) one.clock.set(ms);
      await one.clock.advance(MINUTE);
      one.beat = refuse;
      if (!before) one.clock.set(ms);
      await one.clock.advance(8 * MINUTE - one.age - 1);
      expect(one.lost).toEqual([]);
      await one.clock.advance(1);
      expect(one.lost).toHaveLength(1);
    }
  });

  it('forward, or a machine’s suspension, causes a heartbeat at once, with a minute to be answered', async () => {
    const one = await kept();
    await one.clock.advance(10 * SECOND);
    one.beat = hang;
    one.clock.set(20 * MINUTE);
    const { length } = one.begun;
    await one.clock.advance(LOOK);
    expect(one.begun).toHaveLength(length + 1);
    await one.clock.advance(MINUTE - 1);
    expect(one.lost).toEqual([]);
    await one.clock.advance(LOOK);
    expect(one.lost).toHaveLength(1);
    const { atLeast, atMost, endBy } = one.lost[0]!;
    expect(atLeast).toBeLessThan(10 * SECOND + MINUTE + 2 * LOOK);
    expect(atMost - atLeast).toBe(20 * MINUTE);
    // Only by the wall clock is the lease over, so the job gets a minute to end.
    expect(endBy - one.accepted.steady).toBe(atLeast + MINUTE);
  });

  it('forward, or a suspension of a few minutes, shortens the fence by as much if no answer comes', async () => {
    for (const minutes of [1, 3, 6]) {
      const one = await kept();
      one.beat = refuse;
      await one.clock.advance(MINUTE);
      one.clock.set(minutes * MINUTE);
      await one.clock.advance((7 - minutes) * MINUTE - 1);
      expect(one.lost).toEqual([]);
      await one.clock.advance(LOOK + 1);
      expect(one.lost).toHaveLength(1);
      const { endBy } = one.lost[0]!;
      expect(endBy - one.accepted.steady + minutes * MINUTE).toBeLessThanOrEqual(10 * MINUTE);
    }
  });

  it('forward causes no loss if an answer comes, or the clock is set back, within that minute', async () => {
    const answered = await kept();
    answered.beat = refuse;
    answered.clock.set(20 * MINUTE);
    await answered.clock.advance(55 * SECOND);
    answered.beat = accept;
    const corrected = await kept();
    corrected.beat = refuse;
    corrected.clock.set(HOUR);
    await corrected.clock.advance(55 * SECOND);
    corrected.clock.set(-HOUR);
    for (const { clock, lost } of [answered, corrected]) {
      await clock.advance(7 * MINUTE);
      expect(lost).toEqual([]);
    }
  });

  const minutes = (max: number) => fc.integer({ min: 1, max: max * 60 }).map((seconds) => seconds * SECOND);
  const step = fc.oneof(
    minutes(5).map((ms) => ({ pass: ms })),
    minutes(90).map((ms) => ({ set: ms })),
    minutes(90).map((ms) => ({ set: -ms })),
    fc.boolean().map((up) => ({ up })),
  );

  it('never lets the lease outlive the fence, nor be lost while heartbeats are accepted', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const one = await kept();
        let up = true;
        for (const each of steps) {
          if ('up' in each) up = each.up;
          one.beat = up ? accept : refuse;
          if ('set' in each) one.clock.set(each.set);
          if ('pass' in each) await one.clock.advance(each.pass);
          if (one.lost.length === 0) expect(one.age).toBeLessThan(8 * MINUTE);
          if (!steps.some((other) => 'up' in other && !other.up)) expect(one.lost).toEqual([]);
        }
        const forward = steps.some((each) => 'set' in each && each.set > 0);
        for (const { atLeast } of one.lost) if (!forward) expect(atLeast).toBeGreaterThanOrEqual(8 * MINUTE);
        await one.lease.stop();
        expect(one.clock.sleeping).toBe(0);
      }),
      { numRuns: runs(60) },
    );
  });
});
