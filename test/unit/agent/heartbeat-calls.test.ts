import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WorkerHeartbeat } from '../../../src/agent/heartbeat/thread.ts';
import { systemClock } from '../../../src/clock.ts';
import { AuthError } from '../../../src/cloud/errors.ts';
import { StaticToken, type TokenSource } from '../../../src/cloud/token.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { type Reply, type Script, ScriptedServer } from '../cloud/scripted-server.ts';

const PROGRAM = join(import.meta.dirname, '../../../src/agent/index.ts');
/** A program that is run from its sources takes seconds to start on a loaded machine. */
const PATIENCE_MS = 60_000;
vi.setConfig({ testTimeout: 2 * PATIENCE_MS });

const CLAIM = {
  jobId: 'job-1',
  jobToken: 'of-the-job',
  deploymentId: 'd-1',
  runId: 'r-1',
  oidcToken: 'eyJ.not.needed',
};

/** A thread that has begun to send heartbeats to a server that answers as it is told. */
async function beating(script: Script, tokens: TokenSource = new StaticToken('of-the-pool')) {
  const server = await ScriptedServer.start(script);
  const places = { workingDirectory: '/', homeDirectory: '/', agentDirectory: '/' };
  const { config } = await loadConfig({
    environment: {},
    ...places,
    overrides: { token: 'of-the-pool', service_url: server.url },
  });
  const seen = { accepted: 0, gone: 0, failures: [] as string[] };
  const thread = new WorkerHeartbeat({
    program: PROGRAM,
    config,
    claim: CLAIM,
    tokens,
    log: () => undefined,
    times: { intervalMs: 50, retryMs: 20, fenceMs: PATIENCE_MS },
    onAccepted: () => {
      seen.accepted += 1;
    },
    onGone: () => {
      seen.gone += 1;
    },
    onFailure: (error) => seen.failures.push(error instanceof Error ? error.message : String(error)),
  });
  onTestFinished(() => thread.stop());
  await thread.ready(AbortSignal.timeout(PATIENCE_MS));
  thread.begin(0);
  return { server, thread, seen };
}

const authorizations = ({ received }: ScriptedServer) => received.map(({ headers }) => headers.authorization);
const OK: Reply = { status: 200, json: {} };

it('carries the job’s token, as the main thread’s calls do, and tells what became of it', async () => {
  const before = Date.now();
  const begun = Math.floor(systemClock.steady());
  const { server, thread, seen } = await beating(() => OK);
  await vi.waitFor(() => expect(seen.accepted).toBeGreaterThan(2), PATIENCE_MS);
  expect(server.received[0]).toMatchObject({ method: 'POST', path: '/api/workflow/jobs/job-1/heartbeat', text: '{}' });
  expect(server.received[0]?.headers).toMatchObject({
    authorization: 'token of-the-job',
    accept: 'application/vnd.pulumi+8',
    'user-agent': expect.stringMatching(/^pulumi-runner-agent\//),
  });
  expect(thread.lastAccepted?.now).toBeGreaterThanOrEqual(before);
  // The two threads' steady times are of one clock.
  expect(thread.lastAccepted?.steady).toBeGreaterThanOrEqual(begun);
  expect(thread.lastAccepted?.steady).toBeLessThanOrEqual(systemClock.steady());
  expect(seen).toMatchObject({ gone: 0, failures: [] });
});

it('that is refused with 401 carries the pool’s, which the main thread has', async () => {
  const tokens = new StaticToken('of-the-pool');
  const get = vi.spyOn(tokens, 'get');
  let good = 'of-the-pool';
  const { server, seen } = await beating(
    ({ headers }) => (headers.authorization === `token ${good}` ? OK : { status: 401, json: {} }),
    tokens,
  );
  await vi.waitFor(() => expect(seen.accepted).toBeGreaterThan(2), PATIENCE_MS);
  expect(authorizations(server).slice(0, 4)).toEqual(['token of-the-job', ...Array(3).fill('token of-the-pool')]);
  // A renewed one is in use from the next heartbeat on.
  get.mockImplementation(() => Promise.resolve('of-the-pool-2'));
  good = 'of-the-pool-2';
  await vi.waitFor(() => expect(authorizations(server).at(-1)).toBe('token of-the-pool-2'), PATIENCE_MS);
  // One that has expired unnoticed is renewed.
  const renew = vi.spyOn(tokens, 'renew').mockImplementation(() => Promise.resolve('of-the-pool-3'));
  good = 'of-the-pool-3';
  const { accepted } = seen;
  await vi.waitFor(() => expect(seen.accepted).toBeGreaterThan(accepted + 1), PATIENCE_MS);
  expect(renew).toHaveBeenCalledWith('of-the-pool-2', expect.anything());
});

it('waits for no token that the main thread can’t get, and tries again', async () => {
  let asked = 0;
  const tokens = new StaticToken('of-the-pool');
  vi.spyOn(tokens, 'get').mockImplementation(() => {
    asked += 1;
    return asked < 3 ? Promise.reject(new AuthError('Failed to authenticate.')) : Promise.resolve('of-the-pool');
  });
  const { seen } = await beating(
    ({ headers }) => (headers.authorization === 'token of-the-pool' ? OK : { status: 401, json: {} }),
    tokens,
  );
  await vi.waitFor(() => expect(seen.accepted).toBeGreaterThan(0), PATIENCE_MS);
  expect(seen.failures).toEqual(['Failed to authenticate.', 'Failed to authenticate.']);
});

it('goes on with the token that it knows when the main thread does not say in time', async () => {
  const tokens = new StaticToken('of-the-pool');
  const get = vi.spyOn(tokens, 'get');
  const { seen } = await beating(
    ({ headers }) => (headers.authorization === 'token of-the-pool' ? OK : { status: 401, json: {} }),
    tokens,
  );
  await vi.waitFor(() => expect(seen.accepted).toBeGreaterThan(0), PATIENCE_MS);
  get.mockImplementation(() => new Promise(() => undefined));
  const asked = get.mock.calls.length;
  await vi.waitFor(() => expect(get.mock.calls.length).toBeGreaterThan(asked), PATIENCE_MS);
  const { accepted } = seen;
  await vi.waitFor(() => expect(seen.accepted).toBeGreaterThan(accepted + 1), PATIENCE_MS);
  expect(seen.failures).toEqual([]);
});

it('is told as failed, and tried again, and as gone when the job is', async () => {
  const { seen } = await beating((_, count) => (count === 1 ? 'reset' : count < 4 ? OK : { status: 410, json: {} }));
  await vi.waitFor(() => expect(seen.gone).toBeGreaterThan(0), PATIENCE_MS);
  expect(seen.accepted).toBe(2);
  expect(seen.failures[0]).toMatch(/^Failed to send a heartbeat for http:/);
  expect(seen.failures[1]).toContain('Pulumi Cloud no longer knows the job');
});

it('is cut when it is in flight at the stop', async () => {
  const { server, thread } = await beating(() => 'hang');
  await server.until(() => server.received.length === 1);
  await thread.stop();
  await server.until(() => server.abandoned === 1);
  expect(server.received).toHaveLength(1);
});
