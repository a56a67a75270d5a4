import { describe, expect, it } from 'vitest';
import {
  AuthError,
  CloudRefusedError,
  CloudUnreachableError,
  JobDefinitionError,
  JobGoneError,
} from '../../../src/cloud/errors.ts';
import { JobApi, type PoolToken } from '../../../src/cloud/jobs.ts';
import type { Claim } from '../../../src/cloud/wire.ts';
import { cloudHttp, never } from './cloud-http.ts';
import { type Received, type Reply, type Script, ScriptedServer } from './scripted-server.ts';

const CLAIM: Claim = { jobId: 'j/1', jobToken: 'pul-job', oidcToken: undefined, runId: 'r', deploymentId: 'd' };
const BATCH = { offset: 12, lines: [{ t: '2026-06-18T10:00:00.123Z', l: 'text\n' }] };
const DEFINITION = { steps: [{ name: 'Setup', run: '' }] };
const OK: Reply = { status: 200, json: {} };
const NO: Reply = { status: 401, json: { message: 'Unauthorized' } };

async function job(script: Script, poolToken: PoolToken = () => Promise.resolve('pul-pool'), clock = quick()) {
  const server = await ScriptedServer.start(script);
  const http = cloudHttp(server.url, { retryCount: 1, retryWaitMs: 1 });
  return { server, api: new JobApi(http, CLAIM, poolToken, clock) };
}

/** A clock whose sleeps take no time. */
function quick() {
  let time = Date.parse('2026-06-18T10:00:00Z');
  let ahead = 0;
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => time,
    steady: () => time - ahead,
    pass: (ms: number) => {
      time += ms;
    },
    set: (ms: number) => {
      time += ms;
      ahead += ms;
    },
    sleep: (ms: number) => {
      sleeps.push(ms);
      return Promise.resolve();
    },
  };
}

const inOrder = (...replies: readonly [Reply, ...Reply[]]): Script => {
  return (_, count) => replies[Math.min(count, replies.length) - 1]!;
};
const bearer = ({ headers }: Received) => headers.authorization?.replace('token ', '');
/** The job token is refused, the pool's is good. */
const poolOnly: Script = (request) => (bearer(request) === 'pul-pool' ? answerTo(request) : NO);
const answerTo = ({ method }: Received): Reply => (method === 'GET' ? { status: 200, json: DEFINITION } : OK);

/** Every call of a job. */
const CALLS: readonly [string, (api: JobApi) => Promise<unknown>][] = [
  ['definition', (api) => api.definition(never)],
  ['stepStatus', (api) => api.stepStatus(3, 'running', never)],
  ['logs', (api) => api.logs(3, BATCH, never)],
  ['heartbeat', (api) => api.heartbeat(never)],
];

describe('a job’s calls', () => {
  it('go where the protocol says, with the claim’s token', async () => {
    const { api, server } = await job(answerTo);
    await api.definition(never);
    await api.stepStatus(3, 'succeeded', never);
    expect(await api.logs(3, BATCH, never)).toBe('accepted');
    await api.heartbeat(never);
    expect(server.received.map(({ method, path, text }) => `${method} ${path} ${text}`)).toEqual([
      'GET /api/workflow/jobs/j%2F1 ',
      'PATCH /api/workflow/jobs/j%2F1/3/status {"status":"succeeded"}',
      'POST /api/workflow/jobs/j%2F1/3/logs {"offset":12,"lines":[{"t":"2026-06-18T10:00:00.123Z","l":"text\\n"}]}',
      'POST /api/workflow/jobs/j%2F1/heartbeat {}',
    ]);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-job', 'pul-job', 'pul-job']);
  });

  describe.each(CALLS)('%s', (name, call) => {
    it.each([404, 410])('takes %i for the job’s end', async (status) => {
      const { api } = await job(inOrder({ status, json: { message: 'no such job' } }));
      const failure = await call(api).catch((error: Error) => error);
      expect(failure).toBeInstanceOf(JobGoneError);
      expect((failure as Error).message).toMatch(
        /for job j\/1: HTTP 4\d\d no such job\. Pulumi Cloud no longer knows the job\./,
      );
    });

    it.each([
      ['right after the claim', 0, 3, [1_000, 2_000, 4_000]],
      ['half a minute later', 30_000, 1, [1_000]],
    ])('%s does not take a 404 for it that passes', async (_, age, passing, waits) => {
      for (const times of [passing, passing + 1]) {
        const clock = quick();
        const { api, server } = await job(
          (request, count) => (count <= times ? { status: 404 } : answerTo(request)),
          undefined,
          clock,
        );
        clock.pass(age);
        // However the wall clock is corrected meanwhile.
        clock.set(age === 0 ? 3_600_000 : -3_600_000);
        const ended = await call(api).catch((error: unknown) => error);
        expect(ended instanceof JobGoneError).toBe(times > passing);
        const said = server.received.map(({ method, path, text }) => `${method} ${path} ${text}`);
        expect(said).toEqual(Array(passing + 1).fill(said[0]));
        expect(clock.sleeps).toEqual(waits);
      }
    });

    it('is unreachable on a 5xx, and only the definition is asked for again', async () => {
      const { api, server } = await job(inOrder({ status: 503 }));
      await expect(call(api)).rejects.toBeInstanceOf(CloudUnreachableError);
      expect(server.received).toHaveLength(name === 'definition' ? 2 : 1);
    });

    it.each([300, 403, 409, 501])('is refused by %i', async (status) => {
      const { api } = await job(inOrder({ status, json: { message: 'not now' } }));
      const failure = await call(api).catch((error: Error) => error);
      expect(failure).toBeInstanceOf(name === 'definition' ? JobDefinitionError : CloudRefusedError);
      expect((failure as Error).message).toContain(`HTTP ${status} not now`);
    });

    it('takes any 2xx', async () => {
      const body = name === 'definition' ? { json: DEFINITION } : { text: 'accepted' };
      const { api } = await job(inOrder({ status: 202, ...body }));
      await expect(call(api)).resolves.not.toBeInstanceOf(Error);
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
  it('is the job’s for good once a call was accepted: a later 401 is final', async () => {
    const clock = quick();
    const { api, server } = await job(inOrder(OK, NO), undefined, clock);
    await api.heartbeat(never);
    clock.pass(30_000);
    await expect(api.heartbeat(never)).rejects.toBeInstanceOf(CloudRefusedError);
    await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401');
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-job', 'pul-job']);
  });

  it.each([401, 403, 404])(
    'stays the job’s when the pool’s is refused too (%i), and no other is tried',
    async (status) => {
      const clock = quick();
      const { api, server } = await job(
        (request) => (bearer(request) === 'pul-job' ? NO : { status }),
        undefined,
        clock,
      );
      clock.pass(30_000);
      await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401 Unauthorized');
      await expect(api.heartbeat(never)).rejects.toThrow('HTTP 401 Unauthorized');
      expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool', 'pul-job']);
    },
  );

  it.each(['the definition', 'the heartbeat'])(
    'changes for both first calls when that of %s is slower',
    async (slow) => {
      const late = Promise.withResolvers<Reply>();
      const { api, server } = await job((request) => {
        const first = slow === 'the definition' ? request.method === 'GET' : request.method === 'POST';
        return bearer(request) === 'pul-job' && first ? late.promise : poolOnly(request, 0);
      });
      const [definition, heartbeat] = [api.definition(never), api.heartbeat(never)];
      // The quick call has been refused, has changed to the pool's token and was accepted.
      await (slow === 'the definition' ? heartbeat : definition);
      late.resolve(NO);
      await Promise.all([definition, heartbeat]);
      expect(server.received).toHaveLength(4);
    },
  );

  it('that could not be had once is asked for again', async () => {
    let asked = 0;
    const poolToken = () => {
      asked += 1;
      return asked === 1 ? Promise.reject(new CloudUnreachableError('no network')) : Promise.resolve('pul-pool');
    };
    const { api } = await job(poolOnly, poolToken);
    await expect(api.heartbeat(never)).rejects.toBeInstanceOf(CloudUnreachableError);
    await api.heartbeat(never);
    expect(asked).toBeGreaterThanOrEqual(2);
  });

  it('is renewed where it is the pool’s and has expired unnoticed, and a refusal stays one where it can’t be', async () => {
    let [present, renewable] = ['pul-pool-1', true];
    const asked: (string | undefined)[] = [];
    const poolToken: PoolToken = (_, refused) => {
      asked.push(refused);
      if (refused === undefined) return Promise.resolve('pul-pool-1');
      return renewable ? Promise.resolve(present) : Promise.reject(new AuthError('Failed to authenticate.'));
    };
    const clock = quick();
    const { api, server } = await job((request) => (bearer(request) === present ? OK : NO), poolToken, clock);
    await api.heartbeat(never);
    clock.pass(60_000);
    present = 'pul-pool-2';
    await api.heartbeat(never);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool-1', 'pul-pool-1', 'pul-pool-2']);
    renewable = false;
    await expect(api.heartbeat(never)).rejects.toBeInstanceOf(CloudRefusedError);
    expect(asked).toEqual([undefined, undefined, 'pul-pool-1', undefined, 'pul-pool-1']);
  });

  it('is the pool’s present one, however long the job takes', async () => {
    let present = 'pul-pool-1';
    const { api, server } = await job(
      (request) => (bearer(request) === present ? OK : NO),
      () => Promise.resolve(present),
    );
    await api.heartbeat(never);
    present = 'pul-pool-2';
    await api.heartbeat(never);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool-1', 'pul-pool-2']);
  });
});

describe('a token that the server has not heard of yet', () => {
  it.each(CALLS)('is tried again for seven seconds after the claim (%s)', async (_, call) => {
    const poolNever = (request: Received, count: number) =>
      bearer(request) === 'pul-pool' || count < 5 ? NO : answerTo(request);
    const clock = quick();
    const { api, server } = await job(poolNever, undefined, clock);
    await call(api);
    expect(clock.sleeps).toEqual([1_000, 2_000, 4_000]);
    expect(server.received.map(bearer)).toEqual(['pul-job', 'pul-pool', 'pul-job', 'pul-job', 'pul-job']);
  });
});

describe('the definition', () => {
  it.each([400, 403, 409, 501])('that is refused by %i right after the claim is asked for again', async (status) => {
    const clock = quick();
    const { api, server } = await job(
      (request, count) => (count < 4 ? { status } : answerTo(request)),
      undefined,
      clock,
    );
    await api.definition(never);
    expect([server.received.length, clock.sleeps]).toEqual([4, [1_000, 2_000, 4_000]]);
  });

  it('that is refused by 410 is not: the job is gone', async () => {
    const { api, server } = await job(inOrder({ status: 410 }));
    await expect(api.definition(never)).rejects.toBeInstanceOf(JobGoneError);
    expect(server.received).toHaveLength(1);
  });
});

describe('log lines', () => {
  it.each([413, 400])('that are refused by %i are too many for one call', async (status) => {
    const { api } = await job(inOrder({ status }));
    expect(await api.logs(1, BATCH, never)).toBe('too-large');
  });

  it('are sent without a Content-Type after a 415, and stay so', async () => {
    const types: (string | undefined)[] = [];
    const { api } = await job(({ headers }) => {
      types.push(headers['content-type']);
      return headers['content-type'] === undefined ? OK : { status: 415 };
    });
    expect(await api.logs(1, BATCH, never)).toBe('accepted');
    expect(await api.logs(2, BATCH, never)).toBe('accepted');
    expect(types).toEqual(['application/json', undefined, undefined]);
  });

  it('that are refused by 415 either way are refused', async () => {
    const { api, server } = await job(inOrder({ status: 415 }));
    await expect(api.logs(1, BATCH, never)).rejects.toMatchObject({ name: 'CloudRefusedError', status: 415 });
    expect(server.received).toHaveLength(2);
  });
});

describe('a definition', () => {
  it.each(['', 'steps', '{"steps":[', 'null', '[]', '{}', '{"steps":[]}', '"steps"'])(
    'of %j cannot be run',
    async (text) => {
      const { api } = await job(inOrder({ status: 200, text }));
      const failure = await api.definition(never).catch((error) => error);
      expect(failure).toBeInstanceOf(JobDefinitionError);
      expect(failure.outcome).toBe('failed');
      expect((failure as Error).message).toMatch(
        /^Failed to read the job definition for job j\/1: .+\. Start the deployment again/,
      );
    },
  );
});
