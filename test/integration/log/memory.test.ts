import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-memory-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

test.each(['lines', 'one-line'])(
  '200 MB of %s wait on the disk, not in memory, while Pulumi Cloud is far behind, and arrive whole',
  async (shape) => {
    const program = join(import.meta.dirname, 'slow-sink.ts');
    const { stdout } = await promisify(execFile)(process.execPath, [program, join(folder, 'step.log'), shape], {
      timeout: 120_000,
    });
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      written: 200_015_872,
      fileBytes: 200_015_872,
      delivery: { undelivered: 0, retries: 0, failures: 0 },
    });
    // Held in memory, so much would break the bound below.
    expect(result.mostBehind).toBeGreaterThan(90_000_000);
    expect(result.cloudBytes).toBe(200_015_872 + result.addedLineEnds);
    expect(result.peakBytes - result.baseBytes).toBeLessThan(0.75 * result.mostBehind);
  },
  150_000,
);
