import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { processSpace } from '../../../src/base/owner.ts';
import { type Reply, ScriptedServer } from '../../support/cloud/scripted-server.ts';
import { engineScene, OFFLINE } from '../../support/engine/engine-scene.ts';
import { archiveName } from '../../support/engine/release.ts';
import { start } from '../doctor/command.ts';

describe("Pulumi's agent", () => {
  it('is downloaded, verified, unpacked for this run alone, and kept for the next', async () => {
    const scene = await engineScene();
    const program = await scene.get();
    expect(program.version).toBe('2.2.0');
    expect(scene.mirror.received.map(({ path }) => path)).toEqual(
      ['checksums.txt', 'checksums.txt.sig', archiveName('2.2.0')].map((name) => `/v2.2.0/${name}`),
    );
    for (const name of ['customer-managed-workflow-agent', 'workflow-runner', 'workflow-runner-embeddable'])
      expect(statSync(join(program.directory, name)).mode & 0o777).toBe(0o755);
    expect(statSync(join(program.directory, 'pulumi-workflow-agent.yaml.sample')).mode & 0o777).toBe(0o644);
    expect(scene.hasRun()).toBe(false);
    expect(spawnSync(program.agent, ['version'], { encoding: 'utf8' }).stdout).toBe('v2.2.0\n');
    await program[Symbol.asyncDispose]();
    expect(existsSync(program.directory)).toBe(false);
    expect(readdirSync(scene.kept).sort()).toEqual([...scene.files.keys()].sort());
    expect(statSync(scene.kept).mode & 0o777).toBe(0o700);

    // From here on without a network.
    await scene.mirror.stop();
    await using again = await scene.get(OFFLINE);
    expect(again.directory).not.toBe(program.directory);
    expect(existsSync(again.agent)).toBe(true);
    expect(scene.warnings).toEqual([]);
  });

  it('resumes its download where the connection broke', async () => {
    const scene = await engineScene({ cuts: [100, 50] });
    await using program = await scene.get();
    expect(existsSync(program.agent)).toBe(true);
    const ranges = scene.mirror.received.slice(2).map(({ headers }) => headers.range);
    expect(ranges).toEqual([undefined, 'bytes=100-', 'bytes=150-']);
    expect(scene.warnings[0]).toMatch(
      /^Failed to download http.*\.tar\.gz: .*\. Continuing at byte 100 in \d\.\d s\.$/,
    );
  });

  it('is downloaded from the start again when the server can’t resume', async () => {
    const scene = await engineScene({ cuts: [100], withoutRanges: true });
    await using program = await scene.get();
    expect(existsSync(program.agent)).toBe(true);
  });

  it('is found behind a redirect like GitHub’s', async () => {
    const scene = await engineScene();
    const github = await ScriptedServer.start(({ path }) => ({
      status: 302,
      headers: { location: `${scene.mirror.url}${path}` },
    }));
    await using program = await scene.get({ engineDownloadUrl: github.url });
    expect(existsSync(program.agent)).toBe(true);
    expect(github.received.length).toBe(3);
    expect(scene.mirror.received.length).toBe(3);
  });

  it('is asked for only once when there is no such version', async () => {
    const scene = await engineScene();
    await expect(scene.get({ engineVersion: '9.9.9' })).rejects.toMatchObject({
      outcome: 'target-error',
      code: 'PRA-ENGINE-02',
      message: expect.stringMatching(
        /v9\.9\.9\/checksums\.txt for the engine: .* has no such file \(HTTP 404\)\./,
      ),
    });
    expect(scene.mirror.received).toHaveLength(1);
  });

  it.each<[string, Reply, string]>([
    [
      'endless redirects',
      { status: 302, headers: { location: '/v2.2.0' } },
      'there are more than 5 redirects',
    ],
    ['an oversized answer', { status: 200, text: ' '.repeat(65 * 1024) }, 'it is larger than 65536 bytes'],
  ])('is not downloaded from %s', async (_, reply, reason) => {
    const scene = await engineScene();
    const server = await ScriptedServer.inOrder(reply);
    await expect(scene.get({ engineDownloadUrl: server.url })).rejects.toMatchObject({
      code: 'PRA-ENGINE-02',
      message: expect.stringContaining(reason),
    });
    expect(server.received.length).toBeLessThanOrEqual(6);
  });

  it('is not downloaded through a proxy that can’t be used', async () => {
    const scene = await engineScene();
    scene.environment['HTTP_PROXY'] = 'ftp://proxy.example.com';
    const refusal = { outcome: 'config-error', code: 'PRA-CONFIG-03' };
    await expect(scene.get({ engineDownloadUrl: 'http://mirror.example.com' })).rejects.toMatchObject(
      refusal,
    );
  });

  it('is never half there after a process was killed during its download', async () => {
    const { home, runs, mirror, ...scene } = await engineScene({ stallAfter: 100 });
    const { child, ended } = await start(['engine', 'install'], { home, environment: scene.settings });
    const begun = () => readdirSync(runs).flatMap((name) => readdirSync(join(runs, name)));
    await mirror.until(() => mirror.received.length === 3);
    await vi.waitFor(() => expect(begun()).toContain(archiveName('2.2.0')), { timeout: 20_000 });
    child.kill('SIGKILL');
    await ended;
    expect(existsSync(scene.kept)).toBe(false);
    await using program = await scene.get();
    expect(spawnSync(program.agent, ['version'], { encoding: 'utf8' }).stdout).toBe('v2.2.0\n');
    expect(readdirSync(runs)).toHaveLength(1);
  });

  it('is whole for each of several jobs that begin at once', async () => {
    const scene = await engineScene();
    const gotten = await Promise.all(Array.from({ length: 4 }, () => scene.get()));
    for (const { agent } of gotten)
      expect(spawnSync(agent, ['version'], { encoding: 'utf8' }).stdout).toBe('v2.2.0\n');
    expect(new Set(gotten.map(({ directory }) => directory)).size).toBe(4);
    for (const program of gotten) await program[Symbol.asyncDispose]();
    expect(readdirSync(scene.runs)).toEqual([]);
    expect(readdirSync(join(scene.kept, '..'))).toEqual([expect.any(String)]);
    expect(scene.warnings).toEqual([]);
  });

  it('is still kept when the disk has no room for this run', async () => {
    const scene = await engineScene();
    await (await scene.get())[Symbol.asyncDispose]();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4k,mode=700', 'tmpfs', scene.runs]);
    onTestFinished(() => void execFileSync('umount', [scene.runs]));
    await expect(scene.get()).rejects.toThrow(/^Failed to keep Pulumi's agent in .*ENOSPC/);
    expect(readdirSync(scene.kept)).toHaveLength(3);
    expect(scene.mirror.received).toHaveLength(3);
  });

  it('leaves nothing behind when it is stopped, and removes what a dead run left', async () => {
    const { runs, get } = await engineScene();
    const owner = { host: 'x', pid: spawnSync('true').pid, started: '1', space: processSpace() };
    await mkdir(join(runs, 'run-dead'), { recursive: true, mode: 0o700 });
    await writeFile(join(runs, 'run-dead/owner.json'), JSON.stringify({ owner }));
    await mkdir(join(runs, 'run-unknown'));
    await expect(get({}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    await (await get())[Symbol.asyncDispose]();
    expect(readdirSync(runs)).toEqual(['run-unknown']);
  });
});

describe('a folder that Pulumi’s agent is installed in', () => {
  it('is used as it is, and what it lacks is reported', async () => {
    const scene = await engineScene();
    await using whole = await scene.get();
    const enginePath = whole.directory;
    await using installed = await scene.get({ ...OFFLINE, enginePath });
    expect(installed).toMatchObject({ version: '2.2.0', agent: whole.agent, hasEmbeddable: true });
    expect(scene.warnings).toEqual([]);

    // Pulumi's image lacks this program too.
    spawnSync('rm', [join(enginePath, 'workflow-runner-embeddable')]);
    await using imaged = await scene.get({ ...OFFLINE, enginePath });
    expect(imaged.hasEmbeddable).toBe(false);
    expect(scene.warnings).toEqual([expect.stringMatching(/holds no workflow-runner-embeddable, which/)]);

    spawnSync('rm', [join(enginePath, 'workflow-runner')]);
    spawnSync('chmod', ['a-x', whole.agent]);
    await writeFile(whole.agent, 'no program', { mode: 0o600 });
    await expect(scene.get({ ...OFFLINE, enginePath })).rejects.toMatchObject({
      outcome: 'config-error',
      code: 'PRA-ENGINE-01',
      message: expect.stringMatching(
        /customer-managed-workflow-agent can't be executed; there is no .*\/workflow-runner\./,
      ),
    });
  });
});
