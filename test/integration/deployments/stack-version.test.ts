import { describe, expect, it } from 'vitest';
import { startDeployment } from '../../../src/cloud/deployments/start-deployment.ts';
import { failing, type Script } from '../../emulators/pulumi-cloud/faults.ts';
import { LIST, organization, POST, PROD } from '../../support/agent/organization.ts';

const STACK = { method: 'GET', path: /^\/api\/stacks\/acme\/web\/prod$/ };
const JOB = { steps: [{ name: 'Setup' }] };

/** The stack web/prod at version 2, of which `expectedVersion` was approved, if any. */
async function stackAt2(operation: string, expectedVersion?: number) {
  const { cloud, starting, log } = await organization();
  const stack = cloud.stacks.find(PROD);
  if (stack === undefined) throw new Error('Failed to find the stack.');
  const change = () => {
    const update = cloud.stacks.plan(stack, { kind: 'update', dryRun: false, message: '' });
    cloud.stacks.begin(stack, update);
    return { end: () => cloud.stacks.end(stack, update, 'succeeded') };
  };
  change().end();
  change().end();
  const enqueue = (queued: string) =>
    cloud.enqueue({ ...PROD, poolId: 'pool-1', job: JOB, operation: queued });
  const start = () => startDeployment(PROD, { ...starting, operation, expectedVersion });
  const posts = () => cloud.requests.filter(({ method }) => method === 'POST').length;
  return { cloud, change, enqueue, start, posts, log };
}

describe('a preview', () => {
  it('returns the version that its stack had before', async () => {
    const { cloud, change, start } = await stackAt2('preview');
    // An update that begins right after the look.
    cloud.script({ ...POST, when: 'before', answer: failing(503) });
    const started = start();
    await cloud.waitFor(() => cloud.requests.some(({ method }) => method === 'POST'));
    change().end();
    // The start is repeated, and so is the look.
    expect(await started).toMatchObject({ stackVersion: 3 });
  });

  it('returns none while an update runs, half of which it would show', async () => {
    const { change, start, log } = await stackAt2('preview');
    change();
    expect((await start()).stackVersion).toBeUndefined();
    expect(log.join()).toContain('The preview of acme/web/prod gets no version to approve');
  });

  it('returns none where it may be another’s, of another commit', async () => {
    const { cloud, start } = await stackAt2('preview');
    cloud.script({ ...POST, when: 'after', answer: 'reset' });
    const started = await start();
    expect(started).toMatchObject({ operation: 'preview', assumed: true });
    expect(started.stackVersion).toBeUndefined();
  });

  it('starts even where the version can’t be read, and says so', async () => {
    const { cloud, start, log } = await stackAt2('preview');
    cloud.script({ ...STACK, times: 9, answer: failing(403) });
    expect((await start()).stackVersion).toBeUndefined();
    expect(log.join()).toContain("The version of acme/web/prod can't be read");
  });
});

describe('a deployment with an expected version', () => {
  it('starts if its stack has it, even while previews wait', async () => {
    const { enqueue, start } = await stackAt2('update', 2);
    enqueue('preview');
    enqueue('detect-drift');
    expect(await start()).toMatchObject({ stack: 'acme/web/prod', operation: 'update', stackVersion: 2 });
  });

  it.each([1, 3])('does not start if that is %j, and says why', async (expected) => {
    const { start, posts } = await stackAt2('update', expected);
    await expect(start()).rejects.toMatchObject({
      outcome: 'failed',
      code: 'PRA-TRIGGER-10',
      message: `Failed to start update for acme/web/prod at version ${expected}: it has version 2. Nothing was started: preview the stack again, and approve that.`,
    });
    expect(posts()).toBe(0);
  });

  it('does not start while an update runs or waits, which would come first', async () => {
    const { change, enqueue, start, posts } = await stackAt2('update', 2);
    enqueue('refresh');
    await expect(start()).rejects.toThrow('refresh #1 of it is not-started. Nothing was started');
    const running = await stackAt2('update', 3);
    running.change();
    await expect(running.start()).rejects.toThrow('an operation (update) runs on it');
    change();
    await expect(start()).rejects.toThrow('it has version 3');
    expect([posts(), running.posts()]).toEqual([0, 0]);
  });

  it.each<[string, Partial<Script>, string, string]>([
    ['refuses the stack', { ...STACK, answer: failing(403) }, 'auth-error', 'HTTP 403'],
    ['is away', { ...STACK, times: 99, answer: failing(503) }, 'cloud-unreachable', 'HTTP 503'],
    ['names no version', { ...STACK, answer: { status: 200, body: {} } }, 'failed', 'names no version'],
    ['refuses the list', { ...LIST, answer: failing(403) }, 'auth-error', 'HTTP 403'],
  ])('does not start where Pulumi Cloud %s', async (_, fault, outcome, message) => {
    const { cloud, start, posts } = await stackAt2('update', 2);
    cloud.script(fault as Script);
    await expect(start()).rejects.toMatchObject({ outcome, message: expect.stringContaining(message) });
    expect(posts()).toBe(0);
  });

  it('is not started a second time once its own lost start waits', async () => {
    const { cloud, start } = await stackAt2('update', 2);
    cloud.script({ ...POST, when: 'after', answer: 'reset' });
    // The list lags behind once.
    cloud.script({ ...LIST, answer: { status: 200, body: { deployments: [], total: 0 } } });
    cloud.script({ ...LIST, answer: { status: 200, body: { deployments: [], total: 0 } } });
    await expect(start()).rejects.toMatchObject({
      code: 'PRA-TRIGGER-01',
      message: expect.stringMatching(/whether it was started is unknown: .*update #1 of it is not-started/),
    });
    expect(cloud.deployments).toHaveLength(1);
  });
});
