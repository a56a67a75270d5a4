import { describe, expect, it } from 'vitest';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import { running, started } from '../../support/emulators/model-calls.ts';

const T0 = '2026-06-18T10:00:00.123Z';
const line = (l: string, t = T0) => ({ t, l });

describe('every call', () => {
  it('must be a known one, with the right method, media type, client name and token', async () => {
    const { scene, pool } = started();
    const ask = (headers: object, path = 'poll', method = 'GET') =>
      scene.call(method, `/api/deployments/${path}`, pool, undefined, headers);
    await scene.violates(
      /no such call/,
      () => ask({}, 'executor'),
      () => ask({}, 'poll', 'POST'),
    );
    await scene.violates(/Accept/, () => ask({ accept: 'application/json' }));
    for (const name of ['node', 'agent/1.0', 'agent (linux; x64)'])
      await scene.violates(/User-Agent/, () => ask({ 'user-agent': name }));
    await scene.violates(
      /Authorization/,
      () => ask({ authorization: '' }),
      () => ask({ authorization: `Bearer ${pool}` }),
    );
    expect(await scene.call('GET', '/api/deployments/poll', 'pul-0')).toMatchObject({ status: 401 });
  });

  it('sends JSON, declared as such or not at all, and is not quoted if it can’t be read', async () => {
    const { scene, beat } = await running();
    expect((await beat({}, { 'content-type': 'application/json' })).status).toBe(200);
    await scene.violates(/text\/plain/, () => beat({}, { 'content-type': 'text/plain' }));
    await scene.violates(/\(8 bytes\) is not JSON$/, () => beat('{"secret'));
    await scene.violates(/body: unknown id$/, () => beat({ id: 1 }));
  });

  it('takes only its kind of token, from its own pool and job', async () => {
    const { scene, cloud, pool, deployment, claim, token, enqueue, poll, path, tell } = await running();
    const ask = (given: string, method: string, url: string) => () => scene.call(method, url, given);
    const poolCall = ['GET', '/api/deployments/poll'] as const;
    await scene.violates(/takes a pool token/, ask(token, ...poolCall), ask(cloud.userToken, ...poolCall));
    await scene.violates(/takes a job token/, ask(pool, 'GET', path), ask(cloud.userToken, 'GET', path));
    await scene.violates(/takes a user token/, ask(pool, 'GET', '/api/orgs/acme/deployments'));
    enqueue('other');
    const other = (await poll()).body;
    await scene.violates(/another job/, ask(other.jobToken, 'GET', path));
    const foreign = cloud.createStaticToken('pool-2');
    await scene.violates(
      /not of the token's pool/,
      ask(foreign, 'GET', `/api/deployments/${deployment.id}/status`),
    );
    await scene.violates(/no deployment/, ask(pool, 'GET', '/api/deployments/nothing/status'));
    await scene.violates(/no job/, ask(token, 'GET', '/api/workflow/jobs/nothing'));
    await scene.violates(/no step 2/, () => tell(2, 'running'));
    const ids = { jobID: claim.jobID, runID: 'other', typeSpecificID: deployment.id };
    const acknowledge = (body: object) => () =>
      scene.call('POST', '/api/agent-workflows/deployment', pool, body);
    await scene.violates(/not those of a claim/, acknowledge(ids));
    await scene.violates(/runID/, acknowledge({ jobID: claim.jobID }));
  });
});

describe('a fault', () => {
  it('replaces the answer to calls that are still checked', async () => {
    const { scene, cloud, path, tell, log, beat } = await running();
    const user = cloud.userToken;
    const wrong: [RegExp, () => Promise<unknown>][] = [
      [/no such call/, () => scene.call('GET', '/api/nothing', user)],
      [/Accept/, () => scene.call('GET', '/api/deployments/poll', user, undefined, { accept: '' })],
      [/takes a job token/, () => scene.call('POST', `${path}/heartbeat`, user, {})],
      [/body: unknown id/, () => beat({ id: 1 })],
      [/step 1 started while step 0 is running/, () => tell(1, 'running')],
      [/the call's offset is 1/, () => log(0, 1, line('a\n'))],
      [
        /operation/,
        () => scene.call('POST', '/api/stacks/acme/web/dev/deployments', user, { operation: 'up' }),
      ],
      [/no Authorization/, () => scene.call('POST', '/api/oauth/token', user, {})],
    ];
    cloud.script({ path: /./, times: wrong.length, answer: 'reset' });
    for (const [said, call] of wrong) await scene.violates(said, call);
    expect((await beat()).status).toBe(200);
  });
});

it('the settings of a deployment to start must be of the shape that the API shows', async () => {
  const { scene, cloud } = await running();
  cloud.defineStack({ project: 'web', stack: 'dev', poolId: 'pool-1', job: {} });
  const start = (settings: object) => () =>
    scene.call('POST', '/api/stacks/acme/web/dev/deployments', cloud.userToken, {
      ...{ operation: 'preview', inheritSettings: true },
      ...settings,
    });
  await scene.violates(/inheritSettings/, start({ inheritSettings: false }));
  await scene.violates(/body: unknown trigger_settings/, start({ trigger_settings: {} }));
  const git = (fields: object) => start({ sourceContext: { git: fields } });
  await scene.violates(/git: unknown ref/, git({ ref: 'main' }));
  await scene.violates(/exclude each other/, git({ branch: 'main', commit: '0123456' }));
  await scene.violates(/commit/, git({ commit: 'main' }));
  const operation = (fields: object) => start({ operationContext: fields });
  await scene.violates(
    /operationContext/,
    operation({ operation: 'destroy' }),
    operation({ environmentVariables: { PORT: 8080 } }),
    operation({ environmentVariables: { TOKEN: { value: 'x' } } }),
    operation({ preRunCommands: 'make' }),
    operation({ options: { shell: true } }),
  );
  await scene.violates(/executorImage/, start({ executorContext: { executorImage: {} } }));
  expect(await start({ agentPoolID: 'pool-9' })()).toMatchObject({ status: 400 });
  expect(cloud.deployments).toHaveLength(1);
});

it('a change of a stack’s settings is merged into them, and must be of the shape that the API shows', async () => {
  const { scene, cloud } = started();
  const settings = { operationContext: { preRunCommands: ['make'], options: { shell: 'bash' } } };
  cloud.defineStack({ project: 'web', stack: 'dev', poolId: 'pool-1', job: {}, settings });
  const path = '/api/stacks/acme/web/dev/deployments/settings';
  const change = (patch: object) => () => scene.call('POST', path, cloud.userToken, patch);
  await scene.violates(/unknown agentPoolId/, change({ agentPoolId: 'pool-2' }));
  await scene.violates(/changes nothing/, change({}));
  expect(await change({ agentPoolID: 'pool-9' })()).toMatchObject({ status: 400 });
  expect(await change({ agentPoolID: 'pool-2' })()).toMatchObject({ status: 200 });
  const options = { skipInstallDependencies: true };
  expect((await change({ operationContext: { options } })()).body).toEqual({
    agentPoolID: 'pool-2',
    operationContext: { preRunCommands: ['make'], options: { shell: 'bash', ...options } },
  });
  await scene.violates(/takes a user token/, () =>
    scene.call('POST', path, cloud.createStaticToken('pool-1'), { agentPoolID: 'pool-1' }),
  );
});

it.each([
  ['the default pool', 'pool-2', 'pool-2'],
  ['Pulumi’s own runners, where the organization has no default', undefined, 'shared'],
])('a stack that names no pool has its deployments go to %s', async (_, defaultPoolId, gets) => {
  const { scene, cloud } = started({ defaultPoolId });
  cloud.defineStack({ project: 'web', stack: 'dev', job: {} });
  const path = '/api/stacks/acme/web/dev/deployments';
  const { body } = await scene.call<{ id: string }>('POST', path, cloud.userToken, {
    operation: 'preview',
    inheritSettings: true,
  });
  expect(cloud.deployment(body.id).pool.id).toBe(gets);
  expect((await scene.call('GET', `${path}/settings`, cloud.userToken)).body).toEqual({});
});

it('a stack says whether it is paused, or its organization is, before it has a deployment', async () => {
  const paused = async (stack: object, options = {}) => {
    const { scene, cloud } = started(options);
    cloud.defineStack({ project: 'web', stack: 'dev', job: {}, ...stack });
    return (await scene.call('GET', '/api/stacks/acme/web/dev/deployments/metadata', cloud.userToken)).body;
  };
  const none = { paused: false, stackPaused: false, organizationPaused: false };
  expect(await paused({})).toMatchObject(none);
  expect(await paused({ paused: true })).toMatchObject({ ...none, paused: true, stackPaused: true });
  expect(await paused({}, { paused: true })).toMatchObject({
    ...none,
    paused: true,
    organizationPaused: true,
  });
});

describe('the queue', () => {
  it('gives out each deployment of the pool once, in order, and one of a stack at a time', async () => {
    const { enqueue, poll, scene } = started();
    const [first, second, other] = [enqueue('a'), enqueue('a'), enqueue('b')];
    enqueue('c', 'pool-2');
    const answers = await Promise.all(Array.from({ length: 5 }, poll));
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(3);
    const claimed = answers.filter(({ status }) => status === 200).map(({ body }) => body);
    expect(claimed.map(({ typeSpecificID }) => typeSpecificID)).toEqual([first.id, other.id]);
    const path = `/api/workflow/jobs/${first.jobId}/0/status`;
    for (const status of ['running', 'failed'])
      await scene.call('PATCH', path, claimed[0]?.jobToken ?? '', { status });
    expect((await poll()).body.typeSpecificID).toBe(second.id);
    expect(second.version).toBe(2);
  });
});

describe('heartbeats', () => {
  it('keep a deployment alive, and it fails without them', async () => {
    const { scene, cloud, deployment, beat, tell } = await running();
    scene.now += 600_000;
    await beat();
    scene.now += 600_000;
    expect(cloud.deployment(deployment.id).status).toBe('running');
    scene.now += 1;
    expect(cloud.deployment(deployment.id).endReason).toBe('heartbeat-timeout');
    expect((await beat()).status).toBe(410);
    expect((await tell(0, 'succeeded')).status).toBe(200);
    await scene.violates(/after the deployment was failed/, () => tell(1, 'running'));
  });
});

describe('a step', () => {
  it('goes only from not-started to running to its end, after the previous step, and repeats are counted', async () => {
    const { scene, deployment, tell } = await running();
    await scene.violates(/step 1 started while step 0 is running/, () => tell(1, 'running'));
    await scene.violates(/from not-started to succeeded/, () => tell(1, 'succeeded'));
    await scene.violates(/status/, () => tell(0, 'not-started'));
    await tell(0, 'running');
    await tell(0, 'succeeded');
    await scene.violates(/from succeeded to running/, () => tell(0, 'running'));
    await scene.violates(/from succeeded to failed/, () => tell(0, 'failed'));
    expect(deployment.steps[0]).toMatchObject({ status: 'succeeded', statusDuplicates: 1 });
  });
});

describe('a log call', () => {
  it('continues where the step’s log ends, or repeats what was sent', async () => {
    const { scene, deployment, log } = await running();
    await log(0, 0, line('a\n'), line('b\n'));
    await log(0, 0, line('a\n'), line('b\n'));
    // A retry of only the second half.
    await log(0, 1, line('b\n'));
    expect(deployment.steps[0]).toMatchObject({ duplicates: 2, lines: [line('a\n'), line('b\n')] });
    await scene.violates(/has 2 lines, the call's offset is 3/, () => log(0, 3, line('c\n')));
  });

  it('has at most 1,000 lines and a limited size', async () => {
    const { scene, log } = await running();
    const lines = Array.from({ length: 1001 }, () => line('x\n'));
    await scene.violates(/1001 lines/, () => log(0, 0, ...lines));
    await scene.violates(/bytes/, () => log(0, 0, line(`${'x'.repeat(320 * 1024)}\n`)));
    expect((await log(0, 0, line(`${'x'.repeat(256 * 1024)}\n`))).status).toBe(200);
    expect((await log(0, 1, ...lines.slice(1))).status).toBe(200);
  });

  it('has the protocol’s shape: one line per entry, line feeds except at the end, and times that never go back', async () => {
    const { scene, log } = await running();
    for (const t of [
      '2026-06-18T10:00:00Z',
      '2026-06-18T10:00:00.123456Z',
      '2026-06-18 10:00:00.123Z',
      'now',
    ])
      await scene.violates(/lines\.0\.t/, () => log(0, 0, line('a\n', t)));
    await scene.violates(
      /not what the protocol shows/,
      () => log(0, -1, line('a\n')),
      () => log(0, 0),
      () => log(0, 0, { ...line('a\n'), level: 1 }),
    );
    await scene.violates(/line 0 .* more than one line/, () => log(0, 0, line('a\nb\n')));
    await scene.violates(/line 0 .* does not end in a line feed/, () => log(0, 0, line('a'), line('b\n')));
    await log(0, 0, line('a\n', '2026-06-18T10:00:01.000Z'));
    await scene.violates(/older/, () => log(0, 1, line('b\n', '2026-06-18T10:00:00.999Z')));
    expect((await log(0, 1, line('b', '2026-06-18T12:00:01.000+02:00'))).status).toBe(200);
    await scene.violates(/line 1 .* does not end in a line feed/, () => log(0, 2, line('c\n')));
  });

  it('must be for a running step', async () => {
    const { scene, log, tell } = await running();
    await scene.violates(/while not-started/, () => log(1, 0, line('a\n')));
    await tell(0, 'succeeded');
    await scene.violates(/while succeeded/, () => log(0, 0, line('a\n')));
  });
});

describe('a queued deployment', () => {
  const queued = (skips: { stack?: boolean; own?: boolean }) => {
    let now = Date.parse(T0);
    const cloud = new CloudModel({ clock: () => now });
    const name = { project: 'web', stack: 'dev', poolId: 'pool-1', job: { steps: [{ name: 'Setup' }] } };
    cloud.defineStack({ ...name, skipsIntermediate: skips.stack === true });
    const options = { skipIntermediateDeployments: skips.own === true };
    const settings = skips.own === undefined ? {} : { operationContext: { options } };
    const enqueue = (operation: string) => cloud.enqueue({ ...name, operation, settings });
    return { cloud, enqueue, pass: (ms: number) => (now += ms) };
  };

  it.each([
    [{}, 'update', 'not-started'],
    [{ stack: true }, 'update', 'skipped'],
    [{ stack: true, own: false }, 'update', 'not-started'],
    [{ own: true }, 'update', 'skipped'],
    [{ own: true }, 'preview', 'not-started'],
  ] as const)(
    'with skipIntermediateDeployments %j and a newer %s behind it is %s',
    (skips, newer, status) => {
      const { enqueue } = queued(skips);
      const first = enqueue('update');
      enqueue(newer);
      expect(first.status).toBe(status);
    },
  );

  it('is not skipped once it is claimed, nor for one that isn’t right behind it', () => {
    const { cloud, enqueue } = queued({ stack: true });
    const [first, second] = [enqueue('update'), enqueue('preview')];
    enqueue('update');
    expect([first, second].map(({ status }) => status)).toEqual(['not-started', 'not-started']);
    cloud.claim(first.id);
    expect(first.status).toBe('accepted');
  });

  it('is skipped after seven days', () => {
    const { cloud, enqueue, pass } = queued({});
    const first = enqueue('update');
    pass(7 * 86_400_000 + 1);
    expect(cloud.deployment(first.id).status).toBe('skipped');
  });
});
