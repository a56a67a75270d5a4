import { expect, it } from 'vitest';
import { ModelScene } from '../../support/emulators/model-calls.ts';

const STACK = '/api/stacks/acme/web/dev/deployments';

function started() {
  const pools = [{ id: 'pool-1', name: 'one', description: 'The first' }];
  const scene = new ModelScene({ pools, consoleUrl: 'https://console.test', stackPageSize: 2 });
  const { cloud } = scene;
  const pool = cloud.createStaticToken('pool-1');
  const define = (project: string, stack: string) =>
    cloud.defineStack({
      project,
      stack,
      poolId: 'pool-1',
      job: (operation: string) => ({ steps: [{ name: 'Setup' }, { name: `pulumi ${operation}` }] }),
    });
  define('web', 'dev');
  const get = (path: string) => scene.call('GET', path, cloud.userToken);
  const create = (body: object = { operation: 'update' }, path = STACK) =>
    scene.call('POST', path, cloud.userToken, body);
  const poll = () => scene.call('GET', '/api/deployments/poll', pool);
  return { scene, cloud, define, get, create, poll };
}

it('lists stacks in pages, each token good for its own list', async () => {
  const { scene, cloud, define, get } = started();
  for (const stack of ['a', 'b']) define('web', stack);
  define('api', 'a');
  const names = ({ stacks }: { stacks: { projectName: string; stackName: string }[] }) =>
    stacks.map(({ projectName, stackName }) => `${projectName}/${stackName}`);
  const first = (await get('/api/user/stacks?organization=acme')).body;
  expect(names(first)).toEqual(['web/dev', 'web/a']);
  const second = (await get(`/api/user/stacks?organization=acme&continuationToken=${first.continuationToken}`)).body;
  expect([names(second), second.continuationToken]).toEqual([['web/b', 'api/a'], undefined]);
  const organization = cloud.createOrganizationToken();
  expect(names((await scene.call('GET', '/api/user/stacks?project=api', organization)).body)).toEqual(['api/a']);
  const other = `/api/user/stacks?project=web&continuationToken=${first.continuationToken}`;
  await scene.violates(/another list/, () => get(other));
  await scene.violates(/unknown page/, () => get('/api/user/stacks?page=1'));
});

it('starts a deployment as a new version, where its stack is', async () => {
  const { scene, cloud, create, poll } = started();
  const consoleUrl = 'https://console.test/acme/web/dev/deployments/1';
  expect(await create()).toEqual({ status: 202, body: { id: expect.any(String), version: 1, consoleUrl } });
  const { id, version } = (await create({ operation: 'destroy' })).body;
  expect([version, cloud.deployment(id).operation]).toEqual([2, 'destroy']);
  const { jobID, jobToken } = (await poll()).body;
  const { body } = await scene.call('GET', `/api/workflow/jobs/${jobID}`, jobToken);
  expect(body.steps[1].name).toBe('pulumi update');
  expect((await create(undefined, STACK.replace('dev', 'prod'))).status).toBe(404);
  expect((await create(undefined, STACK.replace('acme', 'other'))).status).toBe(404);
  expect((await create({ operation: 'update', inheritSettings: false })).status).toBe(400);
  await scene.violates(
    /the body is not what the protocol shows/,
    () => create({}),
    () => create({ operation: 'up' }),
    () => create({ operation: 'update', inherit: true }),
  );
});

it('lists deployments newest first, in pages of a size, and counts them by status', async () => {
  const { scene, cloud, get, poll } = started();
  const queued = Array.from({ length: 12 }, (_, index) =>
    cloud.enqueue({ project: 'web', stack: `stack-${index}`, poolId: 'pool-1', job: {} }),
  );
  const ids = ({ deployments }: { deployments: { id: string }[] }) => deployments.map(({ id }) => id);
  const { body } = await get('/api/orgs/acme/deployments');
  expect(body).toMatchObject({ itemsPerPage: 10, total: 12 });
  expect(ids(body)).toEqual(
    queued
      .toReversed()
      .slice(0, 10)
      .map(({ id }) => id),
  );
  const page = (await get('/api/orgs/acme/deployments?page=2&pageSize=5')).body;
  expect(ids(page)).toEqual(
    queued
      .toReversed()
      .slice(5, 10)
      .map(({ id }) => id),
  );
  for (const query of ['page=0', 'pageSize=101', 'size=1'])
    await scene.violates(/the query is not what the protocol shows/, () => get(`/api/orgs/acme/deployments?${query}`));
  await poll();
  cloud.cancel(queued[11]?.id ?? '');
  expect((await get('/api/orgs/acme/deployments/metadata')).body).toEqual({
    paused: false,
    concurrency: 150,
    deploymentCounts: { notStarted: 10, accepted: 1, running: 0, failed: 1, succeeded: 0, skipped: 0, total: 12 },
  });
});
