import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { readReport } from '../../../src/supervisor/process.ts';
import { scriptEngine } from '../../support/run/script-engine.ts';

/** Runs a program that prints a report. */
async function reported(source: string, { deadlineMs = 60_000, signal = new AbortController().signal } = {}) {
  const { engine, runDirectory } = await scriptEngine(source);
  const lines: string[] = [];
  const report = readReport(engine, engine.plan(), {
    name: 'the plan',
    deadlineMs,
    signal,
    read: (json) => z.object({ count: z.number() }).parse(json),
    onLogLine: (line) => lines.push(line),
  });
  return { report, lines, runDirectory };
}

test('a report is read, and each line of the log handed on, the last without its end too', async () => {
  const { report, lines } = await reported(`process.stderr.write('one\\ntw'); process.stderr.write('o\\nthree');
    console.log('{"count":3}'); process.exitCode = 3;`);
  expect(await report).toEqual({ count: 3 });
  expect(lines).toEqual(['one', 'two', 'three']);
});

test('a program that ends without a report is quoted with the last that it said', async () => {
  // In one piece: many small ones fill the socket of a reader that is slow, and a crash then loses what it would say.
  const { report } = await reported(`process.stderr.write('chatter\\n'.repeat(500));
    console.log('no report'); throw new Error('the cause');`);
  await expect(report).rejects.toMatchObject({
    outcome: 'failed',
    code: 'PRA-CONFIG-12',
    message: expect.stringMatching(
      /^Failed to run the plan for this job: it ended with 1 and said: .*Error: the cause/s,
    ),
  });
});

test('a program that takes too long is killed', async () => {
  const { report } = await reported(`process.on('SIGINT', () => {}); setInterval(() => {}, 1000);`, {
    deadlineMs: 200,
  });
  await expect(report).rejects.toThrow('it took longer than 0.2 s');
});

test('a cancelled CI job interrupts it, and leaves one that does not react alone', async () => {
  const cancel = new AbortController();
  const { report, lines, runDirectory } = await reported(
    `import { writeFileSync } from 'node:fs';
    process.on('SIGINT', () => { writeFileSync('asked', ''); setTimeout(() => process.exit(), 5000); });
    setInterval(() => {}, 1000); console.error('ready');`,
    { signal: cancel.signal },
  );
  await expect.poll(() => lines, { timeout: 20_000 }).toEqual(['ready']);
  cancel.abort();
  expect(await report).toBeUndefined();
  await expect.poll(() => existsSync(join(runDirectory, 'asked')), { timeout: 20_000 }).toBe(true);
});
