import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import { enqueue, useStage } from '../support/e2e/stage.ts';

const stage = useStage();
/** The output of a step, in bytes. */
const BYTES = 200_000_000;
/** The most that the agent's memory may grow, as a share of the output: what it buffers is bounded. */
const MOST_HELD = 0.6;

/** A script that prints `bytes` in lines of 60,000: Pulumi Cloud's pace depends on the number of lines. */
function printing(bytes: number): { script: string; sha256: string } {
  const line = `${'x'.repeat(60_000)}\n`;
  const expected = createHash('sha256');
  for (let at = 0; at < bytes; at += line.length)
    expected.update(line.slice(0, Math.min(line.length, bytes - at)));
  const script = `yes "$(head -c 60000 /dev/zero | tr '\\0' x)" | head -c ${bytes}`;
  return { script, sha256: expected.digest('hex') };
}

async function hashOf(path: string): Promise<string> {
  const hash: Hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}

describe('a job', () => {
  it(`that prints ${BYTES / 1e6} MB loses none of it, and does not fill the agent’s memory`, async () => {
    const { script, sha256 } = printing(BYTES);
    const deployment = enqueue(stage, { Print: script });
    const { main } = await stage.run({ 'upload-artifact': 'never' });
    expect(main.outputs).toMatchObject({ outcome: 'succeeded' });
    expect(deployment.status).toBe('succeeded');
    const directory = main.outputs['run-directory'] ?? '';
    const result = JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')) as {
      steps: { bytes: number }[];
    };
    expect(result.steps[1]?.bytes).toBe(BYTES);
    expect(await hashOf(join(directory, 'steps/01-print.log'))).toBe(sha256);
    const memory = (await readFile(join(directory, 'health.ndjson'), 'utf8'))
      .split('\n')
      .filter((text) => text !== '')
      .map((text) => (JSON.parse(text) as { rssBytes: number }).rssBytes);
    expect((Math.max(...memory) - (memory[0] ?? 0)) / BYTES).toBeLessThan(MOST_HELD);
  }, 240_000);
});
