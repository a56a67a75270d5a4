import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redactor } from '../../../src/log/redactor.ts';
import type { LineSink, LogBlock } from '../../../src/log/sink.ts';
import { StepLog } from '../../../src/log/step-log.ts';

class Collector implements LineSink {
  readonly lines: { t: string; text: string; partial?: boolean }[] = [];
  ended = 0;

  write(blocks: readonly LogBlock[]): void {
    // Read at once: the bytes are only lent.
    for (const { bytes, ...block } of blocks)
      for (const text of bytes.toString('utf8').split(/(?<=\n)/)) this.lines.push({ ...block, text });
  }

  async end(): Promise<void> {
    this.ended++;
  }

  get text(): string {
    return this.lines.map((line) => line.text).join('');
  }
}

function stepLog(sinks: LineSink[], { secrets = [], now = () => 0 }: { secrets?: string[]; now?: () => number } = {}) {
  const redactor = new Redactor();
  redactor.add(secrets);
  return new StepLog({ redactor, sinks, now });
}

function chunks(bytes: Uint8Array, cuts: readonly number[]): Buffer[] {
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return at.slice(1).map((end, index) => Buffer.from(bytes.subarray(at[index], end)));
}

test('any chunks of any bytes give the lines of the whole', async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc.string({ unit: fc.constantFrom('a', '\n', '\r', 'é', '✔', '😀', '\ufeff') }).map((text) => Buffer.from(text)),
    // Beginnings of characters, overlong forms, surrogates, a byte that is never right.
    fc.constantFrom(
      [0xf0, 0x9f, 0x98],
      [0xe2, 0x9c],
      [0xc3],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xff],
      [0x80],
      [0xef, 0xbb],
    ),
  );
  const bytes = fc
    .array(piece, { maxLength: 20 })
    .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part))));
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(), { maxLength: 20 }), async (all, cuts) => {
      const sink = new Collector();
      const log = stepLog([sink]);
      for (const chunk of chunks(all, cuts)) log.write(chunk);
      const totals = await log.end();
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all);
      const expected = text.split(/(?<=\n)/).filter((line) => line !== '');
      expect(sink.lines.map((line) => line.text)).toEqual(expected);
      expect(totals).toEqual({ lines: expected.length, bytes: Buffer.byteLength(text) });
    }),
    { numRuns: 2_000 },
  );
});

test('secrets are hidden wherever the chunks are cut, inside a character too', async () => {
  const secret = 'pässwörd-😀-0123';
  const bytes = Buffer.from(`a ${secret} b\n${secret}${secret}\n`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const sink = new Collector();
    const log = stepLog([sink], { secrets: [secret] });
    log.write(bytes.subarray(0, cut));
    log.write(bytes.subarray(cut));
    await log.end();
    expect(sink.lines.map((line) => line.text)).toEqual(['a *** b\n', '***\n']);
  }
});

test('times are RFC 3339 with milliseconds and never run backwards', async () => {
  const times = [1_000.5, 5_000, 2_000, 6_000];
  const sink = new Collector();
  const log = stepLog([sink], { now: () => times.shift() ?? 0 });
  for (const text of ['a\n', 'b\nbb\n', 'c\n', 'd\n', 'e']) log.write(Buffer.from(text));
  await log.end();
  expect(sink.lines.map((line) => line.t.slice(17))).toEqual([
    '01.000Z',
    '05.000Z',
    '05.000Z',
    '05.000Z',
    '06.000Z',
    '06.000Z',
  ]);
  expect(sink.lines[0]?.t).toBe('1970-01-01T00:00:01.000Z');
});

test('an unfinished line is held until it ends, and comes out at the end', async () => {
  const sink = new Collector();
  const log = stepLog([sink]);
  log.write(Buffer.from('done\nProceed? [y/N] '));
  expect(sink.text).toBe('done\n');
  await expect(log.end()).resolves.toEqual({ lines: 2, bytes: 20 });
  expect(sink.text).toBe('done\nProceed? [y/N] ');
  expect(log.totals).toEqual({ lines: 2, bytes: 20 });
});

test("the agent's lines stand between the step's, redacted, and tear no secret apart", async () => {
  const sink = new Collector();
  const log = stepLog([sink], { secrets: ['hunter22-hunter22'] });
  log.line('Pulling with hunter22-hunter22');
  log.write(Buffer.from('Password: hunter22-'));
  log.line('[agent] Stopping.\nSecond line.');
  log.write(Buffer.from('hunter22\nlast'));
  log.line('');
  await log.end();
  expect(sink.text).toBe('Pulling with ***\nPassword: \n[agent] Stopping.\nSecond line.\n***\nlast\n\n');
});

test('a long line comes in parts and counts as one', async () => {
  const sink = new Collector();
  const log = stepLog([sink]);
  log.write(Buffer.from('x'.repeat(100_000)));
  log.write(Buffer.from('y\n'));
  await expect(log.end()).resolves.toEqual({ lines: 1, bytes: 100_002 });
  expect(sink.lines.map(({ text, partial }) => [text.length, partial])).toEqual([
    [65_536, true],
    [34_466, undefined],
  ]);
});

test('write() is synchronous until a sink asks for patience, and waits for all of them', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const slow = gates.map((gate): LineSink => ({ write: () => gate.promise, end: async () => {} }));
  expect(stepLog([new Collector()]).write(Buffer.from('a\n'))).toBeUndefined();
  const log = stepLog([new Collector(), ...slow]);
  expect(log.write(Buffer.from('no line yet'))).toBeUndefined();
  const wait = log.write(Buffer.from('\n'));
  let over = false;
  const waiting = Promise.resolve(wait).then(() => {
    over = true;
  });
  gates[0]?.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  gates[1]?.resolve();
  await waiting;
  expect(over).toBe(true);
  await log.end();
});

test.each([
  [
    'throws',
    () => {
      throw new Error('disk');
    },
  ],
  ['rejects', () => Promise.reject(new Error('disk'))],
])('a sink that %s is left out; the others get everything, and end() tells', async (_, write) => {
  const told: unknown[] = [];
  let ended = 0;
  let writes = 0;
  const broken: LineSink = {
    write: () => {
      writes++;
      return write();
    },
    end: async () => {
      ended++;
      throw new Error('closing failed too');
    },
  };
  const sound = new Collector();
  const log = new StepLog({
    redactor: new Redactor(),
    sinks: [broken, sound],
    now: () => 0,
    onSinkError: (error, sink) => told.push([error, sink === broken]),
  });
  await log.write(Buffer.from('one\n'));
  await log.write(Buffer.from('two\n'));
  await expect(log.end()).rejects.toThrow('disk');
  expect([writes, ended, sound.ended]).toEqual([1, 1, 1]);
  expect(sound.text).toBe('one\ntwo\n');
  expect(told).toEqual([[new Error('disk'), true]]);
  expect(log.totals).toEqual({ lines: 2, bytes: 8 });
});

test('end() passes its signal on, ends once, and nothing comes after it', async () => {
  const signals: unknown[] = [];
  const sink = new Collector();
  const log = stepLog([sink, { write: () => {}, end: async (signal) => void signals.push(signal) }]);
  const signal = AbortSignal.timeout(1_000);
  await Promise.all([log.end(signal), log.end()]);
  expect(log.write(Buffer.from('late\n'))).toBeUndefined();
  expect(log.line('late')).toBeUndefined();
  expect([sink.text, sink.ended]).toEqual(['', 1]);
  expect(signals).toEqual([signal]);
});
