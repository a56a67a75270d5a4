import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Job } from '../../../src/action/job.ts';
import { main } from '../../../src/action/main.ts';
import { post } from '../../../src/action/post.ts';
import { isAlive, ownerOf, signalOwner } from '../../../src/record/owner.ts';
import type { Owner } from '../../../src/record/schema.ts';
import { inputVariable } from '../../emulators/github/action-manifest.ts';
import { parseKeyValueFile } from '../../emulators/github/command-files.ts';
import { captureStdout } from './captured-stdout.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const TOKEN = { token: 'pul-0123456789abcdef' };
/** Of an agent that has 265 s from the cancel, and 0.2 s from SIGTERM on. */
const QUICK = { jobMs: 285_000, publishMs: 10_000, forceMs: 10_000, leaveMs: 200, terminateMs: 200 };
const OIDC = { organization: 'acme', 'runner-pool-id': 'pool-1' };

let directory: string;
let cancel: AbortController;
beforeEach(async () => {
  directory = await temporaryDirectory();
  await mkdir(join(directory, 'temp'));
  cancel = new AbortController();
  for (const name of ['OUTPUT', 'STATE', 'STEP_SUMMARY']) {
    await writeFile(join(directory, name), '');
    vi.stubEnv(`GITHUB_${name}`, join(directory, name));
  }
  return () => {
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  };
});

function job(inputs: Readonly<Record<string, string>>, environment: Readonly<Record<string, string>> = {}): Job {
  const given = Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]);
  return {
    // Both phases are this one process here: neither may look as if it ran beside the other.
    owner: { host: 'elsewhere', pid: 1, started: 'x' },
    environment: {
      PATH: process.env['PATH'],
      GITHUB_STEP_SUMMARY: join(directory, 'STEP_SUMMARY'),
      ...environment,
      ...Object.fromEntries(given),
    },
    cancelled: cancel.signal,
    stdout: process.stdout,
    checkoutDirectory: directory,
    workingDirectory: directory,
    homeDirectory: join(directory, 'home'),
    temporaryDirectory: join(directory, 'temp'),
    nodePath: process.execPath,
    agentDirectory: directory,
    agentScript: fileURLToPath(new URL('./stand-in-agent.ts', import.meta.url)),
    now: Date.now,
  };
}

const entries = async (name: string) =>
  Object.fromEntries(parseKeyValueFile(await readFile(join(directory, name), 'utf8')));

/** Hands main's state to post, as the runner does; a new phase has files of its own. */
async function keepState(): Promise<Record<string, string>> {
  const state = await entries('STATE');
  for (const [name, value] of Object.entries(state)) vi.stubEnv(`STATE_${name}`, value);
  await writeFile(join(directory, 'STEP_SUMMARY'), '');
  return state;
}

const summary = () => readFile(join(directory, 'STEP_SUMMARY'), 'utf8');

async function ownerOfAgent(): Promise<Owner> {
  const owner: Owner = JSON.parse((await entries('STATE'))['run'] ?? '').owner;
  onTestFinished(() => void signalOwner(owner, 'SIGKILL'));
  return owner;
}

/** Files below the temporary folder that still hold what is private. */
async function privateFiles(): Promise<string[]> {
  const files = await readdir(join(directory, 'temp'), { recursive: true });
  return files.filter((file) => file.includes('private'));
}

async function idTokens(listener: RequestListener): Promise<Record<string, string>> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const environment = {
    ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/?v=1`,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return environment;
}

/** Starts main, waits until the console shows `text`, then cancels the job. Returns the exit code and how long it took. */
async function cancelAt(running: Job, shows: string) {
  const stdout = captureStdout();
  const phase = main(running);
  await expect.poll(stdout.text, { timeout: 10_000, interval: 20 }).toContain(shows);
  const began = performance.now();
  cancel.abort(new Error('cancelled'));
  const exitCode = await phase;
  return { exitCode, ms: performance.now() - began, stdout };
}

describe('main', () => {
  test('follows a run to its end, publishes it, and leaves post a line to say', async () => {
    const stdout = captureStdout();
    const environment = await idTokens((_, response) => response.end('{"value":"the.id.token"}'));
    const secret = { AWS_SECRET_ACCESS_KEY: 'forwarded-secret-value', AWS_REGION: 'eu-west-1' };
    const inputs = { ...OIDC, 'env-forward-allowlist': 'AWS_REGION AWS_SECRET_ACCESS_KEY' };
    expect(await main(job(inputs, { STAND_IN: 'succeed', ...environment, ...secret }))).toBe(0);
    const { lines, masks, annotations } = stdout.read();
    expect(lines).toContain('before');
    expect(lines).toContain('after');
    expect(masks).toEqual(expect.arrayContaining(['the.id.token', 'forwarded-secret-value']));
    expect(masks).not.toContain('eu-west-1');
    expect(annotations.map(({ level }) => level)).toEqual(['notice']); // there is no artifact service here
    const outputs = await entries('OUTPUT');
    expect(outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': 'dep-1', 'run-seconds': '58.8' });
    expect(await summary()).toContain('## Pulumi workflow succeeded');
    expect(await readdir(outputs['run-directory'] ?? '')).toEqual(
      expect.arrayContaining(['agent.log', 'events.ndjson', 'report.html', 'run.json', 'steps']),
    );
    expect(await privateFiles()).toEqual([]);

    await keepState();
    const before = stdout.text().length;
    await post(job({}));
    expect(stdout.text().slice(before)).toBe('The run is over; removing its temporary files.\n');
    expect(await summary()).toBe('');
  });

  test('warns of what the settings name that is not known, and goes on', async () => {
    const stdout = captureStdout();
    const environment = await idTokens((_, response) => response.end('{"value":"the.id.token"}'));
    const more = { PULUMI_AGENT_POLING_INTERVAL: '1s', STAND_IN: 'succeed' };
    expect(await main(job(OIDC, { ...environment, ...more }))).toBe(0);
    expect(stdout.read().annotations).toContainEqual(
      expect.objectContaining({
        level: 'warning',
        message: expect.stringContaining('did you mean PULUMI_AGENT_POLLING_INTERVAL?'),
      }),
    );
    await keepState();
    await post(job({}));
  });

  test('tells every problem of the inputs at once', async () => {
    const stdout = captureStdout();
    expect(await main(job({ 'max-wait': 'soon', 'on-no-work': 'x' }))).toBe(1);
    const [annotation] = stdout.read().annotations;
    const lines = annotation?.message.split('\n') ?? [];
    expect(lines).toHaveLength(6);
    expect(lines[5]).toMatch(/^See https:\/\/\S+\/TROUBLESHOOTING\.md#\S+$/);
    expect(await entries('OUTPUT')).toMatchObject({ outcome: 'config-error' });
    expect(await summary()).toContain('## The configuration cannot be used');
    expect(await privateFiles()).toEqual([]);
  });

  test('says what permission is missing', async () => {
    const stdout = captureStdout();
    expect(await main(job(OIDC))).toBe(1);
    expect(stdout.read().annotations[0]?.message).toContain('permissions: id-token: write');
    expect(await entries('OUTPUT')).toMatchObject({ outcome: 'auth-error' });
  });

  test('is over at once when the job is cancelled before the agent is there', async () => {
    const environment = await idTokens(() => undefined);
    const { exitCode, ms } = await cancelAt(job(OIDC, environment), 'ID token url is');
    expect(exitCode).toBe(130);
    expect(ms).toBeLessThan(10_000);
    expect(await entries('OUTPUT')).toEqual({ outcome: 'interrupted' });
    expect(await privateFiles()).toEqual([]);
  });

  test('says that the agent was killed, within seconds, and what it left', async () => {
    const stdout = captureStdout();
    expect(await main(job(TOKEN, { STAND_IN: 'die' }))).toBe(1);
    const { annotations, lines, masks } = stdout.read();
    expect(lines).toContain('before');
    expect(masks).toContain(TOKEN.token);
    expect(annotations.at(-1)?.message).toMatch(
      /was killed by SIGKILL .* no heartbeat has come for 10 minutes.* Removed container of-the-run\. See \S+#the-agent-process--was-killed$/,
    );
    expect(await entries('OUTPUT')).toMatchObject({ outcome: 'failed', 'deployment-id': 'dep-1' });
    expect(await privateFiles()).toEqual([]);

    await keepState();
    const before = stdout.text().length;
    await post(job(TOKEN));
    expect(stdout.text().slice(before)).toBe(
      'The run is over; removing its temporary files.\nRemoved container of-the-run.\n',
    );
  });
});

describe('a cancelled job', () => {
  test('leaves main at once; post waits for the agent and publishes the rest', async () => {
    const { exitCode, ms, stdout } = await cancelAt(job(TOKEN, { STAND_IN: 'wait' }), 'before\n');
    expect(exitCode).toBe(130);
    expect(ms).toBeLessThan(10_000);
    expect(await entries('OUTPUT')).toMatchObject({ outcome: 'interrupted', 'deployment-id': 'dep-1' });
    expect(await summary()).toBe('');
    const owner = await ownerOfAgent();

    await keepState();
    cancel = new AbortController();
    const before = stdout.text().length;
    await post(job(TOKEN));
    const shown = stdout.text().slice(before);
    expect(shown).toContain('::group::Step 1: pulumi update (continued)\nafter\n::endgroup::');
    expect(shown).not.toContain('before\n::endgroup::');
    expect(shown).toContain('interrupted: The CI job interrupted dep-1.');
    expect(await summary()).toContain('## Pulumi workflow was interrupted by the CI job');
    expect(isAlive(owner)).toBe(false);
    expect(await privateFiles()).toEqual([]);
  });

  test('has what the job’s end leaves: past that the agent is told at once to drop what isn’t sent, and the run is published', async () => {
    const { stdout } = await cancelAt(job(TOKEN, { STAND_IN: 'reporting' }), 'before\n');
    const owner = await ownerOfAgent();
    await keepState();
    cancel = new AbortController();
    const before = stdout.text().length;
    const late = { ...job(TOKEN), now: () => Date.now() + 250_000 };
    const began = performance.now();
    await post(late);
    expect(performance.now() - began).toBeLessThan(20_000);
    const shown = stdout.text().slice(before);
    expect(shown).toContain('waiting at most 0 s');
    expect(shown).toContain('told the agent to drop what Pulumi Cloud has not taken');
    expect(shown).toContain('unreported: ');
    expect(shown).not.toMatch(/::(?:warning|error)::/);
    expect(await summary()).toContain('<p>Dropped what was not sent.');
    expect(isAlive(owner)).toBe(false);
  });

  test('has all its time where the job outlived the cancel’s: only the step’s own timeout had ended main', async () => {
    const { stdout } = await cancelAt(job(TOKEN, { STAND_IN: 'reporting' }), 'before\n');
    await ownerOfAgent();
    await keepState();
    cancel = new AbortController();
    const before = stdout.text().length;
    await post({ ...job(TOKEN), now: () => Date.now() + 600_000 }, { ...QUICK, jobMs: 21_500 });
    expect(stdout.text().slice(before)).toMatch(/waiting at most [12] s/);
  });

  test('ends by force when the agent doesn’t stop: post kills it, warns of the stack and sweeps', async () => {
    const { stdout } = await cancelAt(job(TOKEN, { STAND_IN: 'deaf' }), 'before\n');
    const owner = await ownerOfAgent();
    expect(isAlive(owner)).toBe(true);
    await keepState();
    cancel = new AbortController();
    const before = stdout.text().length;
    await post(job(TOKEN), { ...QUICK, jobMs: 20_300 });
    const shown = stdout.text().slice(before);
    expect(shown).toMatch(
      /::warning::The agent \(process \d+\) did not stop in time and was killed\. The stack .* locked/,
    );
    expect(shown).toMatch(/failed: The agent .* Removed container of-the-run\./);
    expect(shown).not.toContain('::error::');
    expect(isAlive(owner)).toBe(false);
    expect(await privateFiles()).toEqual([]);
  });
});

describe('a main that still runs', () => {
  /** Hands post a main that is `source` in a process of its own, and that can leave word of a run that is over. */
  async function mainOf(source: string) {
    const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    const base = join(directory, 'temp');
    const state = {
      runDirectory: join(base, 'run'),
      position: { events: 0 },
      ended: true,
      died: false,
      published: true,
    };
    vi.stubEnv('STATE_main', JSON.stringify(ownerOf(child.pid ?? 0)));
    vi.stubEnv('STATE_private-directory', join(base, 'private'));
    const leave = async () => {
      vi.stubEnv('STATE_run', JSON.stringify(state));
      await writeFile(join(base, 'state.json'), JSON.stringify(state));
    };
    return { left: once(child, 'exit'), leave };
  }

  test('is told to leave, and what it did until then is not done again', async () => {
    const stdout = captureStdout();
    const saved = `process.on('SIGINT', () => process.exit(130)); setInterval(() => {}, 1000); console.log('up');`;
    const { left, leave } = await mainOf(saved);
    await leave();
    await post(job({}));
    expect(await left).toEqual([130, null]);
    expect(stdout.text()).toMatch(/^The step itself still runs \(process \d+\): told it to leave\.\nThe run is over/);
  });

  test('is killed when it is deaf', async () => {
    captureStdout();
    const deaf = `process.on('SIGINT', () => {}); setInterval(() => {}, 1000); console.log('up');`;
    const { left } = await mainOf(deaf);
    await post(job({}), QUICK);
    expect(await left).toEqual([null, 'SIGKILL']);
  });
});

describe('post', () => {
  test('finds an agent that main started and could not name any more', async () => {
    const stdout = captureStdout();
    const phase = main(job(TOKEN, { STAND_IN: 'wait' }));
    await expect.poll(stdout.text, { timeout: 10_000, interval: 20 }).toContain('before\n');
    const owner = await ownerOfAgent();
    // What can be known by now is an output by now.
    const known = { 'deployment-id': 'dep-1', 'run-id': 'run-1', 'job-id': 'job-1', 'wait-seconds': '0' };
    expect(await entries('OUTPUT')).toEqual({ ...known, 'console-url': '', 'run-directory': expect.any(String) });
    const { run = '' } = await keepState();
    const { owner: _, ...state } = JSON.parse(run);
    vi.stubEnv('STATE_run', JSON.stringify(state));
    await rm(join(state.runDirectory, '..', 'state.json'));
    const before = stdout.text().length;
    await post(job(TOKEN));
    expect(stdout.text().slice(before)).toContain('interrupted: The CI job interrupted dep-1.');
    expect(isAlive(owner)).toBe(false);
    await phase;
  });

  test('has nothing to do when main left nothing', async () => {
    const stdout = captureStdout();
    await post(job({}));
    expect(stdout.text()).toBe('The run is over; removing its temporary files.\n');
  });

  test('writes the summary that main wrote when its step was over already, and nothing else again', async () => {
    const stdout = captureStdout();
    expect(await main(job(TOKEN, { STAND_IN: 'succeed' }))).toBe(0);
    const { run = '' } = await keepState();
    vi.stubEnv('STATE_run', JSON.stringify({ ...JSON.parse(run), ended: false, published: false }));
    const before = stdout.text().length;
    await post(job({ ...TOKEN, 'upload-artifact': 'never' }));
    expect(stdout.text().slice(before)).toMatch(/^The run is over; removing its temporary files\.\nsucceeded: .*\n$/);
    expect(await summary()).toContain('## Pulumi workflow succeeded');
  });

  test('reads no state of the workspace, whose files a pull request can choose', async () => {
    const stdout = captureStdout();
    const state = { runDirectory: directory, position: { events: 0 }, ended: true, died: true, published: true };
    await writeFile(join(directory, 'state.json'), JSON.stringify(state));
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(directory);
    await post(job({}));
    expect(stdout.text()).toBe('The run is over; removing its temporary files.\n');
  });

  test('removes what is private even when the rest fails, and only warns', async () => {
    const stdout = captureStdout();
    const base = join(directory, 'temp', 'private');
    await mkdir(base);
    vi.stubEnv('STATE_private-directory', base);
    const owner = { host: 'elsewhere', pid: 1, started: 'x' };
    const state = {
      runDirectory: join(directory, 'OUTPUT'),
      owner,
      position: { events: 0 },
      ended: false,
      died: false,
      published: false,
    };
    vi.stubEnv('STATE_run', JSON.stringify(state));
    await post(job({}));
    expect(stdout.text()).toContain('::warning::Failed to finish the run in the post step: ');
    expect(existsSync(base)).toBe(false);
  });
});
