import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { main } from '../../../src/cli/main.ts';
import { type EngineScene, engineScene } from '../../support/engine/engine-scene.ts';
import { archiveName, archiveOf, flipped, programs, signedRelease } from '../../support/engine/release.ts';
import { scriptOutput } from '../../support/script.ts';
import { start } from '../doctor/command.ts';
import { Authority } from '../network/authority.ts';
import { openPrivateNetwork, type PrivateNetwork } from '../network/namespace.ts';
import { tlsFront } from '../network/servers.ts';
import { startTinyproxy } from '../network/tinyproxy.ts';

/** The settings that lead to a scene's release. */
function settings(scene: EngineScene, url: string): Record<string, string> {
  writeFileSync(join(scene.home, 'cosign.pub'), scene.key.publicKey);
  return {
    PULUMI_AGENT_ENGINE: 'pulumi',
    PULUMI_AGENT_SINGLE_RUN: 'true',
    PULUMI_AGENT_ENGINE_VERSION: scene.version,
    PULUMI_AGENT_ENGINE_DOWNLOAD_URL: url,
    PULUMI_AGENT_ENGINE_PUBLIC_KEY: join(scene.home, 'cosign.pub'),
  };
}

describe('engine install', () => {
  it('keeps the release for later runs, and runs nothing of it', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const environment = settings(scene, mirror.url);
    const { ended } = await start(['engine', 'install'], { home: scene.home, environment });
    const { code, stdout, stderr } = await ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Pulumi's agent 2\.2\.0 for \S+ is in \/.*: [\d.]+ \w+ from http:.*, verified\.\n$/);
    expect(readdirSync(scene.kept).sort()).toEqual([...scene.files.keys()].sort());
    expect(scene.hasRun()).toBe(false);
    await using program = await scene.get('http://127.0.0.1:1');
    expect(program.version).toBe('2.2.0');
  });

  it('says why it refuses a release, by the exit code too', async () => {
    const scene = await engineScene();
    scene.files.set('checksums.txt', flipped(scene.files.get('checksums.txt')!));
    const mirror = await scene.mirror();
    const environment = settings(scene, mirror.url);
    const { ended } = await start(['engine', 'install'], { home: scene.home, environment });
    const { code, stdout, stderr } = await ended;
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr).toMatch(
      /^Failed to verify Pulumi's agent 2\.2\.0 .* is not signed by the key of .* See PRA-ENGINE-03$/m,
    );
    expect(scene.hasRun()).toBe(false);
  });

  it.each([['engine'], ['engine', 'remove']])('is all that the command does: %s %s', async (...argv) => {
    const said: string[] = [];
    const process = { stderr: { write: (text: string) => said.push(text) } } as unknown as NodeJS.Process;
    const places = { environment: {}, workingDirectory: '/', agentDirectory: '/', exit: () => undefined };
    expect(await main({ argv: argv.filter((word) => word !== undefined), process, ...places })).toBe(2);
    expect(said.join('')).toContain('engine needs install');
  });
});

describe('the doctor', () => {
  /** The two checks of Pulumi's agent, by their IDs. */
  async function checks(scene: EngineScene, environment: Record<string, string>) {
    const token = { PULUMI_AGENT_TOKEN: 'pul-x', PULUMI_AGENT_SERVICE_URL: 'http://127.0.0.1:1' };
    const { ended } = await start(['doctor', '--json'], {
      home: scene.home,
      environment: { ...token, ...environment },
    });
    const report = JSON.parse((await ended).stdout) as { checks: { id: string }[] };
    return report.checks.filter(({ id }) => id.startsWith('pulumi-agent'));
  }

  it("says that Pulumi's agent is there, verified, and starts", async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    expect(await checks(scene, settings(scene, mirror.url))).toMatchObject([
      { id: 'pulumi-agent', detail: expect.stringMatching(/^Pulumi's agent 2\.2\.0 for .*, verified\./) },
      { id: 'pulumi-agent-start', status: 'passed', detail: 'version 2.2.0' },
    ]);
    expect(scene.hasRun()).toBe(true);
    expect(readdirSync(join(scene.kept, '../../runs'))).toEqual([]);
    const own = { ...settings(scene, mirror.url), PULUMI_AGENT_ENGINE: 'own' };
    expect(await checks(scene, own)).toEqual([]);
  });

  it('starts nothing that was tampered with', async () => {
    const scene = await engineScene();
    const archive = archiveName('2.2.0');
    // Programs that would run, of another archive than the signed one.
    scene.files.set(archive, await archiveOf(programs('2.2.0-other', scene.canary)));
    const mirror = await scene.mirror();
    expect(await checks(scene, settings(scene, mirror.url))).toMatchObject([
      { status: 'failed', code: 'PRA-ENGINE-03' },
      { status: 'skipped', detail: 'skipped: "Pulumi\'s agent" failed' },
    ]);
    expect(scene.hasRun()).toBe(false);
  });

  it('says what is wrong with it', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const away = { ...settings(scene, mirror.url), PULUMI_AGENT_ENGINE_VERSION: '2.9.9' };
    expect(await checks(scene, away)).toMatchObject([
      { status: 'failed', outcome: 'target-error', code: 'PRA-ENGINE-02' },
      { status: 'skipped', detail: 'skipped: "Pulumi\'s agent" failed' },
    ]);

    const installed = join(scene.home, 'installed');
    mkdirSync(installed);
    writeFileSync(join(installed, 'customer-managed-workflow-agent'), 'no program', { mode: 0o755 });
    writeFileSync(join(installed, 'workflow-runner'), '#!/bin/sh\n', { mode: 0o755 });
    const path = { ...settings(scene, mirror.url), PULUMI_AGENT_ENGINE_PATH: installed };
    expect((await checks(scene, path))[0]).toMatchObject({
      status: 'failed',
      code: 'PRA-ENGINE-06',
      detail: expect.stringMatching(/built for another kind of machine|Start it by hand/),
    });
  });

  it('warns of a program that is another version than its release', async () => {
    const scene = await engineScene();
    const files = await signedRelease('2.2.0', programs('2.1.0', scene.canary), scene.key);
    const mirror = await scene.mirror({ files });
    expect((await checks(scene, settings(scene, mirror.url)))[1]).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('it reports version 2.1.0, expected 2.2.0'),
    });
  });
});

describe('in a network without a way out but a proxy, behind a private authority', () => {
  let network: PrivateNetwork;
  let authority: Authority;
  beforeAll(async () => {
    await scriptOutput('network-peers', []);
    network = openPrivateNetwork();
    authority = new Authority();
  });
  afterAll(() => {
    authority?.remove();
    network?.close();
  });

  it('the agent gets its release through the one, trusting the other', { timeout: 120_000 }, async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const identity = authority.issue({ names: `IP:${network.service}` });
    const front = await tlsFront({ host: network.service, identity, to: new URL(mirror.url) });
    onTestFinished(() => front.close());
    const proxy = await startTinyproxy({ host: network.gateway, port: 3190 });
    onTestFinished(() => proxy.stop());
    const environment = {
      ...settings(scene, `https://${network.service}:${front.port}`),
      PULUMI_AGENT_REQUEST_TIMEOUT: '5s',
    };
    const through = { ...environment, HTTPS_PROXY: proxy.address };
    const trusting = { ...through, PULUMI_AGENT_CA_CERTIFICATE: authority.path };
    const install = async (variables: Record<string, string>) => {
      const options = { home: scene.home, environment: variables, namespace: network.name };
      return (await start(['engine', 'install'], options)).ended;
    };

    const distrusting = await install(through);
    expect(distrusting.code).toBe(5);
    expect(distrusting.stderr).toMatch(/Failed to download https:.*comes from an authority that isn't trusted here/);
    expect(await install(trusting)).toMatchObject({ code: 0, stderr: '' });
    expect(await proxy.log()).toContain(`CONNECT ${network.service}:${front.port}`);
    expect(readdirSync(scene.kept)).toHaveLength(3);
  });
});
