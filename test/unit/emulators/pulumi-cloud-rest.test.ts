import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';

const STACK = '/api/stacks/acme/web/dev/deployments';
const START = '2026-06-18T10:00:00.000Z';

describe('the calls of users and organizations', () => {
  let now: number;
  let cloud: PulumiCloud;
  let pool: string;

  beforeEach(async () => {
    now = Date.parse(START);
    cloud = await PulumiCloud.start({
      clock: () => now,
      pools: [{ id: 'pool-1', name: 'one', description: 'The first' }],
      consoleUrl: 'https://console.test',
      logPageSize: 3,
    });
    pool = cloud.createStaticToken('pool-1');
    cloud.defineStack({
      project: 'web',
      stack: 'dev',
      poolId: 'pool-1',
      job: (operation: string) => ({ steps: [{ name: 'Setup' }, { name: `pulumi ${operation}` }, { name: 'Last' }] }),
    });
  });

  afterEach(() => cloud.stop());

  async function call(method: string, path: string, token = cloud.userToken, body?: unknown) {
    const response = await fetch(`${cloud.url}${path}`, {
      method,
      headers: {
        accept: 'application/vnd.pulumi+8',
        'user-agent': 'cli/1.2.3 (linux; x64)',
        authorization: `token ${token}`,
        'content-type': 'application/json',
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }

  const create = (operation = 'update') => call('POST', STACK, cloud.userToken, { operation, inheritSettings: true });

  /** Claims the next deployment; returns what reports on its steps. */
  async function claim() {
    const { body } = await call('GET', '/api/deployments/poll', pool);
    const path = `/api/workflow/jobs/${body.jobID}`;
    return {
      id: body.typeSpecificID as string,
      status: (step: number, status: string) => call('PATCH', `${path}/${step}/status`, body.jobToken, { status }),
      logs: (step: number, offset: number, ...lines: string[]) =>
        call('POST', `${path}/${step}/logs`, body.jobToken, { offset, lines: lines.map((l) => ({ t: START, l })) }),
      job: () => call('GET', path, body.jobToken),
    };
  }

  describe('listing stacks', () => {
    it('pages through those of an organization or project, for a user or an organization', async () => {
      await using paged = await PulumiCloud.start({ pools: [{ id: 'pool-1', name: 'one' }], stackPageSize: 2 });
      paged.allow(/another list/, /unknown page/, /takes a user token/);
      for (const stack of ['a', 'b', 'c']) paged.defineStack({ project: 'web', stack, poolId: 'pool-1', job: {} });
      paged.defineStack({ project: 'api', stack: 'a', poolId: 'pool-1', job: {} });
      const list = async (query: string, token = paged.createOrganizationToken()) => {
        const headers = { accept: 'application/vnd.pulumi+8', 'user-agent': 'cli/1.2.3 (linux; x64)' };
        const response = await fetch(`${paged.url}/api/user/stacks?${query}`, {
          headers: { ...headers, authorization: `token ${token}` },
        });
        const body = (await response.json()) as {
          stacks?: { projectName: string; stackName: string }[];
          continuationToken?: string;
        };
        const names = body.stacks?.map((each) => [each.projectName, each.stackName].join('/'));
        return { status: response.status, names, next: body.continuationToken };
      };
      const first = await list('organization=acme');
      expect(first).toMatchObject({ status: 200, names: ['web/a', 'web/b'], next: expect.any(String) });
      const second = await list(`organization=acme&continuationToken=${first.next}`, paged.userToken);
      expect(second).toMatchObject({ names: ['web/c', 'api/a'], next: undefined });
      expect(await list('organization=acme&project=api')).toMatchObject({ names: ['api/a'] });
      expect((await list(`project=web&continuationToken=${first.next}`)).status).toBe(400);
      expect((await list('page=1')).status).toBe(400);
      expect((await list('organization=acme', paged.createStaticToken('pool-1'))).status).toBe(403);
      expect(paged.violations).toHaveLength(3);
    });
  });

  describe('starting a deployment', () => {
    it('queues the stack’s job for the operation, as a new version', async () => {
      expect(await create()).toEqual({
        status: 202,
        body: { id: expect.any(String), version: 1, consoleUrl: 'https://console.test/acme/web/dev/deployments/1' },
      });
      const second = await create('destroy');
      expect(second.body.version).toBe(2);
      expect(cloud.deployment(second.body.id)).toMatchObject({
        operation: 'destroy',
        status: 'not-started',
        stack: 'dev',
      });
      const claimed = await claim();
      expect((await claimed.job()).body.steps[1].name).toBe('pulumi update');
    });

    it('refuses what is not there without a violation', async () => {
      const body = { operation: 'update' };
      expect((await call('POST', STACK.replace('dev', 'prod'), cloud.userToken, body)).status).toBe(404);
      expect((await call('POST', STACK.replace('acme', 'other'), cloud.userToken, body)).status).toBe(404);
      expect((await call('POST', STACK, cloud.userToken, { ...body, inheritSettings: false })).status).toBe(400);
    });

    it.each([{}, { operation: 'up' }, { operation: 'update', inherit: true }])(
      'is a violation with %j',
      async (body) => {
        cloud.allow(/the body is not what the protocol shows/);
        expect((await call('POST', STACK, cloud.userToken, body)).status).toBe(400);
        expect(cloud.violations).toHaveLength(1);
      },
    );
  });

  it('shows a deployment with its jobs once it has started', async () => {
    const { id } = (await create()).body;
    await create();
    expect((await call('GET', `${STACK}/${id}`)).body).toEqual({
      id,
      status: 'not-started',
      version: 1,
      latestVersion: 2,
      created: START,
      modified: START,
      pulumiOperation: 'update',
      requestedBy: { name: expect.any(String), githubLogin: expect.any(String), avatarUrl: expect.any(String) },
    });
    const claimed = await claim();
    now += 1000;
    await claimed.status(0, 'running');
    const { body } = await call('GET', `${STACK}/${id}`);
    expect(body).toMatchObject({ status: 'running', modified: '2026-06-18T10:00:01.000Z' });
    expect(body.jobs).toEqual([
      {
        status: 'running',
        started: START,
        lastUpdated: '2026-06-18T10:00:01.000Z',
        steps: [
          {
            name: 'Setup',
            status: 'running',
            started: '2026-06-18T10:00:01.000Z',
            lastUpdated: '2026-06-18T10:00:01.000Z',
          },
          { name: 'pulumi update', status: 'not-started' },
          { name: 'Last', status: 'not-started' },
        ],
      },
    ]);
    expect((await call('GET', `${STACK}/nothing`)).status).toBe(404);
    expect((await call('GET', `${STACK.replace('dev', 'prod')}/${id}`)).status).toBe(404);
  });

  it('cancels a deployment once', async () => {
    const { id } = (await create()).body;
    expect((await call('POST', `${STACK}/${id}/cancel`)).status).toBe(200);
    expect(cloud.deployment(id)).toMatchObject({ status: 'failed', endReason: 'cancelled' });
    expect((await call('POST', `${STACK}/${id}/cancel`)).status).toBe(404);
  });

  it('reads the log while it grows, page by page, to its end', async () => {
    const { id } = (await create()).body;
    const read = async (token?: string) =>
      (await call('GET', `${STACK}/${id}/logs${token === undefined ? '' : `?continuationToken=${token}`}`)).body;
    const line = (text: string) => ({ timestamp: START, line: text });

    const queued = await read();
    expect(queued).toEqual({ lines: [], nextToken: expect.any(String) });
    const claimed = await claim();
    await claimed.status(0, 'running');
    const opened = await read(queued.nextToken);
    expect(opened.lines).toEqual([{ header: 'Setup' }]);
    expect((await read(opened.nextToken)).lines).toEqual([]);

    await claimed.logs(0, 0, 'a\n', 'b\n', 'c\n', 'd\n');
    await claimed.status(0, 'succeeded');
    await claimed.status(1, 'running');
    await claimed.logs(1, 0, 'e\n');
    const first = await read(opened.nextToken);
    expect(first.lines).toEqual([line('a\n'), line('b\n'), line('c\n')]);
    const second = await read(first.nextToken);
    expect(second.lines).toEqual([line('d\n'), { header: 'pulumi update' }, line('e\n')]);
    await claimed.logs(1, 1, 'f\n');
    await claimed.status(1, 'failed');
    expect(await read(second.nextToken)).toEqual({ lines: [line('f\n')] });

    expect((await call('GET', `${STACK}/${id}/logs?job=0&step=0&offset=1&count=2`)).body).toEqual({
      lines: [line('b\n'), line('c\n')],
      nextOffset: 3,
    });
    expect((await call('GET', `${STACK}/${id}/logs?job=0&step=0&offset=3`)).body).toEqual({ lines: [line('d\n')] });
    expect((await call('GET', `${STACK}/${id}/logs?continuationToken=x`)).status).toBe(400);
    cloud.allow(/the query is not what the protocol shows/);
    expect((await call('GET', `${STACK}/${id}/logs?job=0&step=0&count=500`)).status).toBe(400);
    expect(cloud.violations).toHaveLength(1);
  });

  it('ends a full page at the end of the log with no further token', async () => {
    const { id } = (await create()).body;
    const claimed = await claim();
    await claimed.status(0, 'running');
    await claimed.logs(0, 0, 'a\n', 'b\n');
    await claimed.status(0, 'failed');
    const { body } = await call('GET', `${STACK}/${id}/logs`);
    expect(body.lines).toHaveLength(3);
    expect(body).not.toHaveProperty('nextToken');
  });

  describe('the organization’s deployments', () => {
    let queued: Deployment[];

    beforeEach(() => {
      queued = Array.from({ length: 12 }, (_, index) =>
        cloud.enqueue({
          project: 'web',
          stack: `stack-${index}`,
          poolId: 'pool-1',
          job: { steps: [{ name: 'Setup' }] },
        }),
      );
    });

    it('are listed newest first in pages of ten', async () => {
      const { body } = await call('GET', '/api/orgs/acme/deployments');
      expect(body).toMatchObject({ itemsPerPage: 10, total: 12 });
      expect(body.deployments.map((each: Deployment) => each.id)).toEqual(
        queued
          .toReversed()
          .slice(0, 10)
          .map(({ id }) => id),
      );
      expect(body.deployments[0]).toEqual({
        id: queued[11]?.id,
        status: 'not-started',
        version: 1,
        created: START,
        modified: START,
        requestedBy: expect.any(Object),
        agentPool: { id: 'pool-1', name: 'one' },
        projectName: 'web',
        stackName: 'stack-11',
        pulumiOperation: 'update',
        paused: false,
        jobs: [],
        updates: [],
      });
    });

    it('are listed in pages of a size and an order', async () => {
      const { body } = await call('GET', '/api/orgs/acme/deployments?page=2&pageSize=5&asc=true');
      expect(body.itemsPerPage).toBe(5);
      expect(body.deployments.map((each: Deployment) => each.id)).toEqual(queued.slice(5, 10).map(({ id }) => id));
      const stack = await call('GET', '/api/stacks/acme/web/stack-3/deployments');
      expect(stack.body).toMatchObject({ total: 1, deployments: [{ id: queued[3]?.id }] });
    });

    it.each(['page=0', 'pageSize=101', 'size=1'])('are not listed by %s', async (parameter) => {
      cloud.allow(/the query is not what the protocol shows/);
      expect((await call('GET', `/api/orgs/acme/deployments?${parameter}`)).status).toBe(400);
      expect(cloud.violations).toEqual([expect.stringMatching(/the query is not what the protocol shows/)]);
    });

    it('are counted by status, beside the limit', async () => {
      const first = await claim();
      await claim();
      await first.status(0, 'running');
      cloud.cancel(queued[11]?.id ?? '');
      expect((await call('GET', '/api/orgs/acme/deployments/metadata')).body).toEqual({
        paused: false,
        concurrency: 150,
        deploymentCounts: { notStarted: 9, accepted: 1, running: 1, failed: 1, succeeded: 0, skipped: 0, total: 12 },
      });
    });
  });

  it('shows the pools, online while an agent polls', async () => {
    const pools = async () => (await call('GET', '/api/orgs/acme/agent-pools')).body;
    const seconds = Date.parse(START) / 1000;
    const described = { id: 'pool-1', name: 'one', description: 'The first', created: seconds, isDefault: false };
    expect(await pools()).toEqual({ agentPools: [{ ...described, lastSeen: 0, status: 'offline' }] });
    now += 60_000;
    await create();
    await claim();
    now += 120_000;
    const seen = { ...described, lastSeen: seconds + 60, lastDeployment: seconds + 60 };
    expect(await pools()).toEqual({ agentPools: [{ ...seen, status: 'online' }] });
    now += 1;
    expect(await pools()).toEqual({ agentPools: [{ ...seen, status: 'offline' }] });
  });

  it('keeps to the limit of running deployments', async () => {
    const small = await PulumiCloud.start({ concurrency: 1 });
    try {
      const token = small.createStaticToken('pool-1');
      const headers = {
        accept: 'application/vnd.pulumi+8',
        'user-agent': 'agent/1 (linux; x64)',
        authorization: `token ${token}`,
      };
      for (const stack of ['a', 'b']) small.enqueue({ project: 'web', stack, poolId: 'pool-1', job: {} });
      expect((await fetch(`${small.url}/api/deployments/poll`, { headers })).status).toBe(200);
      expect((await fetch(`${small.url}/api/deployments/poll`, { headers })).status).toBe(204);
    } finally {
      await small.stop();
    }
  });
});
