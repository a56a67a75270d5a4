import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { runAgent } from './agent.ts';

const RECORDER = new URL('./loaded-modules.mjs', import.meta.url).href;

/** The files of src/network that an agent loads until its first poll has been answered. */
async function loaded(environment: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'loaded-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await using cloud = await PulumiCloud.start();
  const file = join(folder, 'modules');
  const run = await runAgent({
    PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    NODE_OPTIONS: `--import=${RECORDER}`,
    LOADED_MODULES: file,
    ...environment,
  });
  expect(run.result.outcome).toBe('no-work');
  const paths = (await readFile(file, 'utf8')).matchAll(/\/src\/network\/(\S+)/g);
  return Array.from(paths, ([, name = '']) => name).sort();
}

it('a start without proxy and TLS loads nothing of either', async () => {
  expect(await loaded({})).toEqual(['proxy-variable.ts']);
});

it('a start with one of them loads what that needs', async () => {
  expect(await loaded({ HTTP_PROXY: 'http://127.0.0.1:9' })).not.toContain('trust.ts');
  expect(await loaded({ PULUMI_AGENT_CA_CERTIFICATE_IN_JOBS: 'true' })).toContain('trust.ts');
});
