import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive, signalOwner } from '../../../src/record/owner.ts';
import { requestStop, startEngine, waitForEnd } from '../../../src/supervisor/process.ts';
import { scriptEngine } from '../../support/run/script-engine.ts';

/** What a new Node may take on a busy machine, in milliseconds. */
const LONG = { timeout: 20_000 };

async function start(source: string, nodePath?: string) {
  const { engine, runDirectory } = await scriptEngine(source, nodePath);
  const started = await startEngine(engine, runDirectory);
  onTestFinished(() => void signalOwner(started.owner, 'SIGKILL'));
  return { ...started, log: () => readFile(join(runDirectory, 'agent.log'), 'utf8') };
}

test('an engine runs in a session of its own, with its output in agent.log', async () => {
  const { owner, exit, log } = await start(`
    import { readFileSync } from 'node:fs';
    const session = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\\) /s, '').split(' ')[3];
    console.log(process.argv[2], process.env.MARK, session === String(process.pid));
    console.error('to stderr');
  `);
  expect(await waitForEnd(owner, LONG.timeout)).toBe(true);
  expect(await log()).toBe('run marked true\nto stderr\n');
  expect(await exit(LONG.timeout)).toEqual({ code: 0, signal: null });
});

test('its parent knows the process, asks it and no other with its number to stop, and sees how it ended', async () => {
  const { owner, exit, log } = await start(`
    process.on('SIGINT', () => { console.log('asked'); process.exit(7); });
    console.log('ready');
    setInterval(() => {}, 1000);
  `);
  await expect.poll(log, LONG).toBe('ready\n');
  expect(requestStop({ ...owner, started: 'another' })).toBe(false);
  expect(isAlive(owner)).toBe(true);
  expect(await exit(0)).toBeUndefined();
  expect(await waitForEnd(owner, 100)).toBe(false);
  expect(requestStop(owner)).toBe(true);
  expect(await waitForEnd(owner, LONG.timeout)).toBe(true);
  expect(await log()).toBe('ready\nasked\n');
  expect(await exit(LONG.timeout)).toEqual({ code: 7, signal: null });
  expect(requestStop(owner)).toBe(false);
});

test('an engine that cannot be started is an error that names its program', async () => {
  await expect(start('', '/no/such/node')).rejects.toMatchObject({
    outcome: 'failed',
    code: 'PRA-CONFIG-10',
    message: expect.stringContaining('Failed to start the agent with /no/such/node'),
  });
});
