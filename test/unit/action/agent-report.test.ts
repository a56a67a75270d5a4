import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentReport } from '../../../src/action/agent-report.ts';
import type { Job } from '../../../src/action/job.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** What stands for the agent: `program` gets the folder that it may write to as its argument. */
async function reported(program: string, { deadlineMs = 60_000, cancelled = new AbortController().signal } = {}) {
  const directory = await temporaryDirectory();
  const agentScript = join(directory, 'agent.mjs');
  await writeFile(agentScript, program);
  const lines: string[] = [];
  const report = agentReport({
    job: { nodePath: process.execPath, agentScript, cancelled } as Job,
    name: 'the plan',
    args: [directory],
    environment: {},
    deadlineMs,
    read: (json) => z.object({ count: z.number() }).parse(json),
    onLogLine: (line) => lines.push(line),
  });
  return { report, lines, directory };
}

test('a report is read, and each line of the log told, the last without its end too', async () => {
  const { report, lines } = await reported(`process.stderr.write('one\\ntw'); process.stderr.write('o\\nthree');
    console.log('{"count":3}'); process.exitCode = 3;`);
  expect(await report).toEqual({ count: 3 });
  expect(lines).toEqual(['one', 'two', 'three']);
});

test('a program that ends without a report is told with the last that it said', async () => {
  // In one piece: many small ones fill the socket of a reader that is slow, and a crash then loses what it would say.
  const { report } = await reported(`process.stderr.write('chatter\\n'.repeat(500));
    console.log('no report'); throw new Error('the cause');`);
  await expect(report).rejects.toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(
      /^Failed to run the plan for this job: it ended with 1 and said: .*Error: the cause/s,
    ),
  });
});

test('a program that takes too long is killed', async () => {
  const { report } = await reported(`process.on('SIGINT', () => {}); setInterval(() => {}, 1000);`, {
    deadlineMs: 200,
  });
  await expect(report).rejects.toThrow('it ended with a signal');
});

test('a cancelled job interrupts it, and leaves one that does not listen alone', async () => {
  const cancel = new AbortController();
  const { report, lines, directory } = await reported(
    `import { writeFileSync } from 'node:fs';
    process.on('SIGINT', () => { writeFileSync(process.argv[2] + '/asked', ''); setTimeout(() => process.exit(), 5000); });
    setInterval(() => {}, 1000); console.error('ready');`,
    { cancelled: cancel.signal },
  );
  await expect.poll(() => lines, { timeout: 20_000 }).toEqual(['ready']);
  cancel.abort();
  expect(await report).toBeUndefined();
  await expect.poll(() => existsSync(join(directory, 'asked')), { timeout: 20_000 }).toBe(true);
});
