import { appendFile, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeReportPage } from '../../../../src/record/report/page.ts';
import { healthOf } from '../../../../src/record/report/page-details.ts';
import { reportOf } from '../../../../src/record/report/report.ts';
import { SampleRun, sampleStep } from '../../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

async function runDirectory(): Promise<SampleRun> {
  return new SampleRun(await temporaryDirectory());
}

test('the page links only to its own files', async () => {
  const run = await runDirectory();
  run.step(1, 'pulumi update')('https://example.com/ is a line\n');
  const result = run.result({ steps: [sampleStep(), sampleStep({ index: 2, log: '../../etc/passwd.log' })] });
  run.close();
  const report = await reportOf(run.directory, result);
  await writeReportPage(run.directory, report, new AbortController().signal);
  const page = await readFile(run.path('report.html'), 'utf8');
  expect([...page.matchAll(/(?:src|href)="([^"]*)"/g)].map((match) => match[1])).toEqual([
    '#step-1',
    '#step-2',
    'steps/01-pulumi-update.log',
    'run.json',
    'events.ndjson',
    'health.ndjson',
  ]);
  expect(page).not.toContain('passwd');
  expect(await readdir(run.directory)).not.toContain('report.html.part');
});

test('the page of a skipped deployment names no agent that ran it, no begin and no duration', async () => {
  const run = await runDirectory();
  const identity = { organization: 'acme', project: 'web', stack: 'dev', proven: true };
  const result = run.result({ outcome: 'skipped', elsewhere: true, steps: [], identity });
  run.close();
  const report = { ...(await reportOf(run.directory, result)), runSeconds: 0 };
  await writeReportPage(run.directory, report, new AbortController().signal);
  const page = await readFile(run.path('report.html'), 'utf8');
  expect(page).toContain('acme/web/dev');
  expect(page).not.toMatch(/Another agent ran it|Began |<li>0 s<\/li>|<th>Ran<\/th>/);
});

test('the page is not left behind when the step is stopped meanwhile', async () => {
  const run = await runDirectory();
  run.step(1, 'pulumi update')('x\n'.repeat(100_000));
  const result = run.result({ steps: [sampleStep()] });
  run.close();
  const report = await reportOf(run.directory, result);
  const aborted = AbortSignal.abort(new Error('stopped'));
  await expect(writeReportPage(run.directory, report, aborted)).rejects.toThrow('stopped');
  const names = await readdir(run.directory);
  expect(names.filter((name) => name.startsWith('report.html'))).toEqual([]);
});

test('health is shown from the snapshots that can be read', async () => {
  const directory = await temporaryDirectory();
  const snapshot = {
    t: '2026-06-18T10:00:00.000Z',
    status: 'healthy',
    state: 'running <b>',
    rssBytes: 50 * 1024 ** 2,
  };
  const file = join(directory, 'health.ndjson');
  expect(await healthOf(directory)).toEqual({ isBad: false, block: '' });
  await appendFile(
    file,
    `${JSON.stringify(snapshot)}\n${JSON.stringify({ ...snapshot, rssBytes: 1 })}\n{"t":`,
  );
  const healthy = await healthOf(directory);
  expect(healthy.isBad).toBe(false);
  expect(healthy.block).toContain('healthy in 2 of 2 snapshots; peak memory: 50 MiB');
  expect(healthy.block).toContain('>running &lt;b&gt;</td>');
  await appendFile(file, `\n${JSON.stringify({ ...snapshot, status: 'unhealthy' })}\nnull\n`);
  const unhealthy = await healthOf(directory);
  expect(unhealthy.isBad).toBe(true);
  expect(unhealthy.block).toMatch(/^<details open>.*healthy in 2 of 3 snapshots/);
});
