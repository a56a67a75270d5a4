import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentEnvironment, requestStop, startAgent, waitForEnd } from '../../../src/action/agent-process.ts';
import { isAlive, signalOwner } from '../../../src/record/owner.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** What a new Node may take on a busy machine, in milliseconds. */
const LONG = { timeout: 20_000 };

/** Starts a program of one line as the agent. */
async function start(source: string, over: { nodePath?: string; configFile?: string; script?: string } = {}) {
  const runDirectory = await temporaryDirectory();
  const script = join(runDirectory, 'program.mjs');
  await writeFile(script, source);
  const agent = await startAgent({
    nodePath: process.execPath,
    script,
    runDirectory,
    defaults: { max_wait: '5m' },
    labels: { a: 'b=c' },
    environment: { PATH: process.env['PATH'] ?? '', MARK: 'x' },
    ...over,
  });
  onTestFinished(() => void signalOwner(agent.owner, 'SIGKILL'));
  return { agent, log: () => readFile(join(runDirectory, 'agent.log'), 'utf8'), runDirectory, script };
}

describe('agentEnvironment', () => {
  test('hands on the step’s environment without its inputs and GitHub’s tokens', () => {
    const step = {
      PATH: '/bin',
      RUNNER_TRACKING_ID: 'github_1',
      INPUT_TOKEN: 'pul-secret',
      'INPUT_RUNNER-POOL-ID': 'p',
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'secret',
      ACTIONS_RUNTIME_TOKEN: 'secret',
      ACTIONS_WANTED: 'forwarded',
      input_lower: 'x',
      GONE: undefined,
      PULUMI_AGENT_IMAGE: 'from-env',
      PULUMI_AGENT_MAX_WAIT: 'from-env',
    };
    expect(agentEnvironment(step, { PULUMI_AGENT_MAX_WAIT: 'from-input' }, ['ACTIONS_WANTED'])).toEqual({
      PATH: '/bin',
      RUNNER_TRACKING_ID: 'github_1',
      ACTIONS_WANTED: 'forwarded',
      PULUMI_AGENT_IMAGE: 'from-env',
      PULUMI_AGENT_MAX_WAIT: 'from-input',
    });
  });
});

describe('startAgent', () => {
  test('runs it in its own session with the run directory, the defaults and the given environment', async () => {
    const source = `
      import { readFileSync } from 'node:fs';
      const session = readFileSync('/proc/self/stat', 'utf8').replace(/^.*\\) /s, '').split(' ')[3];
      console.log(JSON.stringify({ argv: process.argv.slice(2), env: process.env, leads: session === String(process.pid) }));
      console.error('to stderr');
    `;
    const { agent, log, runDirectory } = await start(source, { configFile: 'my.yaml' });
    expect(await waitForEnd(agent.owner, LONG.timeout)).toBe(true);
    const [said, stderr] = (await log()).split('\n');
    expect(JSON.parse(said ?? '')).toEqual({
      argv: [
        ...[
          'run',
          '--drain-on-stdin-end',
          '--run-directory',
          runDirectory,
          '--config',
          'my.yaml',
          '--default',
          'max_wait=5m',
          '--label',
          'a=b=c',
        ],
      ],
      env: expect.objectContaining({ MARK: 'x', MALLOC_ARENA_MAX: '2' }),
      leads: true,
    });
    expect(stderr).toBe('to stderr');
    expect(await agent.exit(LONG.timeout)).toEqual({ code: 0, signal: null });
  });

  test('knows the process, asks it to stop, and sees how it ended', async () => {
    const { agent, log } = await start(`
      process.on('SIGINT', () => { console.log('asked'); process.exit(7); });
      console.log('ready');
      setInterval(() => {}, 1000);
    `);
    await expect.poll(log, LONG).toBe('ready\n');
    expect(isAlive(agent.owner)).toBe(true);
    expect(await agent.exit(0)).toBeUndefined();
    expect(await waitForEnd(agent.owner, 100)).toBe(false);
    expect(requestStop(agent.owner)).toBe(true);
    expect(await waitForEnd(agent.owner, LONG.timeout)).toBe(true);
    expect(await log()).toBe('ready\nasked\n');
    expect(await agent.exit(LONG.timeout)).toEqual({ code: 7, signal: null });
    expect(requestStop(agent.owner)).toBe(false);
  });

  test('asks no other process that has the same number', async () => {
    const { agent } = await start('setInterval(() => {}, 1000);');
    expect(requestStop({ ...agent.owner, started: 'another' })).toBe(false);
    expect(isAlive(agent.owner)).toBe(true);
  });

  test.each(['/no/such/folder/index.js', '/usr/no-such-index.js'])(
    'says that its program %s is missing',
    async (script) => {
      await expect(start('', { script })).rejects.toMatchObject({
        outcome: 'failed',
        message: expect.stringMatching(
          `^Failed to start the agent for this job: its program ${script} is missing\\. Use `,
        ),
      });
    },
  );

  test('says what Node can’t be started', async () => {
    await expect(start('', { nodePath: '/no/such/node' })).rejects.toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('Failed to start the agent with /no/such/node'),
    });
  });
});
