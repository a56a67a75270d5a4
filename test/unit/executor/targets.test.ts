import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentConfig } from '../../../src/base/config/agent-config.ts';
import { loadConfig } from '../../../src/base/config/load.ts';
import { executorAt, placeOf } from '../../../src/executor/targets.ts';
import { folder } from '../../support/agent/claimed-run.ts';

const kubeconfig = (server: string, current = 'one') =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      { name: 'one', cluster: { server } },
      { name: 'two', cluster: { server: 'https://two.example:6443/k8s' } },
    ],
    users: [{ name: 'user', user: { token: 'a-token' } }],
    contexts: [
      { name: 'one', context: { cluster: 'one', user: 'user' } },
      { name: 'two', context: { cluster: 'two', user: 'user', namespace: 'team' } },
    ],
    'current-context': current,
  });

async function configOf(settings: Readonly<Record<string, string>>): Promise<AgentConfig> {
  const directory = await folder();
  const overrides = { deploy_target: 'kubernetes', ...settings };
  return (await loadConfig({ environment: {}, workingDirectory: directory, purpose: 'offline', overrides }))
    .config;
}

/** Writes a kubeconfig; returns its path. */
async function written(text: string, ...path: string[]): Promise<string> {
  const file = join(await folder(), ...(path.length === 0 ? ['config'] : path));
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(file, text);
  return file;
}

afterEach(() => void vi.unstubAllEnvs());

describe('where jobs run', () => {
  it('is Docker, unless the configuration says otherwise', async () => {
    expect(await placeOf(await configOf({ deploy_target: 'docker' }), {})).toEqual({ target: 'docker' });
  });

  it('is the current context of the kubeconfig, or the one that is named', async () => {
    const file = await written(kubeconfig('https://user:pass@one.example:6443'));
    const found = async (more: object) => placeOf(await configOf({ kubeconfig: file, ...more }), {});
    const one = { target: 'kubernetes', kubeconfig: file, context: 'one', namespace: 'default' };
    expect(await found({})).toEqual({ ...one, server: 'https://one.example:6443/' });
    const two = { ...one, context: 'two', namespace: 'team', server: 'https://two.example:6443/k8s' };
    expect(await found({ kube_context: 'two' })).toEqual(two);
    expect(await found({ kube_context: 'two', namespace: 'jobs' })).toEqual({ ...two, namespace: 'jobs' });
  });

  it.each([
    ['KUBECONFIG', async (file: string) => ({ KUBECONFIG: relative(process.cwd(), file) }), ['config']],
    [
      'the home directory',
      async (file: string) => ({ HOME: join(file, '../..') }),
      ['home', '.kube', 'config'],
    ],
  ])('is found through %s, as an absolute path', async (_, environmentOf, path) => {
    const file = await written(kubeconfig('https://one.example'), ...path);
    expect(await placeOf(await configOf({}), await environmentOf(file))).toMatchObject({ kubeconfig: file });
  });

  it('has no path if several files define it, and is unknown if none does', async () => {
    const files = [
      await written(kubeconfig('https://one.example')),
      await written(JSON.stringify({ clusters: [] })),
    ];
    vi.stubEnv('KUBECONFIG', files.join(':'));
    const place = {
      target: 'kubernetes',
      context: 'one',
      server: 'https://one.example/',
      namespace: 'default',
    };
    expect(await placeOf(await configOf({}), { KUBECONFIG: files.join(':') })).toEqual(place);
    expect(await placeOf(await configOf({ kubeconfig: '/no/such/file' }), {})).toBeUndefined();
  });
});

describe('a later sweep', () => {
  it('uses the run’s context even if another is current, but no other cluster behind its name', async () => {
    const file = await written(kubeconfig('https://one.example'));
    const place = (await placeOf(await configOf({ kubeconfig: file }), {})) ?? expect.fail('no place');
    await writeFile(file, kubeconfig('https://one.example', 'two'));
    expect((await executorAt(place, { environment: {} })).name).toBe('kubernetes');
    await writeFile(file, kubeconfig('https://other.example'));
    await expect(executorAt(place, { environment: {} })).rejects.toThrow(
      /its context "one" now leads to https:\/\/other\.example\/, but the run's pods are at https:\/\/one\.example\//,
    );
  });

  it('uses the Docker engine if jobs ran in containers', async () => {
    expect((await executorAt({ target: 'docker' }, { environment: {} })).name).toBe('docker');
  });
});
