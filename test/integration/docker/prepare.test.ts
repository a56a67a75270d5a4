import { describe, expect, it } from 'vitest';
import { docker, JOB_IMAGE, scratchImage } from '../../support/docker/images.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();

describe('the container', () => {
  it('is made with nothing of the host in it and nothing secret on it', async () => {
    const container = await bench.prepare({
      files: [
        { path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: 'token-that-must-not-show' },
        { path: '/opt/plugin', mode: 0o755, content: 'script-that-must-not-show' },
      ],
      labels: { ...bench.labels, 'pulumi-runner.job': 'j-1' },
    });
    const script = 'printf %s "$SECRET" | wc -c';
    expect(
      await run(container, script, { environment: { SECRET: 'value-that-must-not-show' } }),
    ).toMatchObject({
      code: 0,
      output: '24\n',
    });
    const found = await docker.getContainer(container.id).inspect();
    expect(found.HostConfig).toMatchObject({
      AutoRemove: true,
      Init: false,
      Binds: null,
      LogConfig: { Type: 'none' },
    });
    expect(found.HostConfig.NetworkMode).toBe(found.Name.slice(1));
    expect(found.Mounts).toEqual([]);
    expect(found.Config).toMatchObject({ OpenStdin: true, StdinOnce: true, Tty: false });
    expect(found.Config.Labels).toMatchObject({ ...bench.labels, 'pulumi-runner.job': 'j-1' });
    expect(found.Name).toMatch(/^\/pulumi-runner-[0-9a-f]{12}$/);
    expect(JSON.stringify(found)).not.toContain('must-not-show');
    expect(container.id).toBe(found.Id);
  });

  it('takes its anonymous volumes along when it is removed', async () => {
    const image = await bench.derive(JOB_IMAGE, { changes: ['VOLUME /data'] });
    const container = await bench.prepare({ image });
    const { Mounts: mounts } = await docker.getContainer(container.id).inspect();
    expect(mounts).toHaveLength(1);
    await container.remove();
    await expect(docker.getVolume(mounts[0]!.Name!).inspect()).rejects.toMatchObject({ statusCode: 404 });
  });
});

describe('the files', () => {
  const files = [
    { path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: 'a \'b\' "c"\n\\0101 $d `e` %s é\t\n\nend' },
    { path: '/PULUMI_ENV', mode: 0o600, content: '' },
    { path: '/opt/made for this/run', mode: 0o755, content: '#!/bin/sh\necho ran as $(id -u)\n' },
    { path: '/opt/big', mode: 0o644, content: 'x'.repeat(100_000) },
    { path: '/readonly', mode: 0o400, content: 'r' },
  ];
  const list =
    'stat -c "%a %u:%g %s %n" /mnt/pulumi/pulumi.oidc /PULUMI_ENV "/opt/made for this/run" /opt/big /readonly; cat /mnt/pulumi/pulumi.oidc';
  const listing = (owner: string) =>
    `600 ${owner} ${Buffer.byteLength(files[0]!.content)} /mnt/pulumi/pulumi.oidc\n600 ${owner} 0 /PULUMI_ENV\n755 ${owner} 31 /opt/made for this/run\n644 ${owner} 100000 /opt/big\n400 ${owner} 1 /readonly\n${files[0]!.content}`;

  it.each([
    ['root', [], '0:0'],
    ['a number', ['USER 1234'], '1234:0'],
    ['a name', ['USER job'], '1000:1000'],
    ['a name and a group', ['USER job:root'], '1000:0'],
  ])('belong to the image’s user when that is %s', async (_, changes, owner) => {
    const container = await bench.prepare({ image: await bench.derive(JOB_IMAGE, { changes }), files });
    const step = await run(container, `${list}; echo; "/opt/made for this/run"; id -u; id -g`);
    const [uid, gid] = owner.split(':');
    expect(step).toEqual({
      code: 0,
      outOfMemory: false,
      output: `${listing(owner)}\nran as ${uid}\n${uid}\n${gid}\n`,
    });
  });

  it("replace the image's own, and leave existing folders as they are", async () => {
    const script =
      'mkdir -m 0750 /mnt/pulumi; chown 7:7 /mnt/pulumi; echo old > /PULUMI_ENV; chmod 666 /PULUMI_ENV; ln -s /etc/passwd /mnt/pulumi/pulumi.oidc';
    const image = await bench.derive(JOB_IMAGE, { script });
    for (const [owner, changes] of [
      ['0:0', []],
      ['1000:1000', ['USER job']],
    ] as const) {
      const container = await bench.prepare({
        image: await bench.derive(image, { changes }),
        files: files.slice(0, 2),
      });
      expect(
        await run(container, 'stat -c "%F %a %u:%g %s" /mnt/pulumi /PULUMI_ENV; head -c 4 /etc/passwd'),
      ).toMatchObject({
        output: `directory 750 7:7 4096\nregular empty file 600 ${owner} 0\nroot`,
      });
    }
  });
});

describe('a failed preparation says what is wrong with', () => {
  const [own, other] = process.arch === 'arm64' ? ['arm64', 'amd64'] : ['amd64', 'arm64'];
  // Just an ELF header for another machine: this kernel can't run it, and others neither, as it is too short.
  const elf = Buffer.alloc(64);
  elf.write('\x7fELF\x02\x01\x01', 0, 'latin1');
  elf.writeUInt16LE(2, 16);
  elf.writeUInt16LE(own === 'arm64' ? 62 : 183, 18);
  elf.writeUInt32LE(1, 20);
  const scratch = async (path: string, content: Buffer | string) =>
    bench.keepImage(await scratchImage([{ path, mode: 0o755, content }]));

  it.each<
    [why: string, wanted: () => Promise<Parameters<typeof bench.spec>[0]>, name: string, sentence: RegExp]
  >([
    [
      'an image that is not there',
      async () => ({ image: 'pulumi-runner-test/no-such-image:9' }),
      'ImageError',
      /^Failed to find the image for the job: pulumi-runner-test\/no-such-image:9: the engine does not have it\. Pull it on the host first, or set pull_image: true\.$/,
    ],
    [
      'an image without a shell',
      async () => ({ image: await scratch('hello', 'hello') }),
      'ContainerError',
      /^Failed to start a container for the job from \S+: .*executable file not found in \$PATH.*\. The image must have a POSIX shell named sh in its PATH\.$/,
    ],
    [
      'an image for a platform that this host cannot run',
      async () => ({ image: await scratch('bin/sh', elf) }),
      'ContainerError',
      /exec format error\. The image is for linux\/\w+ and the engine's host can't run that: use a runner of that platform/i,
    ],
    [
      'an image of another platform than the job wants',
      async () => ({ platform: `linux/${other}` }),
      'ContainerError',
      /(does not match the specified platform(: wanted| \()|found but does not provide the specified platform).*Set pull_image: true, so that the image for the wanted platform is pulled/,
    ],
    [
      'an image of a user it does not know',
      async () => ({ image: await bench.derive(JOB_IMAGE, { changes: ['USER nobody-knows'] }) }),
      'ContainerError',
      /Correct the USER of the image: it isn't in its \/etc\/passwd\./,
    ],
  ])('%s', async (_, wanted, name, message) => {
    await expect(bench.prepare(await wanted())).rejects.toMatchObject({
      name,
      fault: 'deployment',
      message: expect.stringMatching(message),
    });
    expect(await bench.containers()).toEqual([]);
  });
});

describe('a preparation that ends halfway leaves nothing', () => {
  it.each([
    /^GET .*\/images\//,
    /^POST .*\/networks\/create/,
    /^POST .*\/containers\/create/,
    /attach/,
    /start/,
    /^PUT .*\/containers\//,
  ])('when it is aborted at %s', async (at) => {
    const stop = new AbortController();
    const { target } = await bench.behindProxy({
      onRequest: (line) => {
        if (at.test(line)) stop.abort(new Error(`stopped at ${at}`));
      },
    });
    await expect(target.prepare(bench.spec(), async () => undefined, stop.signal)).rejects.toThrow(
      `stopped at ${at}`,
    );
    expect({ containers: await bench.containers(), networks: await bench.networks() }).toEqual({
      containers: [],
      networks: [],
    });
  });

  it('when it is aborted while the engine does not tell of its bridge', async () => {
    const stop = new AbortController();
    const { target } = await bench.behindProxy({
      before: (line) => {
        if (!/^GET .*\/networks\/bridge/.test(line)) return undefined;
        setImmediate(() => stop.abort(new Error('enough')));
        return new Promise(() => undefined);
      },
    });
    await expect(target.prepare(bench.spec(), async () => undefined, stop.signal)).rejects.toThrow('enough');
    expect(await bench.networks()).toEqual([]);
  });

  it('after a sweep when the connection to the engine was cut', async () => {
    const onRequest = (line: string) => line.includes('/start') && proxy.cut();
    const { proxy, target } = await bench.behindProxy({ onRequest }, { stopMs: 600 });
    await expect(target.prepare(bench.spec(), async () => undefined, NEVER)).rejects.toThrow(
      /Failed to reach the Docker engine/,
    );
    expect(bench.logged.join('\n')).toMatch(
      /warning .*Failed to remove container pulumi-runner-\w+ for the job: .* Remove it by hand: docker rm -f pulumi-/,
    );
    await bench.target.sweep(bench.labels, NEVER);
    expect({ containers: await bench.containers(), networks: await bench.networks() }).toEqual({
      containers: [],
      networks: [],
    });
  });
});
