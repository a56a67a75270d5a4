import { describe, expect, it } from 'vitest';
import { AuthError, CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { JobApi } from '../../../src/cloud/job-api.ts';
import type { Claim } from '../../../src/cloud/job-wire.ts';
import { StaticToken, type TokenSource } from '../../../src/cloud/token.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import {
  type Received,
  type Reply,
  type Script,
  ScriptedServer,
} from '../../support/cloud/scripted-server.ts';

const CLAIM: Claim = {
  jobId: 'j/1',
  jobToken: 'pul-job',
  oidcToken: undefined,
  runId: 'r',
  deploymentId: 'd',
};
const BATCH = { offset: 12, count: 1, json: Buffer.from('{"t":"2026-06-18T10:00:00.123Z","l":"text\\n"}') };
const DEFINITION = { steps: [{ name: 'Setup', run: '' }] };
const OK: Reply = { status: 200, json: {} };
const NO: Reply = { status: 401, json: { message: 'Unauthorized' } };

const POOL_TOKEN = new StaticToken('pul-pool');
const tokensOf = (get: TokenSource['get']): TokenSource => ({ method: 'oidc', expiresAt: undefined, get });

async function job(script: Script, tokens: TokenSource = POOL_TOKEN) {
  const server = await ScriptedServer.start(script);
  return { server, api: new JobApi(cloudHttp(server.url), CLAIM, tokens) };
}

const inOrder = (...replies: readonly [Reply, ...Reply[]]): Script => {
  return (_, count) => replies[Math.min(count, replies.length) - 1]!;
};
const bearer = ({ headers }: Received) => headers.authorization?.replace('token ', '');
/** Refuses the job token and accepts the pool's. */
const poolOnly: Script = (request) => (bearer(request) === 'pul-pool' ? answerTo(request) : NO);
const answerTo = ({ method }: Received): Reply => (method === 'GET' ? { status: 200, json: DEFINITION } : OK);

/** Every call about a job. */
const CALLS: readonly [string, string, (api: JobApi) => Promise<unknown>][] = [
  ['definition', 'PRA-CLOUD-06', (api) => api.definition(never)],
  ['stepStatus', 'PRA-CLOUD-08', (api) => api.stepStatus(3, 'running', never)],
  ['logs', 'PRA-CLOUD-09', (api) => api.logs(3, BATCH, never)],
  ['heartbeat', 'PRA-CLOUD-10', (api) => api.heartbeat(never)],
];

describe('a job’s calls', () => {
  it('go where the protocol says, with the claim’s token', async () => {
    const { api, server } = await job(answerTo);
    await api.definition(never);
    await api.stepStatus(3, 'succeeded', never);
    await api.logs(3, BATCH, never);
    await api.heartbeat(never);
    expect(server.received.map(({ method, path, text }) => `${method} ${path} ${text}`)).toEqual([
      'GET /api/workflow/jobs/j%2F1 ',
      'PATCH /api/workflow/jobs/j%2F1/3/status {"status":"succeeded"}',
      'POST /api/workflow/jobs/j%2F1/3/logs {"offset":12,"lines":[{"t":"2026-06-18T10:00:00.123Z","l":"text\\n"}]}',
      'POST /api/workflow/jobs/j%2F1/heartbeat {}',
    ]);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-job', 'pul-job', 'pul-job']);
  });

  describe.each(CALLS)('%s', (_, code, call) => {
    it.each<[Reply, string]>([
      [{ status: 503 }, 'CloudUnreachableError'],
      ['reset', 'CloudUnreachableError'],
      [{ status: 200, text: '<html>Sign in' }, 'CloudUnreachableError'],
      [{ status: 404 }, 'CloudRefusedError'],
      [{ status: 501 }, 'CloudRefusedError'],
    ])('is made once: after %j, the caller decides whether to repeat it', async (reply, name) => {
      const { api, server } = await job(inOrder(reply));
      const failure = await call(api).catch((error: unknown) => error);
      const message = expect.stringMatching(/^Failed to .+ for (job j\/1|http)/);
      expect(failure).toMatchObject({ name, code, message });
      expect(server.received).toHaveLength(1);
    });

    it('tries the pool’s token after a 401 to the first call, and stays with it', async () => {
      const { api, server } = await job(poolOnly);
      await call(api);
      await call(api);
      expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool', 'pul-pool']);
    });
  });
});

describe('the token of a job’s calls', () => {
  it('survives a stray 401: once the job’s was accepted, the call is repeated with it, never with the pool’s', async () => {
    const { api, server } = await job(inOrder(OK, NO, OK));
    await api.heartbeat(never);
    await api.heartbeat(never);
    await api.heartbeat(never);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-job', 'pul-job', 'pul-job']);
  });

  it('stays the job’s however often it is refused after it was accepted', async () => {
    const { api, server } = await job(inOrder(OK, NO));
    await api.definition(never).catch(() => undefined);
    for (let call = 0; call < 3; call += 1)
      await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401 Unauthorized');
    expect(new Set(server.received.map(bearer))).toEqual(new Set(['pul-job']));
    expect(server.received).toHaveLength(7);
  });

  it('is the job’s again after a stray 401 to its first call, once the pool’s is refused', async () => {
    const { api, server } = await job(inOrder(NO, OK, OK, NO, OK));
    for (let call = 0; call < 4; call += 1) await api.heartbeat(never);
    expect(server.received.map(bearer)).toEqual([
      'pul-job',
      'pul-pool',
      'pul-pool',
      'pul-pool',
      'pul-job',
      'pul-job',
    ]);
  });

  it.each([404, 501])(
    'is not decided by a %i, which something in front of the service may answer',
    async (status) => {
      const { api, server } = await job((request, count) =>
        count === 1 ? { status } : poolOnly(request, count),
      );
      await expect(api.heartbeat(never)).rejects.toThrow(`HTTP ${status}`);
      await api.heartbeat(never);
      expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-job', 'pul-pool']);
    },
  );

  it.each([401, 403, 404, 503])('stays the job’s when the pool’s is refused too (%i)', async (status) => {
    const { api, server } = await job((request) => (bearer(request) === 'pul-job' ? NO : { status }));
    for (let call = 0; call < 2; call += 1)
      await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401 Unauthorized');
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool', 'pul-job', 'pul-pool']);
  });

  it.each(['the definition', 'the heartbeat'])(
    'changes for both first calls when %s is the slower one',
    async (slow) => {
      const late = Promise.withResolvers<Reply>();
      const { api, server } = await job((request) => {
        const first = slow === 'the definition' ? request.method === 'GET' : request.method === 'POST';
        return bearer(request) === 'pul-job' && first ? late.promise : poolOnly(request, 0);
      });
      const [definition, heartbeat] = [api.definition(never), api.heartbeat(never)];
      // Waits until the quick call was refused, then accepted with the pool's token.
      await (slow === 'the definition' ? heartbeat : definition);
      late.resolve(NO);
      await Promise.all([definition, heartbeat]);
      expect(server.received).toHaveLength(4);
    },
  );

  it('is asked for again after a failure to get it', async () => {
    let asked = 0;
    const tokens = tokensOf(() => {
      asked += 1;
      return asked === 1
        ? Promise.reject(new CloudUnreachableError('no network', { code: 'PRA-AUTH-03' }))
        : Promise.resolve('pul-pool');
    });
    const { api } = await job(poolOnly, tokens);
    await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401 Unauthorized');
    await api.heartbeat(never);
    expect(asked).toBeGreaterThanOrEqual(2);
  });

  it('is renewed when it is the pool’s and has expired, and the 401 stands when it can’t be', async () => {
    let [present, renewable] = ['pul-pool-1', true];
    const asked: (string | undefined)[] = [];
    const tokens = tokensOf((_, refused) => {
      asked.push(refused);
      if (refused === undefined) return Promise.resolve('pul-pool-1');
      return renewable
        ? Promise.resolve(present)
        : Promise.reject(new AuthError('Failed to authenticate.', { code: 'PRA-AUTH-04' }));
    });
    const { api, server } = await job((request) => (bearer(request) === present ? OK : NO), tokens);
    await api.heartbeat(never);
    present = 'pul-pool-2';
    await api.heartbeat(never);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool-1', 'pul-pool-1', 'pul-pool-2']);
    renewable = false;
    await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401 Unauthorized');
    expect(asked).toEqual([undefined, undefined, 'pul-pool-1', undefined, 'pul-pool-1']);
  });

  it('fails the call for good when two of the pool’s are refused in a row', async () => {
    const tokens = tokensOf((_, refused) =>
      Promise.resolve(refused === undefined ? 'pul-pool-1' : 'pul-pool-2'),
    );
    const { api } = await job(
      (request, count) => (bearer(request) !== 'pul-job' && count === 2 ? OK : NO),
      tokens,
    );
    await api.heartbeat(never);
    await expect(api.heartbeat(never)).rejects.toMatchObject({ name: 'CloudRefusedError', status: 401 });
  });
});

it.each(['', '{"steps":['])('a definition of %j counts as not received', async (text) => {
  const { api } = await job(inOrder({ status: 200, text }));
  await expect(api.definition(never)).rejects.toBeInstanceOf(CloudUnreachableError);
});

describe('log lines', () => {
  it('are sent without a Content-Type from the first 415 on', async () => {
    const types: (string | undefined)[] = [];
    const { api } = await job(({ headers }) => {
      types.push(headers['content-type']);
      return headers['content-type'] === undefined ? OK : { status: 415 };
    });
    await api.logs(1, BATCH, never);
    await api.logs(2, BATCH, never);
    expect(types).toEqual(['application/json', undefined, undefined]);
  });
});
