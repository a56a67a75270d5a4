import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Upload, type UploadOptions } from '../../../../src/agent/upload/upload.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import type { StepFile } from '../../../../src/base/log/step-file.ts';
import { scene } from '../../../support/job/reports-scene.ts';
import type { Decision, Fate } from '../../../support/job/strict-receiver.ts';
import { runs } from '../../../support/property-runs.ts';

const MINUTE = 60_000;
const numbered = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`);

/** Writes lines to a step's file and reports them all. */
async function uploaded(lines: readonly string[], ...given: Parameters<typeof scene>) {
  const made = await scene(...given);
  const sizes: number[] = [];
  made.receiver.onLines = (sent, offset) =>
    sizes.push(Buffer.byteLength(JSON.stringify({ offset, lines: sent })));
  const delivery = await made.report(0, ...lines);
  const { reported, tookMs } = await made.settle();
  return { ...made, reported, tookMs, sizes, delivery: await delivery(), got: made.linesOf(0) };
}

describe('lines on their way to Pulumi Cloud', () => {
  it('go in calls of 100, or of up to 1,000 after a backlog', async () => {
    const { receiver, got } = await uploaded(numbered(5_000), () => 'taken');
    expect(got).toEqual(numbered(5_000));
    const sizes = receiver.calls.flatMap((call) => /\+(\d+)$/.exec(call)?.[1] ?? []).map(Number);
    expect(sizes).toEqual([100, 200, 400, 800, 1_000, 1_000, 1_000, 500]);
  });

  it.each(['a line\n', 'of a line\nbeginning '])('go once a second while there are few: %j', async (text) => {
    const { begin, settle, pass, receiver } = await scene(() => 'taken');
    const report = begin(0);
    for (let at = 0; at < 40; at++) {
      await report.put(text);
      await pass(250);
    }
    void report.end();
    await settle();
    const calls = receiver.calls.filter((call) => call.includes('logs')).length;
    expect(calls).toBeGreaterThanOrEqual(9);
    expect(calls).toBeLessThanOrEqual(12);
  });

  it('are text that any database accepts', async () => {
    const { begin, settle, linesOf, clock } = await scene(() => 'taken');
    const report = begin(0);
    await report.file.write(Buffer.from('nul \0, \xff and 😀\n', 'utf8'), clock.now());
    await report.file.write(Buffer.from([0xc3, 0x28, 0x0a]), clock.now());
    void report.end();
    await settle();
    expect(linesOf(0)).toEqual(['nul \ufffd, ÿ and 😀\n', '\ufffd(\n']);
  });

  it('are split if longer than 40 KiB, and lose nothing', async () => {
    const long = `${'😀'.repeat(50_000)}end\n`;
    const { got, delivery } = await uploaded(['before\n', long, 'no end'], () => 'taken');
    const pieces = got.slice(1, -1).map((piece) => piece.slice(0, -1));
    expect(got[0]).toBe('before\n');
    expect(pieces.join('')).toEqual(long.slice(0, -1));
    expect(got.at(-1)).toBe('no end');
    expect(Math.max(...got.map((piece) => Buffer.byteLength(piece)))).toBeLessThanOrEqual(40 * 1024 + 1);
    expect(delivery.undelivered).toBe(0);
  });

  it('fit into 256 KiB of JSON, whatever they contain', async () => {
    const piece = fc.oneof(
      fc.constant('\u0001'.repeat(60_000)),
      fc.constant('"'.repeat(90_000)),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const lines = pieces.map((text) => `${text.replaceAll(/[\n\0]/g, '')}\n`);
        const { got, sizes } = await uploaded(lines, () => 'taken');
        expect(got.join('').replaceAll('\n', '')).toBe(lines.join('').replaceAll('\n', ''));
        expect(Math.max(0, ...sizes)).toBeLessThanOrEqual(256 * 1024);
      }),
      { numRuns: runs(20) },
    );
  });

  it('are halved at once when a call is too large, until they fit', async () => {
    const long = `${'y'.repeat(7_000)}\n`;
    const lines = [...numbered(3_000), long, ...numbered(3_000)];
    const { got, delivery, tookMs, receiver } = await uploaded(lines, (_, { size }) =>
      size > 8_000 ? 413 : 'taken',
    );
    expect(got.join('').replaceAll('\n', '')).toBe(lines.join('').replaceAll('\n', ''));
    expect(delivery.undelivered).toBe(0);
    expect(tookMs).toBeLessThan(5_000);
    expect(receiver.calls.length).toBeLessThan(150);
  });

  it.each([400, 413])(
    'are refused with %i for one call in a hundred at most behind a proxy that lets 32 KiB pass',
    async (status) => {
      const lines = Array.from({ length: 10_000 }, (_, at) => `${at} ${'x'.repeat(at % 2_000)}\n`);
      let refused = 0;
      const { got, receiver, delivery } = await uploaded(lines, (call, { size }) => {
        if (!call.includes('logs') || size <= 32 * 1024) return 'taken';
        refused += 1;
        return status;
      });
      expect({ got: got.length, undelivered: delivery.undelivered }).toEqual({ got: 10_000, undelivered: 0 });
      expect(refused / receiver.calls.length).toBeLessThanOrEqual(0.01);
    },
  );

  it('are large again after whatever wanted small calls has gone', async () => {
    const lines = numbered(20_000);
    const made = await scene((call) =>
      call.includes('logs') && made.receiver.size > 200 && !isOver() ? 413 : 'taken',
    );
    const isOver = () => made.receiver.calls.length > 20;
    const delivery = await made.report(0, ...lines);
    await made.settle();
    expect(await delivery()).toMatchObject({ sent: 20_000, undelivered: 0 });
    expect(made.receiver.calls.length).toBeLessThan(1_500);
    expect(made.receiver.calls.at(-2)).toMatch(/\+\d{2,}$/);
  });
});

describe('a line that Pulumi Cloud always refuses', () => {
  it.each([500, 422, 400, 413])(
    'with %i is the only one lost, and a sentence replaces it',
    async (status) => {
      const fate: Decision = (_, receiver) => (receiver.holds('line 21\n') ? status : 'taken');
      const { receiver, reported, tookMs, delivery, got } = await uploaded(numbered(38), fate);
      expect(reported).toBe(true);
      expect(tookMs).toBeLessThan(3 * MINUTE);
      expect(delivery).toMatchObject({ sent: 37, undelivered: 1 });
      expect(got[21]).toMatch(/^\[agent\] Pulumi Cloud refused a line of 8 bytes here with HTTP \d+\.\n$/);
      expect(got.toSpliced(21, 1)).toEqual(numbered(38).toSpliced(21, 1));
      expect(receiver.violations).toEqual([]);
    },
  );
});

describe('whatever is refused, and however little fits in a call', () => {
  const line = fc.oneof(
    { weight: 20, arbitrary: fc.constant('short') },
    { weight: 6, arbitrary: fc.nat(3_000).map((length) => 'long '.padEnd(length, 'y')) },
    { weight: 1, arbitrary: fc.nat(3_000).map((length) => 'bad '.padEnd(length, 'z')) },
  );
  const answer = fc.constantFrom<Fate>(413, 500, 409);

  it('no line changes or is lost except those refused on their own', async () => {
    const most = fc.integer({ min: 5_000, max: 300_000 });
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 300 }), answer, most, async (texts, refusal, bytes) => {
        let bad = 0;
        const isFew = (text: string) => !text.startsWith('bad') || ++bad <= 5;
        const lines = texts.filter(isFew).map((text) => `${text}\n`);
        const { receiver, got } = await uploaded(lines, (call, receiver) =>
          call.includes('logs') && receiver.size > bytes ? 413 : receiver.holds('bad') ? refusal : 'taken',
        );
        expect(receiver.violations).toEqual([]);
        const isGood = (text: string) => !/^(bad|z|\[agent\])/.test(text);
        expect(got.filter(isGood).join('').replaceAll('\n', '')).toBe(
          lines.filter(isGood).join('').replaceAll('\n', ''),
        );
      }),
      { numRuns: runs(40) },
    );
  });
});

describe('a line that is taken once its sentence was', () => {
  it.each([400, 403, 500])(
    'is not lost, although %i to it lasted (the outage ended between the two)',
    async (status) => {
      const made = await scene((call) => (isOut && call.includes('logs') ? status : 'taken'));
      let isOut = true;
      made.receiver.onLines = ([line]) => {
        if (line?.l.includes('[agent]')) isOut = false;
      };
      const ended = await made.report(0, 'a\n', 'b\n', 'c\n');
      expect((await made.settle()).reported).toBe(true);
      expect(await ended()).toMatchObject({ sent: 3, undelivered: 0 });
      expect(made.linesOf(0).toSpliced(0, 1)).toEqual(['a\n', 'b\n', 'c\n']);
      expect(made.linesOf(0)[0]).toContain('[agent] Pulumi Cloud refused a line of 2 bytes here');
    },
  );

  it('is not taken for its sentence when the answer to that was lost', async () => {
    const made = await scene((_, receiver) =>
      receiver.holds('bad') ? 400 : receiver.holds('[agent]') && lost-- > 0 ? 'answer-lost' : 'taken',
    );
    let lost = 2;
    await made.report(0, 'a\n', 'bad\n', 'c\n');
    expect((await made.settle()).reported).toBe(true);
    expect(made.linesOf(0)).toEqual(['a\n', expect.stringContaining('[agent]'), 'c\n']);
    expect(made.receiver.violations).toEqual([]);
  });
});

describe('lines refused for a reason other than their content', () => {
  it.each([401, 404])('with %i are never given up for a sentence', async (status) => {
    const made = await scene((call, receiver) =>
      call.includes('logs') && made.elapsed() < 5 * MINUTE && !receiver.holds('[agent]') ? status : 'taken',
    );
    await made.report(0, ...numbered(3));
    await made.settle();
    expect(made.linesOf(0)).toEqual(numbered(3));
  });

  it('are kept as long as every call is refused, even one with a sentence instead', async () => {
    const made = await scene((call) =>
      call.includes('logs') && made.elapsed() < 5 * MINUTE ? 403 : 'taken',
    );
    const ended = await made.report(0, ...numbered(300));
    const { reported } = await made.settle();
    const [got, delivery] = [made.linesOf(0), await ended()];
    expect(reported).toBe(true);
    expect(got).toEqual(numbered(300));
    expect(delivery).toMatchObject({ sent: 300, undelivered: 0 });
  });

  it('are not halved while heartbeats are refused too, or for 503', async () => {
    for (const [error, heartbeats] of [
      [500, false],
      [503, true],
    ] as const) {
      const made = await scene(
        (call) => (call.includes('logs') && made.elapsed() < 2 * MINUTE ? error : 'taken'),
        {
          heartbeatSince: () => heartbeats,
        },
      );
      await made.report(0, ...numbered(100));
      await made.settle();
      expect(new Set(made.receiver.calls.filter((call) => call.includes('logs')))).toEqual(
        new Set(['0 logs 0+100']),
      );
    }
  });
});

it('a last line without its end arrives, though the log was not whole when it was read ahead', async () => {
  const text = Buffer.from(`${`${'x'.repeat(2_499)}\n`.repeat(100)}${'y'.repeat(20_000)}`);
  let [isWhole, change] = [false, Promise.withResolvers<void>()];
  const file = {
    size: text.length,
    get isWhole() {
      return isWhole;
    },
    get changed() {
      return change.promise;
    },
    ended: AbortSignal.abort(),
    totals: { lines: 101, bytes: text.length, lost: 0 },
    read: async (position: number, most: number) => text.subarray(position, position + most),
    timeAt: () => 0,
    release: () => undefined,
  } as unknown as StepFile;
  const sent: number[] = [];
  const logs: UploadOptions['api']['logs'] = async (_, { count }) => {
    sent.push(count);
    await setImmediate();
    isWhole = true;
    change.resolve();
    change = Promise.withResolvers();
  };
  const [signal, ignore] = [AbortSignal.timeout(2_000), () => undefined];
  const common = { clock: systemClock, heartbeatSince: () => true, onTaken: ignore, onFailure: ignore };
  await new Upload({ ...common, index: 1, file, api: { logs }, signal }).run();
  expect(sent).toEqual([100, 1]);
});

describe('a step', () => {
  it('never waits for Pulumi Cloud: 30 MB are written while no call is accepted', async () => {
    const { begin, settle, clock, linesOf } = await scene((call) =>
      call.includes('logs') && clock.steady() < 45_000 ? 503 : 'taken',
    );
    const report = begin(0);
    const chunk = `${'x'.repeat(119)}\n`.repeat(500);
    const started = clock.steady();
    for (let at = 0; at < 500; at++) await report.file.write(Buffer.from(chunk), clock.now());
    expect(clock.steady()).toBe(started);
    void report.end();
    expect(await settle()).toMatchObject({ reported: true });
    expect(linesOf(0)).toHaveLength(250_000);
  });
});
