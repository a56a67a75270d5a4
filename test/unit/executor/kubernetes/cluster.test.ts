import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import { refusal } from '../../../../src/executor/kubernetes/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'cluster-'));
const kubeconfig = join(folder, 'config');
afterAll(() => rmSync(folder, { recursive: true }));

/** A kubeconfig whose user has this token. */
const kubeconfigOf = (
  token: string,
  { server = 'https://api.test:6443', namespace = 'jobs', isWhole = true } = {},
) =>
  JSON.stringify({
    clusters: [{ name: 'c', cluster: { server } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u', namespace } }],
    'current-context': 'x',
    ...(isWhole && { users: [{ name: 'u', user: { token } }] }),
  });

/** The tokens that one piece of work is tried with, where only `accepted` does not get a 401. */
async function tried(cluster: Cluster, accepted: string): Promise<readonly (string | undefined)[]> {
  const tokens: (string | undefined)[] = [];
  const work = cluster.authenticated(async (config) => {
    const token = config.getCurrentUser()?.token;
    tokens.push(token);
    if (token !== accepted)
      throw refusal(401, 'Unauthorized', { verb: 'get', resource: 'pods', namespace: 'jobs' });
  });
  await work.catch((error: unknown) => expect(error).toMatchObject({ status: 401 }));
  return tokens;
}

describe('after a 401, the credentials', () => {
  it('are read anew, once', async () => {
    writeFileSync(kubeconfig, kubeconfigOf('old'));
    const cluster = new Cluster({ kubeconfig });
    expect(await tried(cluster, 'old')).toEqual(['old']);
    writeFileSync(kubeconfig, kubeconfigOf('new'));
    expect(await Promise.all([tried(cluster, 'new'), tried(cluster, 'new')])).toEqual([
      ['old', 'new'],
      ['old', 'new'],
    ]);
    expect(await tried(cluster, 'newer')).toEqual(['new', 'new']);
  });

  it.each([
    ['leads to another server', kubeconfigOf('other', { server: 'https://other.test:6443' })],
    ['leads to another namespace', kubeconfigOf('other', { namespace: 'others' })],
    ['has no users yet', kubeconfigOf('other', { isWhole: false })],
    ['can’t be read', '{'],
  ])('stay as they were while the kubeconfig %s', async (_, text) => {
    writeFileSync(kubeconfig, kubeconfigOf('old'));
    const cluster = new Cluster({ kubeconfig });
    await cluster.config();
    writeFileSync(kubeconfig, text);
    expect(await tried(cluster, 'other')).toEqual(['old']);
    writeFileSync(kubeconfig, kubeconfigOf('new'));
    expect(await tried(cluster, 'new')).toEqual(['old', 'new']);
  });

  it('go through the same proxy', async () => {
    writeFileSync(kubeconfig, kubeconfigOf('old'));
    const agent = new Agent();
    let searches = 0;
    const findProxy = async () => {
      searches += 1;
      return { address: 'http://proxy.test:3128', variable: 'HTTPS_PROXY', agent };
    };
    const cluster = new Cluster({ kubeconfig, findProxy });
    await cluster.config();
    writeFileSync(kubeconfig, kubeconfigOf('new'));
    await tried(cluster, 'new');
    const options: RequestOptions = {};
    await (await cluster.config()).applyToHTTPSOptions(options);
    expect(options).toMatchObject({ agent, headers: { Authorization: 'Bearer new' } });
    expect(searches).toBe(1);
  });
});

it('an error about a kubeconfig’s YAML names the place and quotes nothing', async () => {
  writeFileSync(
    kubeconfig,
    'users:\n  - name: u\n    user:\n      password: *ca-na-ry\n      token: ca-na-ry\n',
  );
  await expect(new Cluster({ kubeconfig }).config()).rejects.toMatchObject({
    code: 'PRA-K8S-02',
    message: expect.stringMatching(/for the cluster: its YAML is invalid at line 4, column \d+\. Check/),
  });
  await expect(new Cluster({ kubeconfig }).config()).rejects.not.toThrow(/ca-na-ry/);
});
