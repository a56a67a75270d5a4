/** Reads a step's flood with a slow sink, as the only thing its process does, and tells how much memory that took at most. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';

const [image = '', labels = '{}', script = ''] = process.argv.slice(2);
const never = new AbortController().signal;
const target = createDockerExecutor({ environment: process.env });
const container = await target.prepare(
  { image, pull: false, labels: JSON.parse(labels), files: [], environmentFile: '/PULUMI_ENV' },
  async () => undefined,
  never,
);
const before = process.memoryUsage.rss();
const hash = createHash('sha256');
let bytes = 0;
let pieces = 0;
let rss = 0;
const step = await container.start(
  { shell: 'sh', script, environment: {} },
  async (chunk) => {
    hash.update(chunk);
    bytes += chunk.length;
    pieces += 1;
    rss = Math.max(rss, process.memoryUsage.rss());
    if (pieces % 16 === 0) await sleep(2);
  },
  never,
);
const { code } = await step.exit;
await container.remove();
await target.close();
console.log(JSON.stringify({ code, bytes, sha256: hash.digest('hex'), grownMb: Math.round((rss - before) / 1e6) }));
