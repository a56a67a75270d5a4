import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TEST_IMAGES, type TestImage, testImage } from '../images/images.ts';
import { startRegistry, type TestRegistry } from '../images/registry.ts';
import { runScript } from '../images/script.ts';

const docker = new Docker();
const labels = { 'pulumi-runner-test.file': 'images.test' };
/** Image names of this run's own: other runs may share the engine. */
const own = `pulumi-runner-test/images-${process.pid}`;

/** Runs a script in a container of its own, and returns its exit code and output (stdout and stderr merged). */
async function run(image: string, shell: string, script: string, options: Docker.ContainerCreateOptions = {}) {
  const container = await docker.createContainer({
    Image: image,
    Cmd: [shell, '-c', script],
    Tty: true,
    Labels: labels,
    HostConfig: { NetworkMode: 'none' },
    ...options,
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise<void>((resolve, reject) => stream.once('end', resolve).once('error', reject));
    await container.start();
    const [{ StatusCode }] = await Promise.all([container.wait() as Promise<{ StatusCode: number }>, ended]);
    return { code: StatusCode, output: Buffer.concat(chunks).toString().replaceAll('\r\n', '\n').trim() };
  } finally {
    await container.remove({ force: true });
  }
}

/** Reads a pull or push to its end; an error may come as a frame of a stream that is otherwise a success. */
async function transfer(stream: NodeJS.ReadableStream): Promise<void> {
  for await (const line of createInterface({ input: stream })) {
    const frame: { error?: string } = JSON.parse(line);
    if (frame.error !== undefined) throw new Error(frame.error);
  }
}

async function removeImage(name: string): Promise<void> {
  await docker
    .getImage(name)
    .remove({ force: true })
    .catch((error: { statusCode?: number }) => {
      if (error.statusCode !== 404) throw error;
    });
}

afterAll(async () => {
  const left = await docker.listContainers({ all: true, filters: { label: ['pulumi-runner-test.file=images.test'] } });
  expect(left).toEqual([]);
});

describe('the job image', () => {
  beforeAll(() => testImage('job'));

  test.each([
    ['bash', 'echo "${BASH_VERSION:+bash} $((6 * 7))"', 'bash 42'],
    ['dash', 'echo "$0 ${BASH_VERSION:-no bash} $((6 * 7))"', 'dash no bash 42'],
    ['sh', 'readlink -f "$(command -v sh)"', '/usr/bin/dash'],
  ])('runs %s', async (shell, script, output) => {
    expect(await run(TEST_IMAGES.job, shell, script)).toEqual({ code: 0, output });
  });

  test('runs git, with its transports, in a repository of its own', async () => {
    const script = `set -e
      git init --quiet /tmp/a; cd /tmp/a
      git -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty --message first
      git clone --quiet file:///tmp/a /tmp/b; git -C /tmp/b --no-pager log --format=%s
      ! git ls-remote https://127.0.0.1:1/x 2>&1`;
    const { code, output } = await run(TEST_IMAGES.job, 'bash', script);
    expect(output).toMatch(/^first\nfatal: unable to access 'https:\/\/127\.0\.0\.1:1\/x\/': Failed to connect/);
    expect(code).toBe(0);
  });

  test('runs curl, which knows the certificate authorities', async () => {
    const script = 'curl --version | grep -o "^curl [0-9]"; curl --silent --show-error https://127.0.0.1:1';
    const { code, output } = await run(TEST_IMAGES.job, 'sh', script);
    // 7: could not connect. A missing bundle of certificates would be 77, a missing library 127.
    expect(output).toMatch(/^curl \d\ncurl: \(7\)/);
    expect(code).toBe(7);
    const authorities = 'grep -c "BEGIN CERTIFICATE" /etc/ssl/certs/ca-certificates.crt';
    expect(Number((await run(TEST_IMAGES.job, 'sh', authorities)).output)).toBeGreaterThan(50);
  });

  test('lacks no library of any of its programs', async () => {
    const script = `for f in /usr/bin/* /usr/sbin/* /usr/lib/git-core/*; do
        [ -e "$f" ] || echo "broken: $f"
        ldd "$f" 2>/dev/null | grep -q 'not found' && echo "incomplete: $f"
      done
      ps -o comm= -p 1; pgrep -x bash; true`;
    expect(await run(TEST_IMAGES.job, 'bash', script)).toEqual({ code: 0, output: 'bash\n1' });
  });

  test('has root and a user 1000, who can write to /tmp and nowhere else', async () => {
    expect((await run(TEST_IMAGES.job, 'sh', 'whoami; stat -c %a /tmp')).output).toBe('root\n1777');
    const script = 'id -u; cd; pwd; echo x >mine && cat mine; touch /etc/mine';
    const { code, output } = await run(TEST_IMAGES.job, 'sh', script, { User: '1000' });
    expect(output).toBe("1000\n/tmp\nx\ntouch: cannot touch '/etc/mine': Permission denied");
    expect(code).toBe(1);
  });
});

test('the busybox image runs ash, and no bash, git or curl', async () => {
  const image = await testImage('busybox');
  const script = 'readlink /bin/sh; echo $((6 * 7)) | wc -l; id -u; command -v bash git curl';
  expect(await run(image, 'sh', script)).toEqual({ code: 127, output: 'busybox\n1\n0' });
  expect((await run(image, 'ash', 'help | head -n 1')).output).toBe('Built-in commands:');
});

// The first build of OpenTofu on a machine takes minutes.
test('the tofu image runs OpenTofu, which applies a program and keeps its state', { timeout: 900_000 }, async () => {
  const image = await testImage('tofu');
  const script = `set -e; mkdir /tmp/p; cd /tmp/p
    echo 'resource "terraform_data" "x" { input = "made" }' >main.tf
    tofu version | head -n 1; tofu init -no-color >/dev/null; tofu apply -auto-approve -no-color | grep '^Apply'; tofu state list`;
  expect(await run(image, 'bash', script)).toEqual({
    code: 0,
    output: 'OpenTofu v1.12.6\nApply complete! Resources: 1 added, 0 changed, 0 destroyed.\nterraform_data.x',
  });
});

describe('a recipe', () => {
  const tag = `${own}:recipe`;
  afterEach(() => removeImage(tag));

  test.each<TestImage>(['job', 'busybox', 'tofu'])(
    'of the %s image is followed again only when it has changed',
    { timeout: 900_000 },
    async (kind) => {
      const other: TestImage = kind === 'busybox' ? 'job' : 'busybox';
      await testImage(other);
      const make = async () => {
        const { code, stdout, stderr } = await runScript(`${kind}-image`, [tag]);
        expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
        return { lines: stdout.trim().split('\n'), image: await docker.getImage(tag).inspect() };
      };
      const first = await make();
      expect(first.lines.at(-1)).toBe(`made ${tag}`);
      expect(first.image.Config.Labels).toMatchObject({ 'pulumi-runner-test.image': kind });

      const second = await make();
      expect(second.lines.at(-1)).toBe(`${tag} is up to date`);
      expect(second.image.Id).toBe(first.image.Id);

      // Another recipe's image under the tag is what a changed recipe looks like.
      await removeImage(tag);
      await docker.getImage(TEST_IMAGES[other]).tag({ repo: own, tag: 'recipe' });
      const third = await make();
      expect(third.lines.at(-1)).toBe(`made ${tag}`);
      expect(third.image.Config.Labels).toEqual(first.image.Config.Labels);
    },
  );
});

describe('the registry', () => {
  const right = { username: 'robot', password: 'it is $ecret: "yes"' };
  let registry: TestRegistry | undefined;
  let name = '';

  beforeAll(async () => {
    await testImage('busybox');
    registry = await startRegistry(right.username, right.password);
    name = `${registry.address}/private/busybox:1`;
    await docker.getImage(TEST_IMAGES.busybox).tag({ repo: name.slice(0, -2), tag: '1' });
  });
  afterAll(async () => {
    await registry?.stop();
    await removeImage(name);
  });

  const push = async (auth: Docker.AuthConfigObject) =>
    transfer(await docker.getImage(name).push({ authconfig: auth }));
  const pull = async (auth?: Docker.AuthConfigObject) =>
    transfer(await docker.pull(name, { ...(auth && { authconfig: auth }) }));
  const wrong = { ...right, password: 'wrong' };
  const refusal = /no basic auth credentials|unauthorized/;

  test('takes and gives a private image by the right password only', async () => {
    const { Id } = await docker.getImage(TEST_IMAGES.busybox).inspect();
    await expect(push(wrong)).rejects.toThrow(refusal);
    await push(right);
    await removeImage(name);

    await expect(pull()).rejects.toThrow(refusal);
    await expect(pull(wrong)).rejects.toThrow(refusal);
    await expect(docker.getImage(name).inspect()).rejects.toMatchObject({ statusCode: 404 });
    await pull(right);
    expect(await docker.getImage(name).inspect()).toMatchObject({ Id });
  });

  test('says why a second one cannot take its port', async () => {
    const port = registry!.address.split(':')[1]!;
    const folder = await mkdtemp(join(tmpdir(), 'registry-'));
    try {
      const taken = await runScript('registry', ['start', folder, port, 'a', 'b']);
      expect(taken).toMatchObject({ code: 1, stdout: '' });
      expect(taken.stderr).toMatch(/address already in use[\s\S]*Failed to start a registry on 127\.0\.0\.1:/);
    } finally {
      expect(await runScript('registry', ['stop', folder])).toMatchObject({ code: 0 });
      await rm(folder, { recursive: true });
    }
  });

  test('is gone once it is stopped, and may be stopped again', async () => {
    const { address, stop } = registry!;
    expect((await fetch(`http://${address}/v2/`)).status).toBe(401);
    await stop();
    await expect(fetch(`http://${address}/v2/`)).rejects.toThrow();
    await stop();
  });
});
