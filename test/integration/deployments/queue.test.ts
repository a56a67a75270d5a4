import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { heldSentence, MAX_JOBS, planSize, readQueue } from '../../../src/cloud/deployments/queue.ts';
import type { OrganizationApi } from '../../../src/cloud/organization-api.ts';
import { organization } from '../../support/agent/organization.ts';
import { never } from '../../support/cloud/cloud-http.ts';

describe('the number of planned jobs', () => {
  const some = fc.nat({ max: 600 });
  const maybe = fc.option(some, { nil: undefined });

  it('is the smallest of what waits, what is wanted, what may run and what GitHub takes', () => {
    fc.assert(
      fc.property(
        some,
        fc.integer({ min: 1, max: 600 }),
        maybe,
        maybe,
        fc.boolean(),
        (queued, max, concurrency, busy, paused) => {
          const { count, reason } = planSize({ queued, max, concurrency, busy, paused });
          const free = concurrency === undefined ? queued : Math.max(0, concurrency - (busy ?? 0));
          expect(count).toBe(paused ? 0 : Math.min(queued, max, free, MAX_JOBS));
          expect(reason === undefined).toBe(count === queued);
        },
      ),
    );
  });

  it('comes with the reason when it is limited', () => {
    expect(planSize({ queued: 3, max: 2 }).reason).toBe('no more than 2 were asked for');
    expect(planSize({ queued: 300, max: 999 }).reason).toContain('256');
    expect(planSize({ queued: 3, max: 9, concurrency: 5, busy: 4 }).reason).toContain(
      'runs 5 at a time, and 4 run',
    );
    expect(planSize({ queued: 3, max: 9, concurrency: 5, busy: 7 })).toEqual({
      count: 0,
      reason: expect.stringContaining('7 run'),
    });
    expect(planSize({ queued: 3, max: 9, concurrency: 0, busy: 0 }).count).toBe(0);
    expect(planSize({ queued: 3, max: 9, paused: true }).reason).toContain('paused');
  });
});

describe("a pool's queue", () => {
  const WEEK_MS = 7 * 24 * 3_600_000;
  const queueOf = (api: OrganizationApi, expected?: number) =>
    readQueue({ organization: 'acme', poolId: 'pool-1', expected }, api, { now: Date.now, signal: never });

  it('holds what waits for it, from all pages', async () => {
    const pools = [
      { id: 'pool-1', name: 'one' },
      { id: 'pool-2', name: 'two' },
    ];
    const { cloud, api, calls } = await organization({ pools });
    const queue = (stack: string, poolId = 'pool-1') =>
      cloud.enqueue({ project: 'web', stack, poolId, job: {} });
    const first = queue('first');
    for (let index = 0; index < 130; index += 1) queue(`other-${index}`, 'pool-2');
    queue('ended');
    const ended = cloud.deployments.at(-1);
    cloud.cancel(ended?.id ?? '');
    const last = queue('last');
    const read = await queueOf(api);
    expect(read.waiting.map(({ id }) => id)).toEqual([last.id, first.id]);
    expect({ complete: read.complete, size: read.listed.size, calls: calls('GET') }).toEqual({
      complete: true,
      size: 133,
      calls: 2,
    });
  });

  it('tells apart what a job can claim now: no paused stack, one deployment of each other stack', async () => {
    const { cloud, api } = await organization();
    const stack = (name: string, paused: boolean) =>
      cloud.defineStack({ project: 'web', stack: name, poolId: 'pool-1', job: {}, paused });
    const queue = (name: string) => cloud.enqueue({ project: 'web', stack: name, poolId: 'pool-1', job: {} });
    stack('paused', true);
    stack('busy', false);
    stack('dev', false);
    for (const name of ['paused', 'paused', 'dev', 'dev', 'dev', 'busy', 'busy']) queue(name);
    cloud.claim(cloud.deployments.find((each) => each.stack === 'dev')?.id ?? '');
    const { waiting, paused, behind } = await queueOf(api);
    const stacks = (list: readonly { stackName?: string | undefined }[]) =>
      list.map(({ stackName }) => stackName);
    expect(stacks(waiting)).toEqual(['busy']);
    expect(stacks(paused)).toEqual(['paused', 'paused']);
    expect(stacks(behind)).toEqual(['busy', 'dev', 'dev']);
    expect(heldSentence({ paused, behind })).toBe(
      'Not counted: 2 deployments of paused stacks (web/paused), and 3 deployments behind another of the same stack; a job that still waits takes the next one of its stack.',
    );
    expect(heldSentence({ paused: [], behind: [] })).toBeUndefined();
  });

  it('tells work of another kind apart, by its name, and holds no stack behind it', async () => {
    const { cloud, api } = await organization();
    const body = {
      deployments: ['delivery_job', 'delivery_job', undefined, 'deployment'].map((kind, index) => ({
        ...{ id: `d${index}`, status: 'not-started', projectName: 'web', agentPool: { id: 'pool-1' } },
        ...{ stackName: index < 2 ? 'dev' : `s${index}`, ...(kind !== undefined && { kind }) },
      })),
      total: 4,
    };
    cloud.script({ path: /deployments$/, answer: { status: 200, body } });
    const { waiting, others, ...held } = await queueOf(api);
    expect(waiting.map(({ id }) => id)).toEqual(['d2', 'd3']);
    expect(others.map(({ id, kind }) => `${id} ${kind}`)).toEqual(['d0 delivery_job', 'd1 delivery_job']);
    expect(heldSentence({ ...held, others })).toBe(
      'Not counted: 2 of another kind than deployments (delivery_job).',
    );
  });

  it('is read no further back than a deployment can wait', async () => {
    let now = Date.now() - 2 * WEEK_MS;
    const { cloud, api, calls } = await organization({ clock: () => now });
    const queue = (stack: string) => cloud.enqueue({ project: 'web', stack, poolId: 'pool-1', job: {} });
    for (let index = 0; index < 250; index += 1) queue(`old-${index}`);
    now = Date.now();
    queue('new');
    // The first page already reaches back further than any deployment can still be waiting.
    expect((await queueOf(api)).complete).toBe(true);
    expect(calls('GET')).toBe(1);
  });

  it('is read until everything that waits has been found', async () => {
    const { cloud, api, calls } = await organization();
    for (let index = 0; index < 250; index += 1)
      cloud.cancel(cloud.enqueue({ project: 'web', stack: `s${index}`, poolId: 'pool-1', job: {} }).id);
    cloud.enqueue({ project: 'web', stack: 'new', poolId: 'pool-1', job: {} });
    const load = await api.load('acme', never);
    expect(load).toEqual({ paused: false, concurrency: 150, busy: 0, queued: 1 });
    const read = await queueOf(api, load?.queued);
    expect(read).toMatchObject({ waiting: [expect.objectContaining({ stackName: 'new' })], complete: true });
    expect(calls('GET')).toBe(2);
  });

  it('of ten thousand, mostly of other pools, is read up to a limit and marked as incomplete', async () => {
    const { cloud, api, calls } = await organization();
    const created = new Date().toISOString();
    for (let page = 0; page < 100; page += 1) {
      const deployments = Array.from({ length: 100 }, (_, at) => ({
        id: `${page}-${at}`,
        status: 'not-started',
        created,
        agentPool: { id: at === 0 ? 'pool-1' : `pool-${at + 1}` },
      }));
      const answer = { status: 200, body: { deployments, itemsPerPage: 100, total: 10_000 } };
      cloud.script({ method: 'GET', path: /orgs\/acme\/deployments$/, times: 1, answer });
    }
    const read = await queueOf(api, 10_000);
    expect({
      complete: read.complete,
      waiting: read.waiting.length,
      size: read.listed.size,
      calls: calls('GET'),
    }).toEqual({ complete: false, waiting: 30, size: 3_000, calls: 30 });
  });
});
