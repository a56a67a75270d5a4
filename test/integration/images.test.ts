import Docker from 'dockerode';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { TEST_IMAGES, testImage } from '../images/images.ts';
import { runScript } from '../images/script.ts';

const docker = new Docker();
/** A name of this run's own: other runs may share the engine. */
const own = `pulumi-runner-test/images-${process.pid}`;

/** Runs a script in a container of its own, and returns its exit code and output (stdout and stderr merged). */
async function run(image: string, shell: string, script: string, options: Docker.ContainerCreateOptions = {}) {
  const container = await docker.createContainer({
    Image: image,
    Cmd: [shell, '-c', script],
    Tty: true,
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

describe('the job image', () => {
  beforeAll(() => testImage('job'));

  test('runs bash, dash, git with its transports and curl, which knows the certificate authorities', async () => {
    const script = `echo "\${BASH_VERSION:+bash}"; dash -c 'echo "$0 \${BASH_VERSION:-no bash}"'
      git init --quiet /tmp/a; cd /tmp/a
      git -c user.name=a -c user.email=a@example.org commit --quiet --allow-empty --message first
      git clone --quiet file:///tmp/a /tmp/b; git -C /tmp/b --no-pager log --format=%s
      git ls-remote https://127.0.0.1:1/x 2>&1 | head -n 1
      curl --silent https://127.0.0.1:1; echo "curl $?"; grep -c "BEGIN CERTIFICATE" /etc/ssl/certs/ca-certificates.crt`;
    const { output } = await run(TEST_IMAGES.job, 'bash', script);
    // 7: could not connect. A missing bundle of certificates would be 77, a missing library 127.
    expect(output).toMatch(
      /^bash\ndash no bash\nfirst\nfatal: unable to access 'https:\/\/127\.0\.0\.1:1\/x\/'.*\ncurl 7\n\d{2,3}$/,
    );
  });

  test('lacks no library of any of its programs', async () => {
    const script = `for f in /usr/bin/* /usr/sbin/* /usr/lib/git-core/*; do
        [ -e "$f" ] || echo "broken: $f"
        ldd "$f" 2>/dev/null | grep -q 'not found' && echo "incomplete: $f"
      done; true`;
    expect(await run(TEST_IMAGES.job, 'bash', script)).toEqual({ code: 0, output: '' });
  });

  test('has a user 1000, who can write to /tmp and nowhere else', async () => {
    const script = 'id -u; cd; pwd; echo x >mine && cat mine; touch /etc/mine';
    const { output } = await run(TEST_IMAGES.job, 'sh', script, { User: '1000' });
    expect(output).toBe("1000\n/tmp\nx\ntouch: cannot touch '/etc/mine': Permission denied");
  });
});

test('the busybox image runs ash, and no bash, git or curl', async () => {
  const script = 'readlink /bin/sh; id -u; command -v bash git curl';
  expect(await run(await testImage('busybox'), 'sh', script)).toEqual({ code: 127, output: 'busybox\n0' });
});

// The first build of OpenTofu on a machine takes minutes.
test('the tofu image runs OpenTofu, which applies a program and keeps its state', { timeout: 900_000 }, async () => {
  const script = `set -e; mkdir /tmp/p; cd /tmp/p
    echo 'resource "terraform_data" "x" { input = "made" }' >main.tf
    tofu init -no-color >/dev/null; tofu apply -auto-approve -no-color | grep '^Apply'; tofu state list`;
  expect(await run(await testImage('tofu'), 'bash', script)).toEqual({
    code: 0,
    output: 'Apply complete! Resources: 1 added, 0 changed, 0 destroyed.\nterraform_data.x',
  });
});

describe('a recipe of an image', () => {
  const tag = `${own}:recipe`;
  afterEach(() =>
    docker
      .getImage(tag)
      .remove({ force: true })
      .catch(() => undefined),
  );

  test('is followed again only when it has changed', async () => {
    await testImage('job');
    const make = async () => {
      const { code, stdout, stderr } = await runScript('busybox-image', [tag]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout.trim().split('\n').at(-1);
    };
    expect(await make()).toBe(`made ${tag}`);
    expect(await make()).toBe(`${tag} is up to date`);
    // Another recipe's image under the tag is what a changed recipe looks like.
    await docker.getImage(TEST_IMAGES.job).tag({ repo: own, tag: 'recipe' });
    expect(await make()).toBe(`made ${tag}`);
  });
});
