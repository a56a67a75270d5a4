import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { sharedSteady } from '../../../src/base/clock.ts';
import type { Owner } from '../../../src/base/owner.ts';
import { isAlive, ownerOf, signalOwner } from '../../../src/base/owner.ts';
import { POST_TIMES, type PostTimes } from '../../../src/ci-step/cancel-times.ts';
import { startEngine } from '../../../src/ci-step/engine-process.ts';
import { post } from '../../../src/ci-step/finish.ts';
import { type ActionPhase, githubHost } from '../../../src/ci-step/hosts/github/host.ts';
import { mainPhase, planPhase, postPhase } from '../../../src/ci-step/hosts/github/phases.ts';
import { readPostSettings } from '../../../src/ci-step/hosts/github/settings.ts';
import { createRunFolder, type RunState, saveRunState } from '../../../src/ci-step/state.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { commandFiles } from '../../support/hosts/command-files.ts';
import { idTokenReply, idTokenService } from '../../support/hosts/id-token-service.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const TOKEN = { token: 'pul-0123456789abcdef' };
const OIDC = { organization: 'acme', 'runner-pool-id': 'pool-1' };
const AGENT = fileURLToPath(new URL('./stand-in-agent.ts', import.meta.url));

let directory: string;
let cancel: AbortController;
let files: Awaited<ReturnType<typeof commandFiles>>;
beforeEach(async () => {
  directory = await temporaryDirectory();
  files = await commandFiles(directory);
  cancel = new AbortController();
});

function step(
  inputs: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): ActionPhase {
  return stepIn(directory, inputs, { environment, cancelled: cancel.signal, agentScript: AGENT });
}

/** Runs post with shorter time limits than its own. */
async function quickPost(given: ActionPhase, times: Partial<PostTimes & { jobMs: number }>): Promise<void> {
  const host = githubHost(given);
  const { jobMs = host.cancelWindow.jobMs, ...others } = times;
  const cancelWindow = { ...host.cancelWindow, jobMs };
  const quick = { publishMs: 10_000, forceMs: 10_000, leaveMs: 200, terminateMs: 200 };
  await post({ ...host, cancelWindow }, readPostSettings(given), { ...POST_TIMES, ...quick, ...others });
}

/** What main left behind about its run. */
function runState(): RunState {
  const base = process.env['STATE_private-directory'] ?? '';
  return JSON.parse(readFileSync(join(base, '../state.json'), 'utf8'));
}

function ownerOfAgent(): Owner {
  const { owner } = runState();
  if (owner === undefined) throw new Error('no agent was started');
  onTestFinished(() => void signalOwner(owner, 'SIGKILL'));
  return owner;
}

/** Private files that are still below the temporary folder. */
async function privateFiles(): Promise<string[]> {
  const files = await readdir(join(directory, 'temp'), { recursive: true });
  return files.filter((file) => file.includes('private'));
}

/** Starts main, waits for `shows` on the console, runs `meanwhile` and cancels the CI job; `next` leads on to post. */
async function cancelAt(running: ActionPhase, shows: string, meanwhile?: () => Promise<unknown>) {
  const stdout = captureStdout();
  const phase = mainPhase(running);
  await expect.poll(stdout.text, { timeout: 20_000, interval: 20 }).toContain(shows);
  await meanwhile?.();
  cancel.abort(new Error('cancelled'));
  expect(await phase).toBe(130);
  const outputs = await files.outputs();
  const next = async () => {
    await files.keepState();
    cancel = new AbortController();
    const before = stdout.text().length;
    return { shown: () => stdout.text().slice(before), owner: ownerOfAgent() };
  };
  return { outputs, next };
}

describe('main', () => {
  test('follows a run to its end, publishes it, and leaves post only one line to print', async () => {
    const stdout = captureStdout();
    const { environment } = await idTokenService(idTokenReply('the.id.token'));
    const secret = { AWS_SECRET_ACCESS_KEY: 'forwarded-secret-value', AWS_REGION: 'eu-west-1' };
    const inputs = { ...OIDC, 'env-forward-allowlist': 'AWS_REGION AWS_SECRET_ACCESS_KEY' };
    const misspelt = { PULUMI_AGENT_POLING_INTERVAL: '1s' };
    expect(
      await mainPhase(step(inputs, { STAND_IN: 'succeed', ...environment, ...secret, ...misspelt })),
    ).toBe(0);
    const { lines, masks, annotations } = stdout.read();
    expect(lines).toEqual(expect.arrayContaining(['before', 'after']));
    expect(lines.at(-1)).toBe('✓ Deployment dep-1 succeeded in 59 s');
    expect(masks).toEqual(expect.arrayContaining(['the.id.token', 'forwarded-secret-value']));
    expect(masks).not.toContain('eu-west-1');
    expect(annotations.map(({ level, message }) => [level, message])).toEqual([
      ['warning', expect.stringContaining('did you mean PULUMI_AGENT_POLLING_INTERVAL?')],
      ['notice', expect.stringContaining('No artifact was uploaded: the runner offers no artifact service')],
    ]);
    const outputs = await files.outputs();
    expect(outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': 'dep-1', 'run-seconds': '58.8' });
    expect(await files.summary()).toContain('<h2>✅ Deployment dep-1 · 59 s</h2>');
    expect(await readdir(outputs['run-directory'] ?? '')).toEqual(
      expect.arrayContaining(['agent.log', 'events.ndjson', 'report.html', 'run.json', 'steps']),
    );
    expect(await privateFiles()).toEqual([]);

    await files.keepState();
    const before = stdout.text().length;
    await postPhase(step({}));
    expect(stdout.text().slice(before)).toBe('The run is over; removing its temporary files.\n');
    expect(await files.summary()).toBe('');
  });

  test('ends at once when the CI job is cancelled before the agent is there', async () => {
    const { environment } = await idTokenService('hang');
    const { outputs } = await cancelAt(step(OIDC, environment), 'ID token url is');
    expect(outputs).toEqual({ outcome: 'interrupted' });
    expect(await privateFiles()).toEqual([]);
  });

  test('says that the agent was killed, and what it left; post sweeps once more', async () => {
    const stdout = captureStdout();
    expect(await mainPhase(step(TOKEN, { STAND_IN: 'die' }))).toBe(1);
    const { annotations, lines, masks } = stdout.read();
    expect(lines).toContain('before');
    expect(masks).toContain(TOKEN.token);
    expect(annotations.at(-1)?.message).toMatch(
      /was killed by SIGKILL .* 10 minutes after the last heartbeat\. Removed container of-the-run\. See PRA-CONFIG-14$/,
    );
    expect(await files.outputs()).toMatchObject({ outcome: 'failed', 'deployment-id': 'dep-1' });
    expect(await privateFiles()).toEqual([]);

    await files.keepState();
    const before = stdout.text().length;
    await postPhase(step(TOKEN));
    expect(stdout.text().slice(before)).toBe(
      'The run is over; removing its temporary files.\nRemoved container of-the-run.\n',
    );
  });
});

test('a main that can’t go on leaves the living agent its token, and post publishes the run', async () => {
  const stdout = captureStdout();
  const { environment } = await idTokenService(idTokenReply('the.id.token'));
  const phase = mainPhase(step(OIDC, { STAND_IN: 'wait', ...environment }));
  await expect.poll(stdout.text, { timeout: 20_000, interval: 20 }).toContain('before\n');
  const result = join((await files.outputs())['run-directory'] ?? '', 'run.json');
  await writeFile(result, '{"schema":99}');
  expect(await phase).toBe(1);
  expect(stdout.read().annotations.at(-1)?.message).toMatch(
    /^Failed to read the result .* See PRA-RECORD-09$/,
  );
  expect(await files.outputs()).toMatchObject({ outcome: 'failed', 'deployment-id': 'dep-1' });
  expect(await privateFiles()).toContainEqual(expect.stringMatching(/private\/id-token$/));
  expect(await files.summary()).toBe('');
  await rm(result);
  await files.keepState();
  const agent = ownerOfAgent();
  expect(isAlive(agent)).toBe(true);
  signalOwner(agent, 'SIGUSR2');
  await postPhase(step(OIDC, environment));
  expect(await files.summary()).toContain('<h2>✅ Deployment dep-1 · 59 s</h2>');
  expect(await privateFiles()).toEqual([]);
});

test('plan/ says what it needs to plan, and signs in with an access token alone', async () => {
  const stdout = captureStdout();
  expect(await planPhase(step({ 'access-token': 'pul-1' }))).toBe(1);
  const [{ message = '' } = {}] = stdout.read().annotations;
  expect(message.match(/\S+ is required.*? jobs/g)).toEqual([
    'organization is required to plan jobs',
    'runner-pool-id is required to plan jobs',
  ]);
});

describe('a cancelled CI job', () => {
  test('leaves main at once; post waits for the agent and publishes the rest', async () => {
    // What is known while the run goes on is already an output.
    const nameless = { stack: '', operation: '', 'console-url': '' };
    const known = { 'deployment-id': 'dep-1', 'run-id': 'run-1', 'job-id': 'job-1', 'wait-seconds': '0' };
    const { outputs, next } = await cancelAt(step(TOKEN, { STAND_IN: 'wait' }), 'before\n', async () =>
      expect(await files.outputs()).toEqual({ ...known, ...nameless, 'run-directory': expect.any(String) }),
    );
    expect(outputs).toMatchObject({ outcome: 'interrupted', 'deployment-id': 'dep-1' });
    expect(await files.summary()).toBe('');
    const { shown, owner } = await next();
    await postPhase(step(TOKEN));
    expect(shown()).toContain('::group::Step 1: pulumi update (continued)\nafter\n::endgroup::');
    expect(shown()).not.toContain('before\n::endgroup::');
    expect(shown()).toContain('✗ Deployment dep-1 interrupted in 59 s: The CI job interrupted dep-1.\n');
    expect(await files.summary()).toContain('<h2>⏹️ Deployment dep-1 · interrupted · 59 s</h2>');
    expect(isAlive(owner)).toBe(false);
    expect(await privateFiles()).toEqual([]);
  });

  test('has the agent drop what isn’t sent when its time is up, and publishes the run', async () => {
    const { next } = await cancelAt(step(TOKEN, { STAND_IN: 'reporting' }), 'before\n');
    const { shown, owner } = await next();
    await postPhase({ ...step(TOKEN), steady: () => sharedSteady() + 250_000 });
    expect(shown()).toContain('waiting at most 0 s');
    expect(shown()).toContain('asked the agent to drop the reports that Pulumi Cloud has not accepted');
    expect(shown()).toContain('✗ Deployment dep-1 ended as unreported in 59 s: ');
    expect(shown()).not.toMatch(/::(?:warning|error)::/);
    expect(await files.summary()).toContain('<p>Dropped what was not sent.');
    expect(isAlive(owner)).toBe(false);
  });

  test.each([250_000, -250_000])('has the same time when the clock is set by %i ms meanwhile', async (ms) => {
    const { next } = await cancelAt(step(TOKEN, { STAND_IN: 'reporting' }), 'before\n');
    const { shown, owner } = await next();
    const ending = postPhase({ ...step(TOKEN), now: () => Date.now() + ms });
    await expect.poll(shown, { timeout: 20_000 }).toMatch(/waiting at most 2[1-3]\d s/);
    signalOwner(owner, 'SIGTERM');
    await ending;
  });

  test('has all its time when only the step’s own timeout ended main', async () => {
    const { next } = await cancelAt(step(TOKEN, { STAND_IN: 'reporting' }), 'before\n');
    const { shown } = await next();
    await quickPost({ ...step(TOKEN), steady: () => sharedSteady() + 600_000 }, { jobMs: 21_500 });
    expect(shown()).toMatch(/waiting at most [12] s/);
  });

  test.each([
    ['die', { outcome: 'failed', 'deployment-id': 'dep-1' }, '✗ Deployment dep-1 failed: The agent'],
    [
      'die-idle',
      { outcome: 'interrupted', 'deployment-id': '' },
      '✗ interrupted: The CI job was cancelled before',
    ],
  ])('tells how the run of a killed agent ended, in main as in post (%s)', async (mode, expected, told) => {
    const slow = { STAND_IN: mode, STAND_IN_SWEEP: 'slow' };
    const { outputs, next } = await cancelAt(step(TOKEN, slow), "::group::The end of the agent's own log");
    expect(outputs).toMatchObject(expected);
    const { shown } = await next();
    await postPhase(step(TOKEN, { STAND_IN: mode }));
    expect(shown()).toContain(told);
  });

  test('ends by force when the agent doesn’t stop: post kills it, warns of the stack and sweeps', async () => {
    const { next } = await cancelAt(step(TOKEN, { STAND_IN: 'unresponsive' }), 'before\n');
    const { shown, owner } = await next();
    expect(isAlive(owner)).toBe(true);
    await quickPost(step(TOKEN), { jobMs: 20_300 });
    expect(shown()).toMatch(
      /::warning::The agent did not stop in time and was killed\.\n[\s\S]*::notice title=A stack may be locked::pulumi update of/,
    );
    expect(shown()).toMatch(/\n✗ Deployment dep-1 failed: The agent .* Removed container of-the-run\./);
    expect(shown()).not.toContain('::error::');
    expect(isAlive(owner)).toBe(false);
    expect(await privateFiles()).toEqual([]);
  });
});

describe('a main that died alone', () => {
  /** An agent as such a main leaves it to post. */
  async function orphan(environment: Readonly<Record<string, string>>) {
    const stdout = captureStdout();
    const folder = await createRunFolder(join(directory, 'temp'));
    const { runDirectory, idTokenFile: path } = folder;
    const { engine } = readPostSettings(step(TOKEN, { STAND_IN: 'wait', ...environment }));
    const { owner } = await startEngine(engine, runDirectory);
    const tokenFile = { path, audience: 'urn:pulumi:org:acme' };
    const state = { runDirectory, owner, tokenFile, position: { events: 0 }, ended: false, died: false };
    saveRunState(state, folder.privateDirectory);
    vi.stubEnv('STATE_private-directory', folder.privateDirectory);
    const agent = ownerOfAgent();
    const shown = async (text: string) =>
      expect.poll(stdout.text, { timeout: 20_000, interval: 20 }).toContain(text);
    await expect
      .poll(() => existsSync(join(runDirectory, 'steps/01-pulumi-update.log')), { timeout: 20_000 })
      .toBe(true);
    return { agent, path, shown, text: stdout.text };
  }

  test('leaves its agent to post, which renews the ID token, waits and publishes', async () => {
    const { environment } = await idTokenService(idTokenReply('the.id.token'));
    const { agent, path, shown, text } = await orphan({});
    const phase = postPhase(step({ ...TOKEN, 'job-status': 'failure' }, environment));
    await shown('before\n');
    await expect
      .poll(() => existsSync(path) && readFileSync(path, 'utf8'), { timeout: 20_000 })
      .toBe('the.id.token');
    expect(isAlive(agent)).toBe(true);
    signalOwner(agent, 'SIGUSR2');
    await phase;
    expect(text()).toMatch(
      /continues\. Cancelling the CI job does not end this wait: .* in Pulumi Cloud\.\n/,
    );
    expect(text()).toMatch(
      /::warning::The step's process ended before it had published its run, whose outcome is succeeded\./,
    );
    expect(await files.summary()).toContain('<h2>✅ Deployment dep-1 · 59 s</h2>');
    expect(await privateFiles()).toEqual([]);
  });

  test('has its agent stopped when the CI job was cancelled all the same', async () => {
    const { agent, text } = await orphan({});
    await postPhase(step({ ...TOKEN, 'job-status': 'cancelled' }));
    expect(text()).toContain('✗ Deployment dep-1 interrupted in 59 s: The CI job interrupted dep-1.\n');
    expect(isAlive(agent)).toBe(false);
  });

  test('has its agent stopped when post has to leave before its end', async () => {
    const { agent, shown, text } = await orphan({});
    const phase = postPhase(step(TOKEN));
    await shown('before\n');
    cancel.abort(new Error('cancelled'));
    await phase;
    expect(text()).toContain('✗ Deployment dep-1 interrupted in 59 s: The CI job interrupted dep-1.\n');
    expect(isAlive(agent)).toBe(false);
  });
});

describe('a main that still runs', () => {
  /** Hands post a main that runs `source` in a process of its own. */
  async function mainOf(source: string) {
    const program = `${source}; setInterval(() => {}, 1000); console.log('up');`;
    const child = spawn(process.execPath, ['--eval', program], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    vi.stubEnv('STATE_main', JSON.stringify(ownerOf(child.pid ?? 0)));
    vi.stubEnv('STATE_private-directory', join(directory, 'temp/private'));
    return { exit: once(child, 'exit') };
  }

  test('is asked to exit, and what it did until then is not done again', async () => {
    const stdout = captureStdout();
    const left = await mainOf(`process.on('SIGINT', () => process.exit(130))`);
    const runDirectory = join(directory, 'temp/run');
    const state = { runDirectory, position: { events: 0 }, ended: true, died: false };
    saveRunState(state, join(directory, 'temp/private'));
    vi.stubEnv('STATE_published', 'true');
    await postPhase(step({}));
    expect(await left.exit).toEqual([130, null]);
    expect(stdout.text()).toMatch(/^The step itself is still running: asked it to exit\.\nThe run is over/);
  });

  test('is killed when it does not react', async () => {
    captureStdout();
    const left = await mainOf(`process.on('SIGINT', () => {})`);
    await quickPost(step({}), {});
    expect(await left.exit).toEqual([null, 'SIGKILL']);
  });
});

describe('post', () => {
  test('rewrites the summary that main wrote after its step was over, and repeats nothing else', async () => {
    const stdout = captureStdout();
    expect(await mainPhase(step(TOKEN, { STAND_IN: 'succeed' }))).toBe(0);
    await files.keepState();
    vi.stubEnv('STATE_published', '');
    const before = stdout.text().length;
    await postPhase(step({ ...TOKEN, 'upload-artifact': 'never' }));
    expect(stdout.text().slice(before)).toMatch(
      /^The run is over; removing its temporary files\.\n✓ Deployment dep-1 succeeded in 59 s\n$/,
    );
    expect(await files.summary()).toContain('<h2>✅ Deployment dep-1 · 59 s</h2>');
  });

  test('reads no state from the workspace, whose files a pull request can choose', async () => {
    const stdout = captureStdout();
    const runDirectory = join(directory, 'run');
    saveRunState(
      { runDirectory, position: { events: 0 }, ended: true, died: true },
      join(directory, 'private'),
    );
    const before = process.cwd();
    onTestFinished(() => process.chdir(before));
    process.chdir(directory);
    await postPhase(step({}));
    expect(stdout.text()).toBe('The run is over; removing its temporary files.\n');
  });

  test('removes what is private even when the rest fails, and only warns', async () => {
    const stdout = captureStdout();
    const base = join(directory, 'temp', 'private');
    await mkdir(base);
    vi.stubEnv('STATE_private-directory', base);
    const owner = { host: 'elsewhere', pid: 1, started: 'x' };
    const runDirectory = join(directory, 'temp/OUTPUT');
    await writeFile(runDirectory, '');
    saveRunState({ runDirectory, owner, position: { events: 0 }, ended: false, died: false }, base);
    await postPhase(step({}));
    expect(stdout.text()).toContain('::warning::Failed to finish the run after its step: ');
    expect(existsSync(base)).toBe(false);
  });
});
