import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processSpace } from '../../../src/record/owner.ts';
import { engineScene } from '../../support/engine/engine-scene.ts';
import { archiveName } from '../../support/engine/release.ts';
import { start } from '../doctor/command.ts';

describe("Pulumi's agent", () => {
  it('is downloaded, verified, unpacked for this run alone, and kept for the next', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const program = await scene.get(mirror.url);
    expect(program.version).toBe('2.2.0');
    expect(mirror.received.map(({ path }) => path)).toEqual(
      ['checksums.txt', 'checksums.txt.sig', archiveName('2.2.0')].map((name) => `/v2.2.0/${name}`),
    );
    for (const path of [program.agent, program.runner, program.embeddable])
      expect(statSync(path ?? '').mode & 0o777).toBe(0o755);
    expect(statSync(join(program.directory, 'pulumi-workflow-agent.yaml.sample')).mode & 0o777).toBe(0o644);
    expect(scene.hasRun()).toBe(false);
    expect(spawnSync(program.agent, ['version'], { encoding: 'utf8' }).stdout).toBe('v2.2.0\n');
    await program[Symbol.asyncDispose]();
    expect(existsSync(program.directory)).toBe(false);
    expect(readdirSync(scene.kept).sort()).toEqual([...scene.files.keys()].sort());
    expect(statSync(scene.kept).mode & 0o777).toBe(0o700);

    // From here on without a network.
    await mirror.stop();
    await using again = await scene.get('http://127.0.0.1:1');
    expect(again.directory).not.toBe(program.directory);
    expect(existsSync(again.agent)).toBe(true);
    expect(scene.warnings).toEqual([]);
  });

  it('is downloaded on from where the connection broke', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror({ cuts: [100, 50], arrived: (bytes) => scene.stored(bytes) });
    await using program = await scene.get(mirror.url);
    expect(existsSync(program.agent)).toBe(true);
    const ranges = mirror.received.slice(2).map(({ headers }) => headers.range);
    expect(ranges).toEqual([undefined, 'bytes=100-', 'bytes=150-']);
    expect(scene.warnings[0]).toMatch(
      /^Failed to download http.*\.tar\.gz: .*\. Continuing at byte 100 in \d\.\d s\.$/,
    );
  });

  it('is downloaded anew from a server that can’t continue', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror({ cuts: [100], withoutRanges: true });
    await using program = await scene.get(mirror.url);
    expect(existsSync(program.agent)).toBe(true);
  });

  it('is found behind a redirect, as GitHub has it', async () => {
    const scene = await engineScene();
    const assets = await scene.mirror();
    const mirror = await scene.mirror({ redirect: assets.url });
    await using program = await scene.get(mirror.url);
    expect(existsSync(program.agent)).toBe(true);
    expect([mirror.received.length, assets.received.length]).toEqual([3, 3]);
  });

  it('is not looked for again and again where there is no such version', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const get = scene.get(mirror.url, { engineVersion: '9.9.9' });
    await expect(get).rejects.toMatchObject({
      outcome: 'target-error',
      code: 'PRA-ENGINE-02',
      message: expect.stringMatching(/v9\.9\.9\/checksums\.txt for the engine: .* has no such file \(HTTP 404\)\./),
    });
    expect(mirror.received).toHaveLength(1);
  });

  it.each([
    ['in a circle', { redirect: '' }, 'there are more than 5 redirects'],
    [
      'to more than any release has',
      { files: new Map([['checksums.txt', Buffer.alloc(65 * 1024)]]) },
      'it is larger than 65536 bytes',
    ],
  ])('is not followed %s', async (_, options, reason) => {
    const scene = await engineScene();
    const mirror = await scene.mirror(options);
    await expect(scene.get(mirror.url)).rejects.toMatchObject({
      code: 'PRA-ENGINE-02',
      message: expect.stringContaining(reason),
    });
    expect(mirror.received.length).toBeLessThanOrEqual(6);
  });

  it('is not looked for through a proxy that can’t be used', async () => {
    const scene = await engineScene();
    scene.environment['HTTP_PROXY'] = 'ftp://proxy.example.com';
    const refusal = { outcome: 'config-error', code: 'PRA-CONFIG-03' };
    await expect(scene.get('http://mirror.example.com')).rejects.toMatchObject(refusal);
  });

  it('is never half there after a job that was killed while it came', async () => {
    const scene = await engineScene();
    const stalled = await scene.mirror({ stallAfter: 100 });
    await writeFile(join(scene.home, 'cosign.pub'), scene.key.publicKey);
    const { child, ended } = await start(['engine', 'install'], {
      home: scene.home,
      environment: {
        PULUMI_AGENT_ENGINE_DOWNLOAD_URL: stalled.url,
        PULUMI_AGENT_ENGINE_PUBLIC_KEY: join(scene.home, 'cosign.pub'),
      },
    });
    const runs = join(scene.kept, '../../runs');
    const begun = () => readdirSync(runs).flatMap((name) => readdirSync(join(runs, name)));
    await stalled.until(() => stalled.received.length === 3);
    await vi.waitFor(() => expect(begun()).toContain(archiveName('2.2.0')), { timeout: 20_000 });
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(scene.kept)).toBe(false);
    const mirror = await scene.mirror();
    await using program = await scene.get(mirror.url);
    expect(spawnSync(program.agent, ['version'], { encoding: 'utf8' }).stdout).toBe('v2.2.0\n');
    expect(readdirSync(runs)).toHaveLength(1);
  });

  it('is whole for each of several jobs that begin at once', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const gotten = await Promise.all(Array.from({ length: 4 }, () => scene.get(mirror.url)));
    for (const { agent } of gotten) expect(spawnSync(agent, ['version'], { encoding: 'utf8' }).stdout).toBe('v2.2.0\n');
    expect(new Set(gotten.map(({ directory }) => directory)).size).toBe(4);
    for (const program of gotten) await program[Symbol.asyncDispose]();
    const store = join(scene.kept, '../..');
    expect([readdirSync(join(store, 'runs')), readdirSync(join(store, 'kept'))]).toEqual([[], [expect.any(String)]]);
    expect(scene.warnings).toEqual([]);
  });

  it('stays kept when the disk has no room for this run', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    await (await scene.get(mirror.url))[Symbol.asyncDispose]();
    const runs = join(scene.kept, '../../runs');
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,mode=700', 'tmpfs', runs]);
    onTestFinished(() => void execFileSync('umount', [runs]));
    await expect(scene.get(mirror.url)).rejects.toThrow(/^Failed to keep Pulumi's agent in .*ENOSPC/);
    expect(readdirSync(scene.kept)).toHaveLength(3);
    expect(mirror.received).toHaveLength(3);
  });

  it('leaves nothing behind when it is stopped, and removes what a dead run left', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    const [runs, stop] = [join(scene.kept, '../../runs'), new AbortController()];
    const dead = spawnSync('true').pid;
    const space = processSpace();
    await mkdir(join(runs, 'run-dead'), { recursive: true, mode: 0o700 });
    await writeFile(
      join(runs, 'run-dead/owner.json'),
      JSON.stringify({ owner: { host: 'x', pid: dead, started: '1' }, space }),
    );
    await mkdir(join(runs, 'run-unknown'));
    stop.abort(new Error('stopped'));
    await expect(scene.get(mirror.url, {}, stop.signal)).rejects.toThrow('stopped');
    await (await scene.get(mirror.url))[Symbol.asyncDispose]();
    expect(readdirSync(runs)).toEqual(['run-unknown']);
  });
});

describe('a folder that Pulumi’s agent is installed in', () => {
  it('is taken as it is, with what it lacks', async () => {
    const scene = await engineScene();
    const mirror = await scene.mirror();
    await using whole = await scene.get(mirror.url);
    const enginePath = whole.directory;
    await using installed = await scene.get('http://127.0.0.1:1', { enginePath });
    expect(installed).toMatchObject({ version: '2.2.0', agent: whole.agent, embeddable: whole.embeddable });
    expect(scene.warnings).toEqual([]);

    // As in Pulumi's image.
    spawnSync('rm', [join(enginePath, 'workflow-runner-embeddable')]);
    await using imaged = await scene.get('http://127.0.0.1:1', { enginePath });
    expect(imaged.embeddable).toBeUndefined();
    expect(scene.warnings).toEqual([expect.stringMatching(/holds no workflow-runner-embeddable, which/)]);

    spawnSync('rm', [whole.runner]);
    spawnSync('chmod', ['a-x', whole.agent]);
    await writeFile(whole.agent, 'no program', { mode: 0o600 });
    await expect(scene.get('http://127.0.0.1:1', { enginePath })).rejects.toMatchObject({
      outcome: 'config-error',
      code: 'PRA-ENGINE-01',
      message: expect.stringMatching(
        /customer-managed-workflow-agent can't be executed; there is no .*\/workflow-runner\./,
      ),
    });
  });
});
