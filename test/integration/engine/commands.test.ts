import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type EngineScene, engineScene, OFFLINE } from '../../support/engine/engine-scene.ts';
import { archiveName, archiveOf, flipped, programs } from '../../support/engine/release.ts';
import { type CommandOptions, diagnose, here, run } from '../doctor/command.ts';
import { enclosedNetwork } from '../network/enclosed.ts';

/** Runs `engine install` in the scene's home. */
const install = ({ home, settings }: EngineScene, options: CommandOptions = {}) =>
  run(['engine', 'install'], { home, environment: settings, ...options });

describe('engine install', () => {
  it('keeps the release for later runs, and runs nothing of it', async () => {
    const scene = await engineScene();
    const { code, stdout, stderr } = await install(scene);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Pulumi's agent 2\.2\.0 for \S+ is in \/.*: [\d.]+ \w+ from http:.*, verified\.\n$/,
    );
    expect(readdirSync(scene.kept).sort()).toEqual([...scene.files.keys()].sort());
    expect(scene.hasRun()).toBe(false);
    await using program = await scene.get(OFFLINE);
    expect(program.version).toBe('2.2.0');
  });

  it('says why it refuses a release, and the exit code does too', async () => {
    const scene = await engineScene();
    scene.files.set('checksums.txt', flipped(scene.files.get('checksums.txt')!));
    const { code, stdout, stderr } = await install(scene);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(
      /^Failed to verify Pulumi's agent 2\.2\.0 .* is not signed by the key of .* See PRA-ENGINE-03$/m,
    );
    expect(scene.hasRun()).toBe(false);
  });

  it.each([['engine'], ['engine', 'remove']])('is required: "%s %s" is refused', async (...argv) => {
    const { code, stderr } = await here(argv.filter((word) => word !== undefined));
    expect(code).toBe(2);
    expect(stderr).toContain('engine needs install');
  });
});

describe('the doctor', () => {
  /** Doctor's two checks of Pulumi's agent. */
  async function checks({ home, settings }: EngineScene, changes: Record<string, string> = {}) {
    const token = { PULUMI_AGENT_TOKEN: 'pul-x', PULUMI_AGENT_SERVICE_URL: 'http://127.0.0.1:1' };
    const report = await diagnose({ ...token, ...settings, ...changes }, [], { home });
    return report.checks.filter(({ id }) => id.startsWith('pulumi-agent'));
  }

  it("says that Pulumi's agent is there, verified, and starts", async () => {
    const scene = await engineScene();
    expect(await checks(scene)).toMatchObject([
      { id: 'pulumi-agent', detail: expect.stringMatching(/^Pulumi's agent 2\.2\.0 for .*, verified\./) },
      { id: 'pulumi-agent-start', status: 'passed', detail: 'version 2.2.0' },
    ]);
    expect(scene.hasRun()).toBe(true);
    expect(readdirSync(scene.runs)).toEqual([]);
    expect(await checks(scene, { PULUMI_AGENT_ENGINE: 'own' })).toEqual([]);
  });

  it('starts nothing that was tampered with', async () => {
    const scene = await engineScene();
    const archive = archiveName('2.2.0');
    // Programs that would run, but from another archive than the signed one.
    scene.files.set(archive, await archiveOf(programs('2.2.0-other', scene.canary)));
    expect(await checks(scene)).toMatchObject([
      { status: 'failed', code: 'PRA-ENGINE-03' },
      { status: 'skipped', detail: 'skipped: "Pulumi\'s agent" failed' },
    ]);
    expect(scene.hasRun()).toBe(false);
  });

  it("says what is wrong with Pulumi's agent", async () => {
    const scene = await engineScene();
    expect(await checks(scene, { PULUMI_AGENT_ENGINE_VERSION: '2.9.9' })).toMatchObject([
      { status: 'failed', outcome: 'target-error', code: 'PRA-ENGINE-02' },
      { status: 'skipped', detail: 'skipped: "Pulumi\'s agent" failed' },
    ]);

    const installed = join(scene.home, 'installed');
    mkdirSync(installed);
    writeFileSync(join(installed, 'customer-managed-workflow-agent'), 'no program', { mode: 0o755 });
    writeFileSync(join(installed, 'workflow-runner'), '#!/bin/sh\n', { mode: 0o755 });
    expect((await checks(scene, { PULUMI_AGENT_ENGINE_PATH: installed }))[0]).toMatchObject({
      status: 'failed',
      code: 'PRA-ENGINE-06',
      detail: expect.stringMatching(
        /built for another kind of machine|exit code 127\. Its last output: .* not found/,
      ),
    });
  });

  it('warns of a program whose version differs from its release’s', async () => {
    const scene = await engineScene();
    await scene.sign(programs('2.1.0', scene.canary));
    expect((await checks(scene))[1]).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('it reports version 2.1.0, expected 2.2.0'),
    });
  });
});

it('the release is downloaded from behind a private authority, through a proxy as the only way out', {
  timeout: 120_000,
}, async () => {
  const network = enclosedNetwork(onTestFinished);
  const scene = await engineScene();
  const proxy = await network.proxy();
  const url = await network.https(scene.mirror.url);
  const environment = {
    ...scene.settings,
    PULUMI_AGENT_ENGINE_DOWNLOAD_URL: url,
    PULUMI_AGENT_REQUEST_TIMEOUT: '5s',
  };
  const through = { ...environment, HTTPS_PROXY: proxy.address };
  const trusting = { ...through, PULUMI_AGENT_CA_CERTIFICATE: network.authority.path };
  const options = { namespace: network.name };

  const distrusting = await install(scene, { ...options, environment: through });
  expect(distrusting.code).toBe(5);
  expect(distrusting.stderr).toMatch(
    /Failed to download https:.*comes from an authority that isn't trusted here/,
  );
  expect(await install(scene, { ...options, environment: trusting })).toMatchObject({ code: 0, stderr: '' });
  expect(await proxy.log()).toContain(`CONNECT ${new URL(url).host}`);
  expect(readdirSync(scene.kept)).toHaveLength(3);
});
