import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepLog } from '../../../src/log/step-log.ts';

class Collector {
  readonly blocks: { text: string; lines: number; time: number }[] = [];
  ended = 0;

  write(bytes: Buffer, lines: number, time: number): undefined {
    // Read at once: the bytes are only lent.
    this.blocks.push({ text: bytes.toString('utf8'), lines, time });
  }

  async end(): Promise<void> {
    this.ended++;
  }

  get text(): string {
    return this.blocks.map(({ text }) => text).join('');
  }

  get lines(): number {
    return this.blocks.reduce((sum, { lines }) => sum + lines, 0);
  }
}

function stepLog({ secrets = [], now = () => 0 }: { secrets?: string[]; now?: () => number } = {}) {
  const redactor = new Redactor();
  redactor.add(secrets);
  const file = new Collector();
  return { file, log: new StepLog({ redactor, file, now }) };
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
      const { file, log } = stepLog();
      for (const chunk of chunks(all, cuts)) log.write(chunk);
      await log.end();
      const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all);
      const lines = text.split(/(?<=\n)/).filter((line) => line !== '');
      expect([file.text, file.lines]).toEqual([text, lines.length]);
      // Each block but the last ends a line.
      expect(file.blocks.slice(0, -1).every((block) => block.text.endsWith('\n'))).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('secrets are hidden wherever the chunks are cut, inside a character too', async () => {
  const secret = 'pässwörd-😀-0123';
  const bytes = Buffer.from(`a ${secret} b\n${secret}${secret}\n`);
  for (let cut = 0; cut <= bytes.length; cut++) {
    const { file, log } = stepLog({ secrets: [secret] });
    log.write(bytes.subarray(0, cut));
    log.write(bytes.subarray(cut));
    await log.end();
    expect(file.text).toBe('a *** b\n***\n');
  }
});

test('times never run backwards', async () => {
  const times = [1_000, 5_000, 2_000, 6_000];
  const { file, log } = stepLog({ now: () => times.shift() ?? 0 });
  for (const text of ['a\n', 'b\nbb\n', 'c\n', 'd\n', 'e']) log.write(Buffer.from(text));
  await log.end();
  expect(file.blocks.map(({ time }) => time)).toEqual([1_000, 5_000, 5_000, 6_000, 6_000]);
});

test('an unfinished line is held until it ends, and comes out at the end', async () => {
  const { file, log } = stepLog();
  log.write(Buffer.from('done\nProceed? [y/N] '));
  expect(file.text).toBe('done\n');
  await log.end();
  expect([file.text, file.lines]).toEqual(['done\nProceed? [y/N] ', 2]);
});

test("the agent's lines stand between the step's, redacted, and tear no secret apart", async () => {
  const { file, log } = stepLog({ secrets: ['hunter22-hunter22'] });
  log.line('Pulling with hunter22-hunter22');
  log.write(Buffer.from('Password: hunter22-'));
  log.line('[agent] Stopping.\nSecond line.');
  log.write(Buffer.from('hunter22\nlast'));
  log.line('');
  await log.end();
  expect(file.text).toBe('Pulling with ***\nPassword: \n[agent] Stopping.\nSecond line.\n***\nlast\n\n');
});

test('a long line comes in parts and counts as one', async () => {
  const { file, log } = stepLog();
  log.write(Buffer.from('x'.repeat(100_000)));
  log.write(Buffer.from('y\n'));
  await log.end();
  expect(file.blocks.map(({ text, lines }) => [text.length, lines])).toEqual([
    [65_536, 0],
    [34_466, 1],
  ]);
});

test('asks for the patience that the file asks for', async () => {
  const room = Promise.withResolvers<void>();
  const file = { write: () => room.promise, end: async () => undefined };
  const log = new StepLog({ redactor: new Redactor(), file, now: () => 0 });
  expect(log.write(Buffer.from('no line yet'))).toBeUndefined();
  const wait = log.write(Buffer.from('\n'));
  expect(wait).toBeInstanceOf(Promise);
  room.resolve();
  await wait;
  await log.end();
});

test('ends once, and nothing comes after it', async () => {
  const { file, log } = stepLog();
  await Promise.all([log.end(), log.end()]);
  expect(log.write(Buffer.from('late\n'))).toBeUndefined();
  expect(log.line('late')).toBeUndefined();
  expect([file.text, file.ended]).toEqual(['', 1]);
});
