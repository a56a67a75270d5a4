import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startAgent } from '../support/e2e/agent-process.ts';
import { FILES, NOWHERE, type Settings, writeSettings } from '../support/e2e/key-settings.ts';
import { engineScene } from '../support/engine/engine-scene.ts';
import { programs } from '../support/engine/release.ts';

/** Runs a command of the agent, configured only by a file in its home directory. */
async function command(home: string, file: Settings, ...[name = '', ...args]: string[]) {
  await writeSettings(home, file);
  const { child, ended } = startAgent({ home, command: name, arguments: args });
  onTestFinished(() => void child.kill('SIGKILL'));
  return ended;
}

it('the keys for where Pulumi’s own agent comes from take effect', async () => {
  const scene = await engineScene({ version: '2.3.1' });
  const { home, mirror } = scene;
  await writeFile(join(home, 'cosign.pub'), scene.key.publicKey);
  const install = (digest: string) =>
    command(home, FILES.engine({ ...NOWHERE, home, url: mirror.url, digest }), 'engine', 'install');
  // engine_digest
  const other = scene.digest().replace(/.{4}$/, 'beef');
  expect((await install(other)).stderr).toContain(`expected ${other.split('=')[1]}, as engine_digest says`);
  const { code, stdout, stderr } = await install(scene.digest());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  // engine_download_url, engine_version, and engine_public_key, without which the signature would be refused
  expect(stdout).toContain(`Pulumi's agent 2.3.1`);
  expect(mirror.received[0]?.path).toBe('/v2.3.1/checksums.txt');
});

it('the keys for an installed copy of Pulumi’s own agent take effect', async () => {
  const scene = await engineScene({ version: '2.3.1' });
  const { home } = scene;
  await mkdir(join(home, 'agent'));
  for (const { name, content = '' } of programs('2.3.1', scene.canary).slice(1))
    await writeFile(join(home, 'agent', name.split('/').at(-1) ?? ''), content, { mode: 0o755 });
  const settings = {
    ...FILES.installed({ ...NOWHERE, home }),
    token: 'pul-x',
    service_url: 'http://127.0.0.1:1',
    single_run: true,
  };
  const { stdout } = await command(home, settings, 'doctor', '--json');
  const { checks } = JSON.parse(stdout) as { checks: { id: string; status: string; detail: string }[] };
  // engine, engine_path
  expect(checks.filter(({ id }) => id.startsWith('pulumi-agent'))).toMatchObject([
    { detail: expect.stringContaining(`installed in ${join(home, 'agent')}, not verified`) },
    { status: 'passed', detail: 'version 2.3.1' },
  ]);
});
