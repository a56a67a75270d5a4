import { describe, expect, it } from 'vitest';
import { CloudRefusedError, CloudUnreachableError, JobGoneError } from '../../../src/cloud/errors.ts';
import { Reporter, type ReporterOptions } from '../../../src/job/reporter.ts';
import { ManualClock, settled } from './manual-clock.ts';
import { type Fate, StrictReceiver } from './strict-receiver.ts';

function reporting(fate: (call: string) => Fate | Promise<Fate>, options: Partial<ReporterOptions> = {}) {
  const receiver = new StrictReceiver(fate);
  const clock = new ManualClock();
  const seen = { gone: 0, notices: [] as string[] };
  const reporter = new Reporter({
    api: receiver,
    clock,
    onGone: () => {
      seen.gone += 1;
    },
    onNotice: (message) => seen.notices.push(message),
    stopping: new AbortController().signal,
    ...options,
  });
  const lines = (...texts: string[]) =>
    texts.map((text) => ({ t: new Date(clock.now()).toISOString(), bytes: Buffer.from(text) }));
  return { receiver, clock, reporter, seen, lines };
}

/** Moves time on, whenever everybody waits for it, until `work` is done. Returns how long that took. */
async function driven(clock: ManualClock, work: Promise<unknown>): Promise<number> {
  const started = clock.now();
  let done = false;
  void work.finally(() => {
    done = true;
  });
  for (await settled(); !done; await settled()) if (clock.sleeping > 0) await clock.next();
  return clock.now() - started;
}

const onlyLogs = (fate: Fate) => (call: string) => (call.includes('logs') ? fate : 'taken');

describe('a step’s report', () => {
  it('is its running, its lines, what comes before the end, and its end', async () => {
    const { receiver, reporter, lines } = reporting(() => 'taken');
    const report = reporter.begin(0);
    void report.log.write(lines('a\n', 'b\n'));
    const delivery = report.finish('succeeded', async () => {
      receiver.calls.push('before');
    });
    expect(await delivery).toMatchObject({ sent: 2, undelivered: 0 });
    expect(receiver.calls).toEqual(['0 running', '0 logs 0+2', 'before', '0 succeeded']);
  });

  it('without lines is no log call', async () => {
    const { receiver, reporter } = reporting(() => 'taken');
    await reporter.begin(0).finish('failed');
    expect(receiver.calls).toEqual(['0 running', '0 failed']);
  });

  it('of the next step waits for it, but its lines can be written meanwhile', async () => {
    const first = Promise.withResolvers<Fate>();
    const { receiver, reporter, lines } = reporting((call) => (call === '0 running' ? first.promise : 'taken'));
    void reporter.begin(0).finish('succeeded');
    const next = reporter.begin(1);
    void next.log.write(lines('early\n'));
    void next.finish('succeeded');
    await settled();
    expect(receiver.calls).toEqual(['0 running']);
    first.resolve('taken');
    await reporter.drained();
    expect(receiver.calls).toEqual(['0 running', '0 succeeded', '1 running', '1 logs 0+1', '1 succeeded']);
  });
});

describe('a job that is gone', () => {
  it.each([['0 running'], ['0 logs 0+1'], ['0 succeeded'], ['1 running'], ['1 logs 0+1'], ['1 failed']])(
    'at the call "%s" is told once, and nothing more is sent',
    async (fatal) => {
      const gone = new JobGoneError('HTTP 404');
      const { receiver, reporter, clock, seen, lines } = reporting((call) => (call === fatal ? gone : 'taken'));
      let before = 0;
      for (const [index, status] of (['succeeded', 'failed'] as const).entries()) {
        const report = reporter.begin(index);
        void report.log.write(lines(`${index}\n`));
        void report.finish(status, async () => {
          before += 1;
        });
        await settled();
        await settled();
      }
      await reporter.drained();
      expect(receiver.calls.at(-1)).toBe(fatal);
      expect(seen.gone).toBe(1);
      // The heartbeat's end is asked for all the same.
      expect(before).toBe(2);
      expect(clock.sleeping).toBe(0);
    },
  );
});

describe('lines that are refused for good', () => {
  it('hold nothing up: they are tried three times, counted, told once, and the step’s end follows at once', async () => {
    const refused = new CloudRefusedError(403, 'Failed to send log lines of step 0 for job j: HTTP 403.');
    const { receiver, reporter, clock, seen, lines } = reporting(onlyLogs(refused));
    const report = reporter.begin(0);
    for (let at = 0; at < 5; at++) await report.log.write(lines(`${at}\n`));
    await clock.next();
    await clock.next();
    await report.log.write(lines('after\n'));
    expect(await report.finish('succeeded')).toMatchObject({ sent: 0, undelivered: 6 });
    expect(receiver.calls.filter((call) => call.includes('logs'))).toHaveLength(3);
    expect(receiver.calls.at(-1)).toBe('0 succeeded');
    expect(seen.notices).toMatchObject([
      'Failed to send log lines of step 0 for job j: HTTP 403.',
      '6 log lines of step 0 did not reach Pulumi Cloud; they are in the artifact.',
    ]);
    expect([clock.sleeping, seen.gone]).toEqual([0, 0]);
  });

  it('in one step do not keep the next step’s back', async () => {
    const refused = new CloudRefusedError(409, 'HTTP 409');
    const { receiver, reporter, clock, lines } = reporting((call) => (call.startsWith('0 logs') ? refused : 'taken'));
    for (const index of [0, 1]) {
      const report = reporter.begin(index);
      void report.log.write(lines(`${index}\n`));
      void report.finish('succeeded');
    }
    await driven(clock, reporter.drained());
    expect(receiver.steps.get(1)).toEqual({ statuses: ['running', 'succeeded'], lines: ['1\n'] });
  });
});

describe('a status', () => {
  it('that is refused once, as by a server that is just being replaced, is told all the same', async () => {
    const refused = new CloudRefusedError(403, 'HTTP 403');
    const seenOnce = new Set<string>();
    const { receiver, reporter, clock, seen, lines } = reporting((call) => {
      if (seenOnce.has(call)) return 'taken';
      seenOnce.add(call);
      return refused;
    });
    const report = reporter.begin(0);
    void report.log.write(lines('a\n'));
    await driven(clock, report.finish('succeeded'));
    expect(receiver.steps.get(0)).toEqual({ statuses: ['running', 'succeeded'], lines: ['a\n'] });
    expect(seen.notices).toEqual([]);
  });

  it('keeps its lines through an outage in which the clock is set forward', async () => {
    let isOpen = false;
    const { reporter, clock, lines } = reporting((call) =>
      isOpen || !call.includes('logs') ? 'taken' : 'not-arrived',
    );
    const report = reporter.begin(0);
    void report.log.write(lines('a\n'));
    await clock.advance(60_000);
    clock.set(3_600_000);
    await clock.advance(60_000);
    isOpen = true;
    const delivery = report.finish('succeeded');
    await driven(clock, delivery);
    expect(await delivery).toMatchObject({ sent: 1, undelivered: 0 });
  });

  it('that found no way in 5 minutes is told as soon as there is one, before what comes behind it', async () => {
    let isOpen = false;
    const { receiver, reporter, clock, seen, lines } = reporting(() => (isOpen ? 'taken' : 'not-arrived'));
    const report = reporter.begin(0);
    void report.log.write(lines('a\n'));
    while (seen.notices.length === 0) await clock.next();
    await clock.advance(60_000);
    isOpen = true;
    void report.log.write(lines('b\n'));
    const delivery = report.finish('succeeded');
    await driven(clock, delivery);
    expect(await delivery).toMatchObject({ sent: 2, undelivered: 0 });
    expect(receiver.steps.get(0)).toEqual({ statuses: ['running', 'succeeded'], lines: ['a\n', 'b\n'] });
    expect(seen.notices).toEqual(['0 running: not-arrived']);
  });

  it('that gets no answer is tried for 5 minutes, ever more slowly, and then given up', async () => {
    const tries: number[] = [];
    const { receiver, reporter, clock, seen } = reporting((call) => {
      if (call !== '0 running') return 'taken';
      if (seen.notices.length === 0) tries.push(clock.now() - started);
      return 'not-arrived';
    });
    receiver.cloud.allow(/cannot go from|started while/);
    const started = clock.now();
    const end = reporter.begin(0).finish('failed');
    expect(await driven(clock, end)).toBeLessThanOrEqual(310_000);
    expect(receiver.calls.at(-1)).toBe('0 failed');
    const waits = tries.slice(1).map((at, index) => at - tries[index]!);
    expect(waits[0]).toBeLessThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_000);
    expect(tries.length).toBeLessThan(40);
    expect(tries.at(-1)).toBe(300_000);
    expect(seen.notices).toEqual(['0 running: not-arrived']);
    expect(clock.sleeping).toBe(0);
  });
});

describe('an outage that the job survives', () => {
  it('costs no line, though it lasts until right before the fence', async () => {
    let isOpen = false;
    const { receiver, reporter, clock, lines } = reporting((call) =>
      isOpen || !call.includes('logs') ? 'taken' : 'not-arrived',
    );
    const report = reporter.begin(0);
    const texts = Array.from({ length: 470 }, (_, at) => `${at}\n`);
    for (const text of texts) {
      void report.log.write(lines(text));
      await clock.advance(1_000);
    }
    isOpen = true;
    const delivery = report.finish('succeeded');
    await driven(clock, delivery);
    expect(await delivery).toMatchObject({ sent: 470, undelivered: 0 });
    expect(receiver.steps.get(0)).toEqual({ statuses: ['running', 'succeeded'], lines: texts });
  });
});

describe('the end of all reports', () => {
  const gone = new JobGoneError('HTTP 404');
  const refused = new CloudRefusedError(403, 'HTTP 403');

  it.each<[string, (call: string) => Fate, boolean]>([
    ['known', () => 'taken', true],
    ['known, though lines are not', onlyLogs('not-arrived'), true],
    ['unknown', (call) => (call === '0 succeeded' ? 'not-arrived' : 'taken'), false],
    ['refused', (call) => (call === '0 succeeded' ? refused : 'taken'), false],
    ['nobody’s business any more', (call) => (call === '0 succeeded' ? gone : 'taken'), true],
  ])('says whether how the job ended is known to Pulumi Cloud: %s', async (_, fate, known) => {
    const { reporter, clock, lines } = reporting(fate);
    const report = reporter.begin(0);
    void report.log.write(lines('a\n'));
    void report.finish('succeeded');
    const drained = reporter.drained();
    await driven(clock, drained);
    expect(await drained).toBe(known);
  });
});

describe('a Pulumi Cloud that asks for time', () => {
  it.each([
    [7_000, 7_000],
    [3_600_000, 30_000],
  ])('of %i ms gets it, half a minute at most', async (asked, waited) => {
    const busy = new CloudUnreachableError('HTTP 429', { retryAfterMs: asked });
    for (const fatal of ['0 running', '0 logs 0+1', '0 succeeded']) {
      const tries: number[] = [];
      const { receiver, reporter, clock, lines } = reporting((call) => {
        if (call !== fatal) return 'taken';
        tries.push(clock.now());
        return tries.length === 1 ? busy : 'taken';
      });
      const report = reporter.begin(0);
      void report.log.write(lines('a\n'));
      await driven(clock, report.finish('succeeded'));
      expect(tries.map((at) => at - tries[0]!)).toEqual([0, waited]);
      expect(receiver.steps.get(0)).toEqual({ statuses: ['running', 'succeeded'], lines: ['a\n'] });
    }
  });
});

describe('lines that can’t be delivered while statuses can', () => {
  const waiting = (fate: (call: string) => Fate, stopping: boolean) => {
    const stop = new AbortController();
    if (stopping) stop.abort();
    const { receiver, reporter, clock, lines } = reporting(fate, { stopping: stop.signal });
    const deliveries = Array.from({ length: 8 }, (_, index) => {
      const report = reporter.begin(index);
      void report.log.write(lines('a\n'));
      return report.finish('succeeded');
    });
    return { receiver, clock, deliveries, over: driven(clock, reporter.drained()) };
  };

  it.each([
    [true, 45_000],
    [false, 300_000],
  ])('are waited for once, not by each step (stopping: %s)', async (stopping, patience) => {
    const { receiver, deliveries, over, clock } = waiting(onlyLogs('not-arrived'), stopping);
    const took = await over;
    expect(took).toBeGreaterThanOrEqual(patience);
    expect(took).toBeLessThan(patience + 30_000);
    expect(await Promise.all(deliveries)).toMatchObject(Array(8).fill({ sent: 0, undelivered: 1 }));
    expect([...receiver.steps.values()].map(({ statuses }) => statuses)).toEqual(
      Array(8).fill(['running', 'succeeded']),
    );
    expect(clock.sleeping).toBe(0);
  });

  it('are not given up half-way when they arrive again', async () => {
    const stop = new AbortController();
    stop.abort();
    const { reporter, clock, lines } = reporting(
      // Each call takes a second, so that a step's lines take longer than a lost one is waited for.
      async (call) => {
        if (!call.includes('logs')) return 'taken';
        await clock.sleep(1_000, new AbortController().signal);
        return call.startsWith('0') ? 'not-arrived' : 'taken';
      },
      { stopping: stop.signal },
    );
    const text = 'x'.repeat(200 * 1024);
    const deliveries = [0, 1].map((index) => {
      const report = reporter.begin(index);
      void report.log.write(lines(...Array(5).fill(`${text}\n`)));
      return report.finish('succeeded');
    });
    await driven(clock, reporter.drained());
    expect(await Promise.all(deliveries)).toMatchObject([
      { sent: 0, undelivered: 5 },
      { sent: 5, undelivered: 0 },
    ]);
  });

  it('are waited for in full again once some have arrived', async () => {
    let outage = true;
    const { deliveries, over } = waiting((call) => {
      if (call.startsWith('2 logs')) outage = false;
      if (call.startsWith('5 logs')) outage = true;
      return call.includes('logs') && outage ? 'not-arrived' : 'taken';
    }, true);
    expect(await over).toBeGreaterThanOrEqual(90_000);
    expect((await Promise.all(deliveries)).map(({ sent }) => sent)).toEqual([0, 0, 1, 1, 1, 0, 0, 0]);
  });
});

describe('a run that is being stopped', () => {
  const stuck = (fate: (call: string) => Fate) => {
    const stop = new AbortController();
    const { receiver, reporter, clock, seen, lines } = reporting(fate, { stopping: stop.signal });
    const report = reporter.begin(0);
    void report.log.write(lines('a\n', 'b\n'));
    const started = clock.now();
    const delivery = report.finish('failed');
    /** Moves time on until the report is over; how long it took in all. */
    const over = async () => {
      await driven(clock, delivery);
      return clock.now() - started;
    };
    return { receiver, clock, seen, stop, delivery, over };
  };

  it('waits 45 s for lines that can’t be delivered, then tells the status', async () => {
    const { stop, delivery, over, receiver, seen } = stuck(onlyLogs('not-arrived'));
    stop.abort();
    expect(await over()).toBe(45_000);
    expect(await delivery).toMatchObject({ sent: 0, undelivered: 2 });
    expect(receiver.calls.at(-1)).toBe('0 failed');
    expect(seen.notices).toEqual(['2 log lines of step 0 did not reach Pulumi Cloud; they are in the artifact.']);
  });

  it('waits that long from then on when it is stopped during the delivery', async () => {
    const { stop, clock, over } = stuck(onlyLogs('not-arrived'));
    await clock.asleep();
    await clock.advance(60_000);
    stop.abort();
    expect(await over()).toBe(105_000);
  });

  it('waits that long once for statuses and lines when nothing arrives', async () => {
    const { stop, over, receiver, clock } = stuck(() => 'not-arrived');
    receiver.cloud.allow(/cannot go from|started while/);
    await clock.asleep();
    stop.abort();
    expect(await over()).toBeLessThanOrEqual(60_000);
    expect(receiver.calls.at(-1)).toBe('0 failed');
    expect(clock.sleeping).toBe(0);
  });

  it('waits 5 minutes for the lines as long as it is not', async () => {
    const { over, clock } = stuck(onlyLogs('not-arrived'));
    expect(await over()).toBe(300_000);
    expect(clock.sleeping).toBe(0);
  });

  it('is over before a CI job loses patience, however many reports are waiting for a Pulumi Cloud that is away', async () => {
    const stop = new AbortController();
    const { receiver, reporter, clock, seen, lines } = reporting(() => 'not-arrived', { stopping: stop.signal });
    receiver.cloud.allow(/cannot go from|started while/);
    for (let index = 0; index < 8; index++) {
      const report = reporter.begin(index);
      void report.log.write(lines('a\n'));
      void report.finish(index < 7 ? 'succeeded' : 'failed');
    }
    await clock.asleep();
    stop.abort();
    expect(await driven(clock, reporter.drained())).toBeLessThan(100_000);
    expect(seen.notices.filter((notice) => notice.includes('not-arrived'))).toHaveLength(1);
    expect(clock.sleeping).toBe(0);
  });

  it('does not wait for an answer that never comes longer than for one that fails', async () => {
    const stop = new AbortController();
    stop.abort();
    const api = {
      stepStatus: async (_index: number, _status: string, signal: AbortSignal) => {
        signal.throwIfAborted();
        await new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      logs: () => Promise.resolve('accepted' as const),
    };
    const { reporter, clock, seen } = reporting(() => 'taken', { stopping: stop.signal, api });
    expect(await driven(clock, reporter.begin(0).finish('failed'))).toBeLessThan(60_000);
    expect(seen.notices).toMatchObject([
      "Failed to report step 0 as running for the job: no answer came in time. Check Pulumi Cloud's status.",
    ]);
  });
});
