/** Puts 200 MB through a step's log, its file read behind for a slow Pulumi Cloud, and prints what came of it. */
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../src/clock.ts';
import { Upload } from '../../../src/job/upload.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepFile } from '../../../src/log/step-file.ts';
import { StepLog } from '../../../src/log/step-log.ts';

const CHUNK = 64 * 1024;
const CHUNKS = 3_052;
const [path = '', shape] = process.argv.slice(2);
const redactor = new Redactor();
redactor.add(['a-secret-that-never-comes', 'another-secret']);
let cloudBytes = 0;
const file = new StepFile({
  path,
  clock: systemClock,
  onTrouble: (error) => {
    throw error;
  },
});
const upload = new Upload({
  index: 1,
  file,
  // 256 KiB in 5 ms: slower than the rest of the path.
  api: {
    logs: async (_, { lines }, signal) => {
      await delay(5, undefined, { signal });
      for (const { l } of lines) cloudBytes += shape === 'one-line' && l.endsWith('\n') ? l.length - 1 : l.length;
      return 'accepted';
    },
  },
  clock: systemClock,
  signal: new AbortController().signal,
  heartbeatSince: () => true,
  onTaken: () => undefined,
  onFailure: () => undefined,
});
const sent = upload.run();
const log = new StepLog({ redactor, file, now: () => Date.now() });
const line = (length: number) => `${'x'.repeat(length)}\n`;
const chunk = Buffer.alloc(CHUNK, shape === 'one-line' ? 'x' : [20, 79, 120, 400, 700].map(line).join(''));
for (let at = 0; at < CHUNKS; at++) await log.write(chunk);
await log.end();
await sent;
const result = {
  written: CHUNK * CHUNKS,
  fileBytes: (await stat(path)).size,
  cloudBytes,
  cloud: upload.delivery,
  // Not resourceUsage().maxRSS: on Linux a process starts with its parent's peak there.
  peakBytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1]) * 1024,
};
process.stdout.write(JSON.stringify(result));
