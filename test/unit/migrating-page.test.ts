import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config/load.ts';
import { ConfigError } from '../../src/config/problem.ts';
import { isKey } from '../../src/config/schema.ts';
import { codesOf, read, tableOf } from '../support/documents/pages.ts';

const page = read('docs/migrating.md');
const PLACES = { workingDirectory: '/current', homeDirectory: '/home', agentDirectory: '/agent', environment: {} };

/** What becomes of the keys in a file of Pulumi's agent. */
function takes(keys: object): string {
  const text = JSON.stringify({ token: 'pul-1', ...keys });
  try {
    const { warnings, notices } = loadConfig({ ...PLACES, purpose: 'run', file: '/f.yaml', readFile: () => text });
    return Object.keys(keys).every((key) => [...warnings, ...notices].some((one) => one.includes(key)))
      ? 'no effect'
      : 'as it stands';
  } catch (error) {
    if (error instanceof ConfigError) return 'refused';
    throw error;
  }
}

it('docs/migrating.md says what becomes of a file of Pulumi’s agent, and names values of the chart that are there', () => {
  const said = tableOf(page, 'file').map(([, becomes = '']) => becomes);
  const become = [
    takes({ oidc_token_file: '/token', organization_name: 'acme', runner_pool_id: 'pool-1' }),
    takes({ enabled_workflow_types: ['deployment', 'insights_scan'] }),
    '`deployment` alone is served',
    takes({ deploy_target: 'ecs' }),
    takes({ ecs: { cluster: 'jobs' } }),
    takes({ working_directory: '/a', shared_volume_directory: '/b', version: 'v0.0.5' }),
  ];
  expect(said.map((text, index) => text.slice(0, become[index]?.length))).toEqual(become);

  const values: unknown = parse(read('deploy/helm/values.yaml'));
  const has = (name: string) =>
    name.startsWith('settings.')
      ? isKey(name.slice('settings.'.length))
      : name.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], values) !==
        undefined;
  const named = tableOf(page, 'chart').flatMap(([, value = '']) => codesOf(value));
  const paths = named.filter((name) => /^[a-z]\w*(\.\w+)*$/.test(name) && name !== 'token');
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((name) => !has(name))).toEqual([]);
});
