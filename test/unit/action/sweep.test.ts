import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { reportDead } from '../../../src/action/death.ts';
import { describeSweep, sweep } from '../../../src/action/sweep.ts';
import { startOf } from '../../../src/record/owner.ts';
import { captureStdout } from './captured-stdout.ts';
import { SampleRun } from './sample-run.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A sweep by a program of one line, in a folder whose name has a blank. */
async function commandFor(source: string, over: { deadlineMs?: number; signal?: AbortSignal } = {}) {
  const runDirectory = await temporaryDirectory();
  const script = join(runDirectory, 'a program.mjs');
  await writeFile(script, source);
  const environment = { PATH: process.env['PATH'] ?? '', MARK: 'marked' };
  return {
    nodePath: process.execPath,
    script,
    runDirectory,
    environment,
    deadlineMs: 10_000,
    signal: new AbortController().signal,
    ...over,
  };
}

test('a sweep tells each object that was removed', async () => {
  const command = await commandFor(`
    console.log(process.env.MARK, process.argv[2], process.argv[4] === ${'import.meta.dirname'});
    console.log('Second.');
  `);
  const result = await sweep(command);
  expect(result).toEqual({ removed: ['marked sweep true', 'Second.'] });
  expect(describeSweep(result)).toBe('marked sweep true Second.');
  expect(describeSweep({ removed: [] })).toBe('Nothing was left to remove.');
});

test('a sweep that fails or hangs is told, not thrown', async () => {
  const command = await commandFor(`console.error('no engine.'); process.exit(5);`);
  const unclaimed = await sweep(command);
  expect(unclaimed).toEqual({ problem: 'no engine.', left: 'nothing' });
  expect(describeSweep(unclaimed)).toBe('Nothing had been claimed, so there is nothing to remove.');
  const run = new SampleRun(command.runDirectory);
  run.claim();
  expect(describeSweep(await sweep(command))).toMatch(/could not be looked for: no engine\. .* `docker ps -a`/);
  const place = { target: 'kubernetes', context: 'c', server: 'https://s/', namespace: 'jobs' } as const;
  run.event({ type: 'place', place });
  run.close();
  expect(describeSweep(await sweep(command))).toMatch(
    /: no engine\. A pod ends by itself .* `kubectl get pods -n jobs /,
  );
  expect(await sweep({ ...(await commandFor('')), nodePath: '/no/such/node' })).toHaveProperty('problem');

  const hanging = await commandFor('setInterval(() => {}, 1000);', { deadlineMs: 200 });
  expect(await sweep(hanging)).toMatchObject({ problem: 'it took longer than 0.2 s' });
});

test('a sweep that is given up has ended, deaf to signals and with its pipes held by another', async () => {
  const abort = new AbortController();
  const hanging = await commandFor(
    `
    import { spawn } from 'node:child_process';
    import { renameSync, writeFileSync } from 'node:fs';
    process.on('SIGTERM', () => {});
    const holder = spawn('sleep', ['60'], { stdio: 'inherit' });
    writeFileSync('part', JSON.stringify([process.pid, holder.pid]));
    renameSync('part', 'pids');
    setInterval(() => {}, 1000);`,
    { signal: abort.signal, deadlineMs: 60_000 },
  );
  const swept = sweep(hanging);
  const pids = join(hanging.runDirectory, 'pids');
  await expect.poll(() => existsSync(pids), { timeout: 20_000 }).toBe(true);
  abort.abort();
  expect(await swept).toMatchObject({ problem: 'it was given up' });
  const [pid, holder] = JSON.parse(await readFile(pids, 'utf8'));
  expect(startOf(pid)).toBeUndefined();
  process.kill(holder, 'SIGKILL');
});

test('the report of a dead agent says how it died, what Pulumi Cloud will do and what was left', async () => {
  const stdout = captureStdout();
  const command = await commandFor(`console.log('Removed container abc.');`);
  const run = new SampleRun(command.runDirectory);
  await writeFile(run.path('agent.log'), 'first\n::error::last words\n');
  const unclaimed = await reportDead({ ...command, pid: 42, exit: { code: 9, signal: null } });
  expect(unclaimed.outcome).toBe('failed');
  expect(unclaimed.message).toBe(
    'The agent (process 42) ended with exit code 9 and without a result; the end of its log above says why. ' +
      'Removed container abc.',
  );
  run.claim();
  run.close();
  const claimed = await reportDead({ ...command, pid: 42, exit: { code: null, signal: 'SIGKILL' } });
  expect(claimed.deploymentId).toBe('dep-1');
  expect(claimed.message).toMatch(
    /^The agent \(process 42\) was killed by SIGKILL before .* no heartbeat has come for 10 minutes; its container ends with/,
  );
  const place = { target: 'kubernetes', context: 'c', server: 'https://s/', namespace: 'jobs' } as const;
  const onCluster = new SampleRun(command.runDirectory);
  onCluster.event({ type: 'place', place });
  onCluster.close();
  expect((await reportDead({ ...command, pid: 42 })).message).toMatch(/; its pod ends by itself within 5 minutes/);
  expect((await reportDead({ ...command, pid: 42 })).message).toMatch(/^The agent \(process 42\) was killed before/);
  const { lines, commands } = stdout.read();
  expect(lines).toContain(': :error::last words');
  expect(new Set(commands.map(({ command: name }) => name))).toEqual(new Set(['group', 'endgroup']));
});
