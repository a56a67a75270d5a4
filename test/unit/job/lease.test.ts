import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Moment, momentOf, type Passed, systemClock } from '../../../src/clock.ts';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { Heartbeat } from '../../../src/job/heartbeat.ts';
import { type HeartbeatThread, Lease } from '../../../src/job/lease.ts';
import { ManualClock, settled } from './manual-clock.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
/** A look at the clock is as far away at most. */
const LOOK = 5 * SECOND;

/** As an aborted call behaves. */
const hang = (signal: AbortSignal): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));

const refuse = () => Promise.reject(new CloudUnreachableError('down'));

/** A lease by a clock of the test's own; `beat` may be changed at any time. */
class Kept {
  readonly clock = new ManualClock();
  readonly lease: Lease;
  readonly lost: Passed[] = [];
  beat: (signal: AbortSignal) => Promise<void> = () => Promise.resolve();
  /** When heartbeats were begun, and the last one that was accepted. */
  readonly begun: Moment[] = [];
  accepted: Moment = momentOf(this.clock);

  constructor(thread?: (kept: Kept) => HeartbeatThread) {
    this.lease = new Lease({
      clock: this.clock,
      beat: async (signal) => {
        const asked = momentOf(this.clock);
        this.begun.push(asked);
        await this.beat(signal);
        this.accepted = asked;
      },
      onAccepted: () => undefined,
      onGone: () => undefined,
      onFailure: () => undefined,
      onLost: (passed) => this.lost.push(passed),
      ...(thread === undefined ? {} : { thread: () => Promise.resolve(thread(this)) }),
    });
  }

  async start(): Promise<this> {
    this.lease.start();
    await settled();
    return this;
  }

  /** Milliseconds that have really passed since the last accepted one was sent. */
  get age(): number {
    return this.clock.steady() - this.accepted.steady;
  }
}

async function kept(beat: Kept['beat'] = () => Promise.resolve(), thread?: (kept: Kept) => HeartbeatThread) {
  const made = new Kept(thread);
  made.beat = beat;
  onTestFinished(() => made.lease.stop());
  return made.start();
}

describe('the fence', () => {
  it.each([
    ['is refused', refuse],
    ['hangs', hang],
  ])('falls 8 minutes after the claim when every heartbeat %s', async (_, beat) => {
    const { clock, lost, begun } = await kept(beat);
    await clock.advance(8 * MINUTE - 1);
    expect(lost).toEqual([]);
    await clock.advance(1);
    expect(lost).toEqual([{ surely: 8 * MINUTE, perhaps: 8 * MINUTE }]);
    expect(begun.length).toBeGreaterThanOrEqual(beat === hang ? 1 : 90);
  });

  it('falls once, 8 minutes after the last that was accepted was sent', async () => {
    const one = await kept();
    await one.clock.advance(20 * MINUTE);
    one.beat = refuse;
    await one.clock.advance(8 * MINUTE - 1);
    expect(one.lost).toEqual([]);
    await one.clock.advance(30 * MINUTE);
    expect(one.lost).toHaveLength(1);
  });

  it('is gone after the stop', async () => {
    const { clock, lease, lost } = await kept(refuse);
    await lease.stop();
    expect(clock.sleeping).toBe(0);
    await clock.advance(HOUR);
    expect(lost).toEqual([]);
  });
});

describe('a clock that is set', () => {
  /** A thread that sends heartbeats, each as the test's `beat` has it. */
  const byThread = (one: Kept): HeartbeatThread => {
    let last: Moment | undefined;
    const heartbeat = new Heartbeat({
      clock: one.clock,
      beat: (signal) => one.beat(signal),
      onAccepted: (asked) => {
        one.accepted = last = asked;
      },
      onGone: () => undefined,
      onFailure: () => undefined,
    });
    return {
      get lastAccepted() {
        return last;
      },
      ready: () => Promise.resolve(),
      begin: (inMs) => heartbeat.start(inMs),
      failure: (signal) => hang(signal) as Promise<never>,
      stop: () => heartbeat.stop(),
    };
  };
  const WHO: [string, ((one: Kept) => HeartbeatThread)?][] = [['the main thread'], ['a thread', byThread]];

  describe.each(WHO)('while %s sends the heartbeats', (_, thread) => {
    it.each([-HOUR, -10 * 365 * 24 * HOUR])('by %i ms does not hold the fence up', async (ms) => {
      for (const before of [true, false]) {
        const one = await kept(undefined, thread);
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

    it('forward by hours does no harm where heartbeats are accepted', async () => {
      const one = await kept(undefined, thread);
      await one.clock.advance(100 * SECOND);
      one.clock.set(3 * HOUR);
      await one.clock.advance(HOUR);
      expect(one.lost).toEqual([]);
    });
  });

  it('back right behind the claim does not put off the first heartbeat of the thread', async () => {
    const begun = Promise.withResolvers<number>();
    const one = await kept(undefined, () => ({
      lastAccepted: undefined,
      ready: () => Promise.resolve(),
      begin: begun.resolve,
      failure: (signal) => hang(signal) as Promise<never>,
      stop: () => Promise.resolve(),
    }));
    one.clock.set(-HOUR);
    await one.clock.advance(SECOND);
    expect(await begun.promise).toBe(29 * SECOND);
  });

  it('forward, or a machine that was suspended, has Pulumi Cloud asked at once, and an answer is waited for a minute', async () => {
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
    expect(one.lost).toEqual([{ surely: expect.any(Number), perhaps: expect.any(Number) }]);
    const [{ surely, perhaps }] = one.lost as [Passed];
    expect(surely).toBeLessThan(10 * SECOND + MINUTE + 2 * LOOK);
    expect(perhaps - surely).toBe(20 * MINUTE);
  });

  it('forward, or a suspension of a few minutes, shortens the fence by as much where no answer comes', async () => {
    for (const minutes of [1, 3, 6]) {
      const one = await kept();
      one.beat = refuse;
      await one.clock.advance(MINUTE);
      one.clock.set(minutes * MINUTE);
      await one.clock.advance((7 - minutes) * MINUTE - 1);
      expect(one.lost).toEqual([]);
      await one.clock.advance(LOOK + 1);
      expect(one.lost).toHaveLength(1);
    }
  });

  it('forward is no loss where the answer comes within that minute, nor where it is set back within it', async () => {
    const answered = await kept();
    answered.beat = refuse;
    answered.clock.set(20 * MINUTE);
    await answered.clock.advance(55 * SECOND);
    answered.beat = () => Promise.resolve();
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

  it('never lets the lease live longer than the fence, nor lose it where heartbeats are accepted', {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 3, maxLength: 12 }), async (threaded, steps) => {
        const one = await new Kept(threaded ? byThread : undefined).start();
        let up = true;
        for (const each of steps) {
          if ('up' in each) up = each.up;
          one.beat = up ? () => Promise.resolve() : refuse;
          if ('set' in each) one.clock.set(each.set);
          if ('pass' in each) await one.clock.advance(each.pass);
          if (one.lost.length === 0) expect(one.age).toBeLessThan(8 * MINUTE);
          if (!steps.some((other) => 'up' in other && !other.up)) expect(one.lost).toEqual([]);
        }
        const forward = steps.some((each) => 'set' in each && each.set > 0);
        for (const { surely } of one.lost) if (!forward) expect(surely).toBeGreaterThanOrEqual(8 * MINUTE);
        await one.lease.stop();
        expect(one.clock.sleeping).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the hand-over', () => {
  /** When the thread is told to send its first heartbeat, milliseconds from then. */
  const handedOver = async (beat: (signal: AbortSignal) => Promise<void>): Promise<number> => {
    const begun = Promise.withResolvers<number>();
    const lease = new Lease({
      clock: systemClock,
      beat,
      onAccepted: () => undefined,
      onGone: () => undefined,
      onFailure: () => undefined,
      onLost: () => undefined,
      handOverMs: 50,
      intervalMs: 30_000,
      retryMs: 5_000,
      thread: async () => ({
        lastAccepted: undefined,
        ready: () => Promise.resolve(),
        begin: begun.resolve,
        failure: (signal) => hang(signal) as Promise<never>,
        stop: () => Promise.resolve(),
      }),
    });
    onTestFinished(() => lease.stop());
    lease.start();
    return begun.promise;
  };

  it('keeps to the interval behind a heartbeat that was accepted', async () => {
    const inMs = await handedOver(() => Promise.resolve());
    expect(inMs).toBeGreaterThan(20_000);
    expect(inMs).toBeLessThan(30_000);
  });

  it.each([
    ['was refused', () => Promise.reject(new CloudUnreachableError('HTTP 503'))],
    ['is still on its way', hang],
  ])('sends one at once when the first %s', async (_, beat) => {
    expect(await handedOver(beat)).toBe(0);
  });
});
