import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import type { Order } from './watched.ts';

const PROGRAM = join(import.meta.dirname, 'watched.ts');
/** On a loaded machine, a program takes seconds to start from its sources. */
const PATIENCE_MS = 60_000;
vi.setConfig({ testTimeout: 2 * PATIENCE_MS });

/** Starts a process whose main thread may hang for two seconds. */
async function watched() {
  const child = fork(PROGRAM, { execArgv: [], stdio: ['ignore', 'inherit', 'pipe', 'ipc'] });
  let words = '';
  child.stderr?.on('data', (piece: Buffer) => {
    words += piece;
  });
  const ended = once(child, 'exit') as Promise<[code: number | null, signal: NodeJS.Signals | null]>;
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  expect(await once(child, 'message')).toEqual(['watched', undefined]);
  const obeys = async (order: Order) => {
    child.send(order);
    expect(await once(child, 'message')).toEqual([order, undefined]);
  };
  return { child, ended, obeys, tell: (order: Order) => child.send(order), words: () => words };
}

it('a process whose main thread hangs kills itself, and says why', async () => {
  const { tell, ended, words } = await watched();
  tell('hang');
  expect(await ended).toEqual([null, 'SIGKILL']);
  await vi.waitFor(() => expect(words()).toBe('The agent hangs: it kills itself, and its job with it.\n'));
});

it('neither a working main thread nor a suspended machine is taken for a hang', async () => {
  const { child, ended, obeys } = await watched();
  child.kill('SIGSTOP');
  await delay(4_000);
  child.kill('SIGCONT');
  // Longer than the main thread may hang.
  await delay(5_000);
  await obeys('stop');
  child.disconnect();
  expect(await ended).toEqual([0, null]);
});

it('a process is no longer watched once its watchdog is stopped', async () => {
  const { child, ended, obeys, tell } = await watched();
  await obeys('stop');
  tell('hang');
  const first = await Promise.race([ended, delay(5_000, 'hangs' as const)]);
  expect(first).toBe('hangs');
  child.kill('SIGKILL');
});

it('a process that can’t start the watchdog’s thread warns and goes on', async () => {
  const child = fork(PROGRAM, {
    execArgv: ['--permission', '--allow-fs-read=*'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told: unknown[] = [];
  child.on('message', (message) => told.push(message));
  await vi.waitFor(() => expect(told).toHaveLength(2), PATIENCE_MS);
  expect(told[1]).toBe('watched');
  expect(told[0]).toMatch(/^Failed to watch the agent's main thread: .*\. The job continues; /);
});

it('a run is watched from its claim to its end, within the time that its lease leaves', async () => {
  const seen: (number | 'stopped')[] = [];
  const watchdog = (leftMs: () => number) => {
    seen.push(leftMs());
    return { stop: async () => void seen.push('stopped') };
  };
  const { agent, enqueue, root } = await agentOf({ options: { watchdog } });
  const deployment = enqueue(jobOf('touch watched; while [ ! -e over ]; do sleep 0.05; done'));
  const running = agent.run();
  await expect.poll(() => existsSync(join(root, 'watched')), { timeout: PATIENCE_MS }).toBe(true);
  expect(seen).toEqual([expect.any(Number)]);
  expect(seen[0]).toBeGreaterThan(7 * 60_000);
  expect(seen[0]).toBeLessThanOrEqual(8 * 60_000);
  await writeFile(join(root, 'over'), '');
  expect(await running).toBe(0);
  expect(seen.slice(1)).toEqual(['stopped']);
  expect(deployment.status).toBe('succeeded');
});
