import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { CloudBatch } from '../../../src/log/cloud-batch.ts';
import { CloudLog } from '../../../src/log/cloud-log.ts';
import type { CloudLogOptions } from '../../../src/log/cloud-log-options.ts';
import type { LogBlock } from '../../../src/log/sink.ts';

const T = '2026-01-01T00:00:00.000Z';

function line(text: string, partial?: boolean): LogBlock {
  const bytes = Buffer.from(text);
  return partial ? { t: T, bytes, partial } : { t: T, bytes };
}

function lines(count: number, from = 0): LogBlock[] {
  return Array.from({ length: count }, (_, at) => line(`line ${from + at}\n`));
}

/** What Pulumi Cloud has of a step: lines at their offsets; a line that comes again must be the same. */
class Receiver {
  readonly lines: string[] = [];
  /** What the sender did wrong. Kept, not thrown: to the sender an exception is a failed call. */
  readonly complaints: string[] = [];
  readonly calls: { offset: number; count: number; bytes: number; at: number }[] = [];
  readonly #limit: { lines: number; bytes: number };

  constructor(limit = { lines: 1_000, bytes: 256 * 1024 }) {
    this.#limit = limit;
  }

  take(batch: CloudBatch, at = 0): 'accepted' | 'too-large' {
    const bytes = Buffer.byteLength(JSON.stringify(batch));
    this.calls.push({ offset: batch.offset, count: batch.lines.length, bytes, at });
    if (batch.lines.length > this.#limit.lines || bytes > this.#limit.bytes) return 'too-large';
    if (batch.offset > this.lines.length) this.complaints.push(`a gap before ${batch.offset}`);
    for (const [index, { l }] of batch.lines.entries()) {
      const known = this.lines[batch.offset + index];
      if (known !== undefined && known !== l) this.complaints.push(`another line ${batch.offset + index}`);
      this.lines[batch.offset + index] = l;
    }
    return 'accepted';
  }
}

/** A clock that stands still but for the waits. */
function handClock() {
  let now = 0;
  return {
    now: () => now,
    sleep: async (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

function cloudLog(send: CloudLogOptions['send'], more: Partial<CloudLogOptions> = {}): CloudLog {
  return new CloudLog({ send, signal: new AbortController().signal, ...handClock(), ...more });
}

afterEach(() => {
  vi.useRealTimers();
});

describe('the rhythm', () => {
  function onFakeTime(send: CloudLogOptions['send'], more: Partial<CloudLogOptions> = {}): CloudLog {
    vi.useFakeTimers();
    const sleep = (milliseconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(resolve, milliseconds);
        signal.addEventListener('abort', () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
      });
    return cloudLog(send, { now: () => Date.now(), sleep, ...more });
  }

  test('the first line goes at once, then about one call a second', async () => {
    const receiver = new Receiver();
    const log = onFakeTime(async (batch) => receiver.take(batch, Date.now() - started));
    const started = Date.now();
    for (let at = 0; at < 30; at++) {
      log.write(lines(1, at));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(receiver.calls.map(({ at, count }) => [at, count])).toEqual([
      [0, 1],
      [1_000, 9],
      [2_000, 10],
      [3_000, 10],
    ]);
    await expect(log.end()).resolves.toMatchObject({ sent: 30, undelivered: 0, batches: 4, retries: 0 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('after a pause the next line goes at once', async () => {
    const receiver = new Receiver();
    const log = onFakeTime(async (batch) => receiver.take(batch));
    log.write(lines(1));
    await vi.advanceTimersByTimeAsync(5_000);
    log.write(lines(1));
    await vi.advanceTimersByTimeAsync(0);
    expect(receiver.calls.length).toBe(2);
    await log.end();
  });

  test('a backlog goes back to back, in growing calls up to 1,000 lines, then it is quiet again', async () => {
    const receiver = new Receiver();
    const log = onFakeTime(async (batch) => receiver.take(batch, Date.now() - started));
    const started = Date.now();
    log.write(lines(5_010));
    await vi.advanceTimersByTimeAsync(0);
    expect(receiver.calls.map(({ count }) => count)).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 510]);
    log.write(lines(10));
    await vi.advanceTimersByTimeAsync(999);
    expect(receiver.calls.length).toBe(8);
    await vi.advanceTimersByTimeAsync(1);
    expect(receiver.calls.at(-1)).toMatchObject({ offset: 5_010, count: 10, at: 1_000 });
    await log.end();
  });

  test('a backlog does not wait for the second to pass', async () => {
    const receiver = new Receiver();
    const log = onFakeTime(async (batch) => receiver.take(batch));
    for (const [count, calls] of [
      [1, 1],
      [60, 1],
      [60, 2],
    ] as const) {
      log.write(lines(count));
      await vi.advanceTimersByTimeAsync(10);
      expect(receiver.calls.length).toBe(calls);
    }
    await log.end();
  });

  test('no call is larger than 256 KiB of JSON, however the lines are escaped', async () => {
    const receiver = new Receiver();
    const log = onFakeTime(async (batch) => receiver.take(batch));
    const texts = ['\u0001'.repeat(65_536), '😀'.repeat(32_768), 'plain\n', '"\\'.repeat(30_000)];
    for (let round = 0; round < 5; round++) log.write(texts.map((text) => line(text, text !== 'plain\n')));
    await expect(log.end()).resolves.toMatchObject({ undelivered: 0, cut: 0 });
    expect(Math.max(...receiver.calls.map(({ bytes }) => bytes))).toBeLessThanOrEqual(256 * 1024);
    expect(receiver.lines.every((text) => text.endsWith('\n') && text.isWellFormed())).toBe(true);
    expect(
      receiver.lines.map((text) => text.slice(0, -1)).join('') === texts.join('').replace('\n', '').repeat(5),
    ).toBe(true);
  });

  test('retries wait longer and longer, with jitter, up to 30 s, and success starts anew', async () => {
    const at: number[] = [];
    let broken = true;
    const log = onFakeTime(
      async () => {
        at.push(Date.now());
        if (broken) throw new Error('reset');
        return 'accepted';
      },
      { random: () => 0.5 },
    );
    log.write(lines(1));
    await vi.advanceTimersByTimeAsync(100_000);
    const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    expect(waits).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500, 22_500]);
    broken = false;
    await vi.advanceTimersByTimeAsync(22_500);
    broken = true;
    log.write(lines(1));
    await vi.advanceTimersByTimeAsync(400);
    expect(at.length).toBe(13);
    broken = false;
    // end() does not sit a wait out.
    await expect(log.end()).resolves.toMatchObject({ sent: 2, undelivered: 0, retries: 12 });
  });

  test('end() gives up after giveUpMs, also on a call that never answers', async () => {
    const log = onFakeTime(() => new Promise(() => {}), { giveUpMs: 60_000 });
    log.write(lines(3));
    await vi.advanceTimersByTimeAsync(10_000);
    const ended = log.end();
    await vi.advanceTimersByTimeAsync(60_000);
    await expect(ended).resolves.toMatchObject({ sent: 0, undelivered: 3 });
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a call that never answers is aborted after giveUpMs', async () => {
    let aborted = 0;
    const log = onFakeTime(
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted++;
            reject(signal.reason);
          });
        }),
      { giveUpMs: 60_000 },
    );
    log.write(lines(3));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(aborted).toBe(1);
    await vi.advanceTimersByTimeAsync(200_000);
    await expect(log.end()).resolves.toMatchObject({
      undelivered: 3,
      lastError: new Error('Pulumi Cloud gave no answer within 60 s.'),
    });
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('property', () => {
  test('the receiver has exactly the lines, in order, whatever fails', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 30 }).map((value) => `${value.replaceAll('\n', ' ')}\n`),
      fc.integer({ min: 1, max: 3_000 }).map((size) => `${'x'.repeat(size)}\n`),
    );
    const writes = fc.array(fc.array(text, { maxLength: 300 }), { maxLength: 6 });
    const faults = fc.infiniteStream(fc.constantFrom('lost-call', 'lost-answer', 'ok', 'ok', 'ok'));
    const limit = fc.record({
      lines: fc.integer({ min: 1, max: 1_200 }),
      bytes: fc.integer({ min: 20_000, max: 300_000 }),
    });
    await fc.assert(
      fc.asyncProperty(writes, faults, limit, async (batches, fault, receiverLimit) => {
        const receiver = new Receiver(receiverLimit);
        let inFlight = 0;
        let failed: string | undefined;
        const log = cloudLog(
          async (batch) => {
            if (++inFlight > 1) receiver.complaints.push('two calls at once');
            await Promise.resolve();
            inFlight--;
            if (failed !== undefined && JSON.stringify(batch) !== failed)
              receiver.complaints.push('not the same again');
            failed = undefined;
            const what = fault.next().value;
            const answer = what === 'lost-call' ? undefined : receiver.take(batch);
            if (what === 'ok' && answer !== undefined) return answer;
            failed = JSON.stringify(batch);
            throw new Error(what);
          },
          { giveUpMs: 2 ** 30, maxQueuedBytes: 10_000 },
        );
        for (const batch of batches) await log.write(batch.map((item) => line(item)));
        const result = await log.end();
        const written = batches.flat();
        expect(receiver.complaints).toEqual([]);
        expect(receiver.lines).toEqual(written);
        expect(result).toMatchObject({ sent: written.length, undelivered: 0, cut: 0 });
      }),
      { numRuns: 300 },
    );
  });

  test('sent and undelivered add up, whenever the connection ends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(400), { maxLength: 10 }), fc.nat(20), async (counts, calls) => {
        const receiver = new Receiver();
        const log = cloudLog(
          async (batch) => {
            if (receiver.calls.length >= calls) throw new Error('down');
            return receiver.take(batch);
          },
          { maxQueuedBytes: 5_000 },
        );
        let written = 0;
        for (const count of counts) {
          await log.write(lines(count, written));
          written += count;
        }
        const { sent, undelivered } = await log.end();
        expect(receiver.complaints).toEqual([]);
        expect(sent).toBe(receiver.lines.length);
        expect(sent + undelivered).toBe(written);
        expect(receiver.lines).toEqual(lines(sent).map(({ bytes }) => String(bytes)));
      }),
    );
  });
});

describe('what is too large', () => {
  test('is halved, and stays there', async () => {
    const receiver = new Receiver({ lines: 60, bytes: 256 * 1024 });
    const log = cloudLog(async (batch) => receiver.take(batch));
    log.write(lines(1_000));
    await expect(log.end()).resolves.toMatchObject({ sent: 1_000, undelivered: 0, cut: 0 });
    expect(receiver.lines).toEqual(lines(1_000).map(({ bytes }) => String(bytes)));
    expect(receiver.calls.filter(({ count }) => count > 60).map(({ count }) => count)).toEqual([100]);
  });

  test('a single line is cut, with a marker, and the lines after it go on', async () => {
    const receiver = new Receiver({ lines: 1_000, bytes: 20_000 });
    const log = cloudLog(async (batch) => receiver.take(batch));
    log.write([line('before\n'), line(`${'x'.repeat(50_000)}\n`), ...lines(200)]);
    await expect(log.end()).resolves.toMatchObject({ sent: 202, undelivered: 0, cut: 1 });
    expect(receiver.lines[1]).toBe(`${'x'.repeat(12_500)}[37501 characters cut: Pulumi Cloud refused the line]\n`);
    expect(receiver.lines.slice(2)).toEqual(lines(200).map(({ bytes }) => String(bytes)));
  });

  test('a line that is refused for what it says is replaced, and costs the others nothing', async () => {
    const receiver = new Receiver();
    const refuses = (batch: CloudBatch) => batch.lines.some(({ l }) => l.includes('poison'));
    let calls = 0;
    const log = cloudLog(async (batch) => {
      calls++;
      return refuses(batch) ? 'too-large' : receiver.take(batch);
    });
    log.write([...lines(150), line('poison\n'), ...lines(10_000, 150)]);
    await expect(log.end()).resolves.toMatchObject({ sent: 10_151, undelivered: 0, cut: 1 });
    expect(receiver.lines[150]).toBe('[7 characters cut: Pulumi Cloud refused the line]\n');
    expect(receiver.calls.some(({ count }) => count === 1_000)).toBe(true);
    expect(calls).toBeLessThan(60);
  });

  test('a server that refuses everything is given up', async () => {
    let calls = 0;
    const log = cloudLog(async () => {
      calls++;
      return 'too-large';
    });
    log.write([...lines(500), line('x'.repeat(60_000))]);
    await expect(log.end()).resolves.toMatchObject({ sent: 0, undelivered: 501 });
    expect(calls).toBeLessThan(60);
  });
});

describe('giving up', () => {
  test('after giveUpMs without success: no more calls, no more back-pressure, everything counted', async () => {
    const clock = handClock();
    let calls = 0;
    const log = cloudLog(
      async () => {
        calls++;
        throw new Error('down');
      },
      { ...clock, maxQueuedBytes: 1_000 },
    );
    const full = log.write(lines(100));
    expect(full).toBeInstanceOf(Promise);
    await full;
    expect(clock.now()).toBe(300_000);
    const before = calls;
    expect(log.write(lines(50))).toBeUndefined();
    await expect(log.end()).resolves.toEqual({
      sent: 0,
      undelivered: 150,
      batches: 0,
      retries: before - 1,
      failures: before,
      cut: 0,
      lastError: new Error('down'),
    });
    expect(calls).toBe(before);
    expect(log.write(lines(1))).toBeUndefined();
  });

  test('failures only add up without a success between them', async () => {
    const clock = handClock();
    let calls = 0;
    const log = cloudLog(async () => {
      calls++;
      if (calls % 10 !== 0) throw new Error('reset');
      return 'accepted';
    }, clock);
    log.write(lines(7_000));
    await expect(log.end()).resolves.toMatchObject({ sent: 7_000, undelivered: 0 });
    expect(clock.now()).toBeGreaterThan(300_000);
  });

  test('an idle hour before the first failure does not count', async () => {
    const clock = handClock();
    let calls = 0;
    const log = cloudLog(async () => {
      calls++;
      if (calls === 2) throw new Error('reset');
      return 'accepted';
    }, clock);
    log.write(lines(1));
    await vi.waitFor(() => expect(calls).toBe(1), 20_000);
    await clock.sleep(3_600_000);
    log.write(lines(1));
    await expect(log.end()).resolves.toMatchObject({ sent: 2, retries: 1 });
  });

  test.each(['before', 'during'])('the signal ends it %s a call', async (when) => {
    const stop = new AbortController();
    let inCall: AbortSignal | undefined;
    if (when === 'before') stop.abort();
    const log = cloudLog(
      (_, signal) => {
        inCall = signal;
        return new Promise(() => {});
      },
      { signal: stop.signal, maxQueuedBytes: 10 },
    );
    const room = log.write(lines(5));
    expect(room === undefined).toBe(when === 'before');
    await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await room;
    expect(inCall?.aborted).toBe(when === 'before' ? undefined : true);
    await expect(log.end()).resolves.toMatchObject({ sent: 0, undelivered: 5 });
  });

  test("end()'s signal ends the waiting, of an earlier end() too", async () => {
    const log = cloudLog(() => new Promise(() => {}));
    log.write(lines(5));
    const first = log.end();
    await expect(log.end(AbortSignal.abort())).resolves.toMatchObject({ undelivered: 5 });
    await expect(first).resolves.toMatchObject({ undelivered: 5 });
  });

  test('the caller’s signal is left without listeners', async () => {
    const stop = new AbortController();
    const added = vi.spyOn(stop.signal, 'addEventListener');
    const removed = vi.spyOn(stop.signal, 'removeEventListener');
    const log = cloudLog(async () => 'accepted', { signal: stop.signal });
    log.write(lines(1));
    await log.end(stop.signal);
    expect(removed.mock.calls.map(([, listener]) => listener)).toEqual(
      expect.arrayContaining(added.mock.calls.map(([, listener]) => listener)),
    );
  });
});

test('back-pressure: write() asks for patience from maxQueuedBytes on, until there is room', async () => {
  const gate = Promise.withResolvers<'accepted'>();
  const log = cloudLog(() => gate.promise, { maxQueuedBytes: 8_000 });
  expect(log.write(lines(100))).toBeUndefined();
  const room = log.write(lines(100, 100));
  expect(room).toBeInstanceOf(Promise);
  expect(log.write(lines(1))).toBe(room);
  let free = false;
  const waiting = Promise.resolve(room).then(() => {
    free = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(free).toBe(false);
  gate.resolve('accepted');
  await waiting;
  await expect(log.end()).resolves.toMatchObject({ sent: 201 });
});

test('release() frees whoever waits and asks nobody again; eight times as much as usual is the end of sending', async () => {
  const log = cloudLog(() => new Promise(() => undefined), { maxQueuedBytes: 8_000 });
  const room = log.write(lines(200));
  expect(room).toBeInstanceOf(Promise);
  log.release();
  await room;
  let taken = 200;
  for (; taken < 2_000; taken += 100) expect(log.write(lines(100, taken))).toBeUndefined();
  // Not even the call in flight is waited for any more.
  expect(await log.end()).toMatchObject({ sent: 0, undelivered: 2_000 });
});

test('parts of a long line are lines of their own', async () => {
  const receiver = new Receiver();
  const log = cloudLog(async (batch) => receiver.take(batch));
  log.write([line('part one', true), line('part two', true), line('end\n'), line('no line end')]);
  await log.end();
  expect(receiver.lines).toEqual(['part one\n', 'part two\n', 'end\n', 'no line end']);
});

test('a log without lines makes no call', async () => {
  const send = vi.fn<CloudLogOptions['send']>();
  await expect(cloudLog(send).end()).resolves.toEqual({
    sent: 0,
    undelivered: 0,
    batches: 0,
    retries: 0,
    failures: 0,
    cut: 0,
  });
  expect(send).not.toHaveBeenCalled();
});
