import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, ownerOf, ownOwner, signalOwner } from '../../src/base/owner.ts';

/** A shell that runs `script` and has printed something; killed when the running test is over. */
async function child(script: string): Promise<ChildProcess & { pid: number }> {
  const made = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void made.kill('SIGKILL'));
  await once(made.stdout, 'data');
  return made as ChildProcess & { pid: number };
}
const OWNER = fileURLToPath(import.meta.resolve('../../src/base/owner.ts'));
const WAITS = 'echo ready; while :; do sleep 0.02; done';

describe('the owner of a run', () => {
  it('is this very process', () => {
    const owner = ownOwner();
    expect(owner).toMatchObject({
      host: hostname(),
      pid: process.pid,
      space: expect.stringContaining('/pid:['),
    });
    expect(owner.started).toMatch(/^\d+$/);
    expect(ownerOf(process.pid)).toEqual(owner);
    expect(isAlive(owner)).toBe(true);
  });

  it('is not another process with the same number', () => {
    const owner = ownOwner();
    expect(isAlive({ ...owner, started: String(Number(owner.started) + 1) })).toBe(false);
  });

  it('is recognized even when its process has a name chosen to confuse', async () => {
    const { pid } = await child(`printf 'a) Z (b 1 2' > /proc/$$/comm; ${WAITS}`);
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain('(a) Z (b 1 2)');
    const owner = ownerOf(pid);
    expect(Number(owner.started)).toBeGreaterThanOrEqual(Number(ownOwner().started));
    expect(isAlive(owner)).toBe(true);
  });

  it('is gone when its process has ended', async () => {
    const process_ = await child(WAITS);
    const owner = ownerOf(process_.pid);
    expect(isAlive(owner)).toBe(true);
    process_.kill('SIGKILL');
    await once(process_, 'exit');
    expect(isAlive(owner)).toBe(false);
    expect(signalOwner(owner, 'SIGTERM')).toBe(false);
  });

  it('is gone when only its zombie is left', async () => {
    // The shell becomes a sleep, which never reaps the child that the shell started.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    // No event tells when the shell has become the sleep, or the child a zombie.
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await delay(5);
    const owner = ownerOf(Number(chunk));
    expect(isAlive(owner)).toBe(true);
    process.kill(owner.pid, 'SIGKILL');
    while (!/\) Z /.test(readFileSync(`/proc/${owner.pid}/stat`, 'utf8'))) await delay(5);
    expect(isAlive(owner)).toBe(false);
  });

  it('is still the same when the host gets another name', async () => {
    const owner = ownOwner();
    const look = `import(${JSON.stringify(OWNER)}).then(({ isAlive, ownerOf }) =>
      console.log(isAlive(${JSON.stringify(owner)}), ownerOf(1).host))`;
    const rename = 'echo another-name >/proc/sys/kernel/hostname && exec "$@"';
    const words = ['-u', 'sh', '-c', rename, 'sh', process.execPath, '-e', look];
    expect(execFileSync('unshare', words, { encoding: 'utf8' })).toBe('true another-name\n');
  });

  it('is not taken for dead by a process that may open no more files', () => {
    const look = `import(${JSON.stringify(OWNER)}).then(({ isAlive, ownOwner, signalOwner }) => {
      const [owner, files] = [ownOwner(), []];
      try { for (;;) files.push(require('node:fs').openSync('/dev/null')); } catch ({ code }) { console.log(code); }
      console.log(isAlive(owner), signalOwner(owner, 'SIGCONT'));
    })`;
    const words = ['-c', 'ulimit -n 64 && exec "$@"', 'sh', process.execPath, '-e', look];
    expect(execFileSync('sh', words, { encoding: 'utf8' })).toBe('EMFILE\ntrue false\n');
  });

  it('gets a signal only as long as it is the same process', async () => {
    const process_ = await child(`trap 'echo got it; exit 3' TERM; ${WAITS}`);
    const owner = ownerOf(process_.pid);
    expect(signalOwner({ ...owner, started: '1' }, 'SIGTERM')).toBe(false);
    expect(signalOwner({ ...owner, space: 'elsewhere/boot/pid:[4026531836]' }, 'SIGTERM')).toBe(false);
    expect(signalOwner(owner, 'SIGTERM')).toBe(true);
    expect(await once(process_, 'exit')).toEqual([3, null]);
  });
});
