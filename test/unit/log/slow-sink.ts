/** Puts 200 MB through a step's log, with a file and a slow Pulumi Cloud behind it, and prints what came of it. */
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { CloudLog } from '../../../src/log/cloud-log.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { openStepFile } from '../../../src/log/step-file.ts';
import { StepLog } from '../../../src/log/step-log.ts';

const CHUNK = 64 * 1024;
const CHUNKS = 3_052;
const [path = '', shape] = process.argv.slice(2);
const redactor = new Redactor();
redactor.add(['a-secret-that-never-comes', 'another-secret']);
let cloudBytes = 0;
let addedLineEnds = 0;
const cloud = new CloudLog({
  // 256 KiB in 5 ms: slower than the rest of the path.
  send: async (batch, signal) => {
    await delay(5, undefined, { signal });
    for (const { l } of batch.lines) {
      cloudBytes += l.length;
      if (shape === 'one-line') addedLineEnds++;
    }
    return 'accepted';
  },
  sleep: (milliseconds, signal) => delay(milliseconds, undefined, { signal }),
  now: () => performance.now(),
  signal: new AbortController().signal,
});
const log = new StepLog({ redactor, sinks: [openStepFile(path), cloud], now: () => Date.now() });
const line = (length: number) => `${'x'.repeat(length)}\n`;
const chunk = Buffer.alloc(CHUNK, shape === 'one-line' ? 'x' : [20, 79, 120, 400, 700].map(line).join(''));
for (let at = 0; at < CHUNKS; at++) await log.write(chunk);
await log.end();
const result = {
  written: CHUNK * CHUNKS,
  fileBytes: (await stat(path)).size,
  cloudBytes,
  addedLineEnds: addedLineEnds === 0 ? 0 : addedLineEnds - 1,
  cloud: await cloud.end(),
  // Not resourceUsage().maxRSS: on Linux a process starts with its parent's peak there.
  peakBytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1]) * 1024,
};
process.stdout.write(JSON.stringify(result));
