import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { callModel } from '../../emulators/pulumi-cloud/in-process.ts';
import type { StackState } from '../../emulators/pulumi-cloud/stacks.ts';
import { CLI, ModelScene } from '../../support/emulators/model-calls.ts';

const STACK = '/api/stacks/acme/network/prod';
const PROGRAM = { name: 'network', runtime: 'yaml', metadata: { message: '' } };

/** A service with one stack, and the CLI's calls. */
function started() {
  const scene = new ModelScene();
  const { cloud } = scene;
  const stack = cloud.stacks.create({ project: 'network', stack: 'prod' });
  const call = <T = unknown>(method: string, path: string, body?: unknown, headers: object = {}) =>
    scene.call<T>(method, `${STACK}${path}`, cloud.userToken, body, { ...CLI, ...headers });
  const plan = async (kind: string, dryRun = false) => {
    const { body } = await call<{ updateID: string }>('POST', `/${kind}`, {
      ...PROGRAM,
      options: { dryRun },
    });
    return `/${kind}/${body.updateID}`;
  };
  const begin = async (kind: string, dryRun = false) => {
    const path = await plan(kind, dryRun);
    const { body } = await call<{ token: string }>('POST', path, { journalVersion: 2 });
    const lease = { authorization: `update-token ${body.token}` };
    const own = (method: string, name: string, sent: object) => call(method, `${path}/${name}`, sent, lease);
    return { path, lease, own };
  };
  return { scene, cloud, stack, call, plan, begin };
}

const STATE = { version: 3, deployment: { resources: [{ urn: 'urn:pulumi:prod::network::a:b:C::first' }] } };

describe('an update of a stack', () => {
  it('holds the lock until it completes; a preview needs none', async () => {
    const { stack, call, plan, begin } = started();
    const first = await begin('update');
    const second = await plan('destroy');
    expect(await call('POST', second, {})).toMatchObject({ status: 409 });
    const preview = await begin('update', true);
    expect(await preview.own('POST', 'complete', { status: 'succeeded' })).toMatchObject({ status: 204 });
    expect(stack.active?.kind).toBe('update');
    expect(await first.own('POST', 'complete', { status: 'failed' })).toMatchObject({ status: 204 });
    expect(await call('POST', second, {})).toMatchObject({ status: 200 });
    const listed = await call<{ updates: object[] }>('GET', '/updates');
    expect(listed.body.updates).toMatchObject([{ kind: 'update', result: 'failed' }]);
  });

  it('writes checkpoints, compressed, until it is cancelled; then only 403 comes', async () => {
    const { scene, cloud, stack, call, begin } = started();
    const { path, lease, own } = await begin('update');
    const head = {
      method: 'PATCH',
      url: `${STACK}${path}/checkpoint`,
      headers: { ...CLI, ...lease, 'content-encoding': 'gzip' },
    };
    const body = gzipSync(JSON.stringify(STATE));
    expect(await callModel(cloud, head, body, AbortSignal.timeout(10_000))).toMatchObject({ status: 204 });
    expect((await call<StackState>('GET', '/export')).body).toEqual(STATE);
    expect(await call('DELETE', '')).toMatchObject({ status: 400 });
    expect(await call('POST', `${path}/cancel`)).toMatchObject({ status: 204 });
    expect(stack.active).toBeUndefined();
    for (const name of ['renew_lease', 'events/batch', 'complete'])
      expect(await own('POST', name, {})).toMatchObject({ status: 403 });
    expect(await own('PATCH', 'checkpoint', STATE)).toMatchObject({ status: 403 });
    expect(await call('POST', `${path}/cancel`)).toMatchObject({ status: 409 });
    expect(await call('DELETE', '?force=true')).toMatchObject({ status: 204 });
    expect(await call('GET', '')).toMatchObject({ status: 404 });
    expect(scene.cloud.violations).toEqual([]);
  });

  it('has a lease of 300 s, which it renews; without one its token is void and its lock stays', async () => {
    const { scene, stack, begin } = started();
    const { own } = await begin('update');
    scene.now += 299_000;
    expect(await own('POST', 'renew_lease', { duration: 300 })).toMatchObject({ status: 200 });
    scene.now += 299_000;
    expect(await own('PATCH', 'checkpoint', STATE)).toMatchObject({ status: 204 });
    scene.now += 1_000;
    expect(await own('PATCH', 'checkpoint', STATE)).toMatchObject({ status: 403 });
    expect(stack.active?.checkpoints).toBe(1);
  });

  it('is for the CLI alone, in its version of the API, with the update’s own token', async () => {
    const { scene, cloud, call, begin } = started();
    const { path, own } = await begin('update');
    await scene.violates(/only Pulumi's CLI/, () => scene.call('GET', `${STACK}/updates`, cloud.userToken));
    await scene.violates(/Accept/, () => call('GET', '', undefined, { accept: 'application/vnd.pulumi+8' }));
    await scene.violates(/update-token/, () => call('PATCH', `${path}/checkpoint`, STATE));
    await scene.violates(/duration/, () => own('POST', 'renew_lease', { duration: 301 }));
  });
});

it('a stack’s secrets come back as they were, and the ciphertexts of others don’t', async () => {
  const { call } = started();
  const plaintext = Buffer.from('hunter2').toString('base64');
  const { body } = await call<{ ciphertext: string }>('POST', '/encrypt', { plaintext });
  expect(Buffer.from(body.ciphertext, 'base64').includes('hunter2')).toBe(false);
  const ciphertexts = [body.ciphertext];
  const batch = await call<{ plaintexts: object }>('POST', '/batch-decrypt', { ciphertexts });
  expect(batch.body.plaintexts).toEqual({ [body.ciphertext]: plaintext });
  const foreign = Buffer.alloc(64).toString('base64');
  expect(await call('POST', '/decrypt', { ciphertext: foreign })).toMatchObject({ status: 400 });
});
