import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ACTION, enqueue, POOL, useStage } from '../support/e2e/stage.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';
import { programPath, scriptOutput } from '../support/script.ts';

const run = promisify(execFile);
const VERSION: string = JSON.parse(await readFile(join(ACTION, 'package.json'), 'utf8')).version;
const IMAGE = 'pulumi-runner-test/agent:1';
const SOCKET = '/var/run/docker.sock';

const stage = useStage();
let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
});

/** Writes an agent's configuration for one deployment; returns its path. */
async function settings(more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const path = join(folder, 'pulumi-workflow-agent.yaml');
  const token = stage.cloud.createStaticToken(POOL.id);
  const own = { token, service_url: stage.cloud.url, polling_interval: '200ms', pull_image: false };
  await writeFile(
    path,
    stringify({ ...own, http_server_port: 0, single_run: true, max_wait: '20s', ...more }),
  );
  return path;
}

describe('the npm package', () => {
  let archive: string;
  beforeEach(async () => {
    const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], { cwd: ACTION });
    const [packed] = JSON.parse(stdout);
    expect(packed.size).toBeLessThanOrEqual(3 * 1024 * 1024);
    archive = join(folder, packed.filename);
  }, 60_000);

  it('runs a deployment with npx in an empty folder, and has no dependencies', async () => {
    const deployment = enqueue(stage, { 'pulumi up': 'echo by npx' });
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const config = await settings();
    const npx = ['--yes', '--offline', '--package', archive, 'pulumi-runner-agent'];
    const options = { cwd: empty, env: { PATH: process.env['PATH'], HOME: folder } };
    await run('npx', [...npx, 'run', '--config', config, '--run-directory', join(folder, 'run')], options);
    expect(deployment.status).toBe('succeeded');
    const second = enqueue(stage, { 'pulumi up': 'echo by npx in a CI job' });
    await run('npx', [...npx, 'ci', '--config', config], options);
    expect(second.status).toBe('succeeded');
    expect(await readdir(empty)).toEqual(['pulumi-runner']);
    execFileSync('tar', ['--extract', '--file', archive, '--directory', folder]);
    const { dependencies } = JSON.parse(await readFile(join(folder, 'package/package.json'), 'utf8'));
    expect(dependencies).toBeUndefined();
  });

  it('refuses an older Node.js and says which version it needs', async () => {
    const older = join(folder, 'older.cjs');
    await writeFile(older, "Object.defineProperty(process, 'versions', { value: { node: '22.11.0' } });");
    const words = ['--require', older, join(ACTION, 'bin/pulumi-runner-agent.cjs'), 'version'];
    await expect(run(process.execPath, words)).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^Failed to start pulumi-runner-agent with Node\.js 22\.11\.0: .*24 or newer.*\n$/,
      ),
    });
  });
});

describe('the single file', () => {
  it('runs a deployment without Node.js, and passes the check of its systemd unit', async () => {
    const file = join(folder, 'pulumi-runner-agent');
    await run(process.execPath, [join(ACTION, 'scripts/bundling/single-file.ts'), file]);
    const deployment = enqueue(stage, { 'pulumi up': 'echo by one file' });
    const config = await settings({ run_directory: join(folder, 'run') });
    const options = { cwd: folder, env: { PATH: '/nowhere', HOME: folder } };
    await run(file, ['run', '--config', config], options);
    expect(deployment.status).toBe('succeeded');
    const second = enqueue(stage, { 'pulumi up': 'echo by one file in a CI job' });
    await run(file, ['ci', '--config', config], options);
    expect(second.status).toBe('succeeded');
    // systemd's own check fails unless the unit's program exists.
    const unit = await readFile(join(ACTION, 'examples/systemd/pulumi-runner-agent.service'), 'utf8');
    const installed = join(folder, 'pulumi-runner-agent.service');
    await writeFile(
      installed,
      unit
        .replaceAll('/usr/local/bin/pulumi-runner-agent sweep', `${file} sweep`)
        .replace('ExecStart=/usr/local/bin/pulumi-runner-agent', `ExecStart=${file}`),
    );
    const analyze = await run(await programPath('systemd-analyze'), ['verify', '--man=no', installed]);
    expect(analyze).toMatchObject({ stdout: '', stderr: '' });
  }, 120_000);
});

describe('the image', () => {
  beforeEach(() => scriptOutput('agent-image', []), 120_000);

  it('runs a deployment as an unprivileged user, under an init, on a read-only root file system', async () => {
    const group = String((await stat(SOCKET)).gid);
    const deployment = enqueue(stage, {
      'pulumi up': 'echo at work; until [ -e /tmp/over ]; do sleep 0.1; done',
    });
    const config = await settings({ http_server_port: 18_080 });
    await chmod(config, 0o644);
    const name = `install-${process.pid}`;
    const words = `run --rm --name ${name} --read-only --tmpfs /tmp --cap-drop ALL --network host`.split(' ');
    const mounts = [
      '--volume',
      `${SOCKET}:${SOCKET}`,
      '--volume',
      `${config}:/etc/pulumi-workflow-agent.yaml:ro`,
    ];
    const port = ['--env', 'PULUMI_AGENT_HTTP_SERVER_PORT=18080', '--health-interval', '1s'];
    const command = ['--group-add', group, IMAGE, 'run', '--label', stage.label];
    const agent = spawn('docker', [...words, ...mounts, ...port, ...command], { stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => agent.once('close', resolve));
    await stage.cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 60_000);
    const said = async (...words: string[]) => (await run('docker', words)).stdout.trim();
    expect(await said('exec', name, 'sh', '-c', 'cat /proc/1/comm; id -u')).toBe('tini\n1000');
    const health = () => said('inspect', '--format', '{{.State.Health.Status}}', name);
    await expect.poll(health, { timeout: 60_000 }).toBe('healthy');
    const labels = JSON.parse(await said('inspect', '--format', '{{json .Config.Labels}}', name));
    expect(labels['org.opencontainers.image.version']).toBe(VERSION);
    await run('docker', ['exec', stage.objectsLeft()[0] ?? '', 'touch', '/tmp/over']);
    expect(await ended).toBe(0);
    expect(deployment.status).toBe('succeeded');
  }, 120_000);

  it('has the command on its PATH, for a CI job that runs in it', async () => {
    const deployment = enqueue(stage, { 'pulumi up': 'echo by a CI job in the image' });
    await chmod(await settings(), 0o644);
    await chmod(folder, 0o777);
    const mounts = ['--volume', `${SOCKET}:${SOCKET}`, '--volume', `${folder}:/checkout`];
    const group = String((await stat(SOCKET)).gid);
    const place = ['--network', 'host', '--group-add', group, '--workdir', '/checkout', '--entrypoint', 'sh'];
    const command =
      'pulumi-runner-agent ci --config pulumi-workflow-agent.yaml && pulumi-runner-agent finish';
    const { stdout } = await run('docker', ['run', '--rm', ...place, ...mounts, IMAGE, '-c', command]);
    expect(deployment.status).toBe('succeeded');
    expect(stdout).toMatch(/^ {2}by a CI job in the image$(?:.*\n)*There is nothing to finish\.\n$/m);
  }, 120_000);

  it('runs a deployment with the example Compose file', async () => {
    const deployment = enqueue(stage, { 'pulumi up': 'echo by compose' });
    await chmod(await settings({ single_run: false }), 0o644);
    const project = `install-${process.pid}`;
    const file = join(ACTION, 'examples/compose/compose.yaml');
    await writeFile(join(folder, 'compose.yaml'), await readFile(file, 'utf8'));
    // Reaches Pulumi Cloud on this machine, and labels what the agent creates.
    const here = {
      image: IMAGE,
      network_mode: 'host',
      command: ['run', '--config', '/run/secrets/settings', '--label', stage.label],
    };
    await writeFile(join(folder, 'here.yaml'), stringify({ services: { agent: here } }));
    const both = ['compose.yaml', 'here.yaml'].flatMap((each) => ['--file', join(folder, each)]);
    const files = ['--project-name', project, ...both];
    process.env['DOCKER_GROUP'] = String((await stat(SOCKET)).gid);
    try {
      await scriptOutput('compose', [...files, 'up', '--detach']);
      await stage.cloud.waitFor(() => deployment.status === 'succeeded', 60_000);
    } finally {
      await scriptOutput('compose', [...files, 'down', '--volumes']);
    }
  }, 120_000);
});
