import { expect, test } from 'vitest';
import { Redactor } from '../../../../src/base/log/redactor.ts';
import { StepLog } from '../../../../src/base/log/step-log.ts';

/** A step's log, and what it writes to its file. */
function stepLog({ secrets = [], now = () => 0 }: { secrets?: string[]; now?: () => number } = {}) {
  const redactor = new Redactor();
  redactor.add(secrets);
  const blocks: { bytes: Buffer; time: number }[] = [];
  let ended = 0;
  const file = {
    // Copied at once: the bytes are valid only during the call.
    write: (bytes: Buffer, time: number): undefined => void blocks.push({ bytes: Buffer.from(bytes), time }),
    end: async () => void ended++,
  };
  const written = () => Buffer.concat(blocks.map(({ bytes }) => bytes));
  return { log: new StepLog({ redactor, file, now }), blocks, written, ended: () => ended };
}

test('bytes that are not text are written unchanged, including what might have begun a secret', async () => {
  const { written, log } = stepLog({ secrets: ['hunter22'] });
  const bytes = Buffer.from([0x61, 0xc3, 0x28, 0xff, 0x00, 0x0a, 0xe2, ...Buffer.from('hunt')]);
  for (const byte of bytes) log.write(Buffer.of(byte));
  await log.end();
  expect(written()).toEqual(bytes);
});

test('times never run backwards', async () => {
  const times = [1_000, 5_000, 2_000, 6_000];
  const { blocks, log } = stepLog({ now: () => times.shift() ?? 0 });
  for (const text of ['a\n', 'b\nbb\n', 'c\n', 'd\n', 'e']) log.write(Buffer.from(text));
  await log.end();
  expect(blocks.map(({ time }) => time)).toEqual([1_000, 5_000, 5_000, 6_000, 6_000]);
});

test("the agent's lines appear among the step's, redacted, and split no secret", async () => {
  const { written, log } = stepLog({ secrets: ['hunter22-hunter22'] });
  log.line('Pulling with hunter22-hunter22');
  log.write(Buffer.from('Password: hunter22-'));
  log.line('[agent] Stopping.\nSecond line.');
  log.write(Buffer.from('hunter22\nlast'));
  log.line('');
  await log.end();
  expect(String(written())).toBe(
    'Pulling with ***\nPassword: \n[agent] Stopping.\nSecond line.\n***\nlast\n\n',
  );
});

test('a write waits as long as the file asks', async () => {
  const room = Promise.withResolvers<void>();
  const file = { write: () => room.promise, end: async () => undefined };
  const log = new StepLog({ redactor: new Redactor(), file, now: () => 0 });
  const wait = log.write(Buffer.from('a line\n'));
  expect(wait).toBeInstanceOf(Promise);
  room.resolve();
  await wait;
  await log.end();
});

test('a log ends once, and nothing follows its end', async () => {
  const { written, ended, log } = stepLog();
  await Promise.all([log.end(), log.end()]);
  expect(log.write(Buffer.from('late\n'))).toBeUndefined();
  expect(log.line('late')).toBeUndefined();
  expect({ written: String(written()), ended: ended() }).toEqual({ written: '', ended: 1 });
});
