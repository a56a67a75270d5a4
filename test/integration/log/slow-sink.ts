/** Puts 200 MB through a step's log while a slow Pulumi Cloud is told of it from the file, and prints what came of it. */
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { keepHeapSmall } from '../../../src/agent/process/heap.ts';
import { systemClock } from '../../../src/clock.ts';
import { Upload } from '../../../src/job/upload.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepFile } from '../../../src/log/step-file.ts';
import { StepLog } from '../../../src/log/step-log.ts';

const CHUNK = 64 * 1024;
const CHUNKS = 3_052;
const [path = '', shape] = process.argv.slice(2);
// As for every claim: what is measured is the agent's memory.
keepHeapSmall();
const redactor = new Redactor();
redactor.add(['a-secret-that-never-comes', 'another-secret']);
const never = new AbortController().signal;
const halfWritten = Promise.withResolvers<void>();
let cloudBytes = 0;
/** What this program takes before there is a line. */
const baseBytes = process.memoryUsage.rss();
let mostBehind = 0;
let addedLineEnds = 0;
const fail = (error: unknown) => {
  throw error;
};
const file = new StepFile({ path, clock: systemClock, onTrouble: fail });
const upload = new Upload({
  index: 1,
  file,
  // Takes nothing at first, then 256 KiB in 5 ms: it is far behind the step all the time, and reads while the step writes.
  api: {
    logs: async (_, { lines }) => {
      await halfWritten.promise;
      await delay(5);
      for (const { l } of lines) cloudBytes += l.length;
      if (shape === 'one-line') addedLineEnds += lines.length;
    },
  },
  clock: systemClock,
  signal: never,
  heartbeatSince: () => true,
  onTaken: () => undefined,
  onFailure: fail,
});
const uploaded = upload.run();
const log = new StepLog({ redactor, file, now: () => Date.now() });
const line = (length: number) => `${'x'.repeat(length)}\n`;
const chunk = Buffer.alloc(CHUNK, shape === 'one-line' ? 'x' : [20, 79, 120, 400, 700].map(line).join(''));
for (let at = 0; at < CHUNKS; at++) {
  if (at === CHUNKS / 2) halfWritten.resolve();
  await log.write(chunk);
  mostBehind = Math.max(mostBehind, file.totals.bytes - cloudBytes);
}
await log.end();
await uploaded;
file.close();
const result = {
  written: CHUNK * CHUNKS,
  fileBytes: (await stat(path)).size,
  baseBytes,
  mostBehind,
  cloudBytes,
  addedLineEnds: addedLineEnds === 0 ? 0 : addedLineEnds - 1,
  delivery: upload.delivery,
  // Not resourceUsage().maxRSS: on Linux a process starts with its parent's peak there.
  peakBytes: Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile('/proc/self/status', 'utf8'))?.[1]) * 1024,
};
process.stdout.write(JSON.stringify(result));
