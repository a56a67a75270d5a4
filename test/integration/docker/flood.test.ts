import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { JOB_IMAGE } from '../../support/docker/images.ts';
import { workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
const run = promisify(execFile);

it('200 MB of output into a slow sink arrive whole, and take less than half of that in memory', async () => {
  const line = `${'0123456789'.repeat(10)}\n`;
  const bytes = 200_000_000;
  const script = `yes ${line.trim()} | head -c ${bytes}`;
  const fixture = join(import.meta.dirname, 'flood-fixture.ts');
  const { stdout } = await run(process.execPath, [fixture, JOB_IMAGE, JSON.stringify(bench.labels), script]);
  const expected = createHash('sha256').update(line.repeat(Math.ceil(bytes / line.length)).slice(0, bytes));
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ code: 0, bytes, sha256: expected.digest('hex') });
  expect(result.grownMb).toBeLessThan(100);
});
