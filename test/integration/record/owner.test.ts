import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isAlive, ownerOf, ownOwner, signalOwner } from '../../../src/record/owner.ts';

/** A shell that runs `script` and has printed something; killed when the running test is over. */
async function child(script: string): Promise<ChildProcess & { pid: number }> {
  const made = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void made.kill('SIGKILL'));
  await once(made.stdout, 'data');
  return made as ChildProcess & { pid: number };
}
const WAITS = 'echo ready; while :; do sleep 0.02; done';

describe('the owner of a run', () => {
  it('is this very process', () => {
    const owner = ownOwner();
    expect(owner).toMatchObject({ host: hostname(), pid: process.pid });
    expect(owner.started).toMatch(/^\d+$/);
    expect(ownerOf(process.pid)).toEqual(owner);
    expect(isAlive(owner)).toBe(true);
  });

  it('is not another process with the same number, nor one on another host', () => {
    const owner = ownOwner();
    expect(isAlive({ ...owner, started: String(Number(owner.started) + 1) })).toBe(false);
    expect(isAlive({ ...owner, started: 'unknown' })).toBe(false);
    expect(isAlive({ ...owner, host: `${owner.host}-2` })).toBe(false);
  });

  it('is recognized even when its process has a name chosen to confuse', async () => {
    const { pid } = await child(`printf 'a) Z (b 1 2' > /proc/$$/comm; ${WAITS}`);
    expect(readFileSync(`/proc/${pid}/stat`, 'utf8')).toContain('(a) Z (b 1 2)');
    const owner = ownerOf(pid);
    expect(Number(owner?.started)).toBeGreaterThanOrEqual(Number(ownOwner().started));
    expect(isAlive(owner!)).toBe(true);
  });

  it('is gone when its process has ended', async () => {
    const process_ = await child(WAITS);
    const owner = ownerOf(process_.pid)!;
    expect(isAlive(owner)).toBe(true);
    process_.kill('SIGKILL');
    await once(process_, 'exit');
    expect(isAlive(owner)).toBe(false);
    expect(ownerOf(process_.pid)).toBeUndefined();
    expect(signalOwner(owner, 'SIGTERM')).toBe(false);
  });

  it('is gone when only its zombie is left', async () => {
    // The shell becomes a sleep, which never reaps the child that the shell started.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void parent.kill('SIGKILL'));
    const [chunk] = (await once(parent.stdout, 'data')) as [Buffer];
    // No event tells when the shell has become the sleep, or the child a zombie.
    while (readFileSync(`/proc/${parent.pid}/comm`, 'utf8') !== 'sleep\n') await delay(5);
    const owner = ownerOf(Number(chunk))!;
    expect(isAlive(owner)).toBe(true);
    process.kill(owner.pid, 'SIGKILL');
    while (!/\) Z /.test(readFileSync(`/proc/${owner.pid}/stat`, 'utf8'))) await delay(5);
    expect(isAlive(owner)).toBe(false);
    expect(ownerOf(owner.pid)).toBeUndefined();
  });

  it('gets a signal only as long as it is the same process', async () => {
    const process_ = await child(`trap 'echo got it; exit 3' TERM; ${WAITS}`);
    const owner = ownerOf(process_.pid)!;
    expect(signalOwner({ ...owner, started: '1' }, 'SIGTERM')).toBe(false);
    expect(signalOwner({ ...owner, host: 'elsewhere' }, 'SIGTERM')).toBe(false);
    expect(signalOwner(owner, 'SIGTERM')).toBe(true);
    expect(await once(process_, 'exit')).toEqual([3, null]);
  });
});
