import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepLog } from '../../../src/log/step-log.ts';

class Collector {
  readonly blocks: { bytes: Buffer; time: number }[] = [];
  ended = 0;

  write(bytes: Buffer, time: number): undefined {
    // Read at once: the bytes are only lent.
    this.blocks.push({ bytes: Buffer.from(bytes), time });
  }

  async end(): Promise<void> {
    this.ended++;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.blocks.map(({ bytes }) => bytes));
  }

  get text(): string {
    return this.bytes.toString();
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

test('any chunks of any bytes come out as they were', async () => {
  const bytes = fc.uint8Array({ maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(bytes, fc.array(fc.nat(), { maxLength: 20 }), async (all, cuts) => {
      const { file, log } = stepLog();
      for (const chunk of chunks(all, cuts)) log.write(chunk);
      await log.end();
      expect(file.bytes).toEqual(Buffer.from(all));
    }),
  );
});

test('times never run backwards', async () => {
  const times = [1_000, 5_000, 2_000, 6_000];
  const { file, log } = stepLog({ now: () => times.shift() ?? 0 });
  for (const text of ['a\n', 'b\nbb\n', 'c\n', 'd\n', 'e']) log.write(Buffer.from(text));
  await log.end();
  expect(file.blocks.map(({ time }) => time)).toEqual([1_000, 5_000, 5_000, 6_000, 6_000]);
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

test('asks for the patience that the file asks for', async () => {
  const room = Promise.withResolvers<void>();
  const file = { write: () => room.promise, end: async () => undefined };
  const log = new StepLog({ redactor: new Redactor(), file, now: () => 0 });
  const wait = log.write(Buffer.from('a line\n'));
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
