import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Containment } from '../../../src/executor/docker/container/host-config.ts';
import { METADATA_ADDRESSES } from '../../../src/executor/docker/container/network.ts';
import { BUSYBOX_IMAGE, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { orphan } from '../../support/docker/orphan.ts';
import { copyImage, type OwnEngine, startOwnEngine } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/gvisor');
/** Every containerd has it, and an engine takes its name without any configuration. */
const SHIM = 'io.containerd.runc.v2';

/**
 * runc as Sysbox is without SYSBOX_HONOR_CAPS: it gives containers the capabilities that were to be dropped. With the
 * variable it obeys.
 */
const GENEROUS = `#!/bin/sh
for word; do
  case $last in --bundle) file=$word/config.json ;; --process) file=$word ;; *) file= ;; esac
  if [ -n "$file" ] && ! grep -q SYSBOX_HONOR_CAPS=TRUE "$file"; then
    sed -i 's/"CAP_CHOWN"/"CAP_CHOWN","CAP_NET_ADMIN","CAP_SYS_ADMIN"/g' "$file"
  fi
  last=$word
done
exec runc "$@"
`;

const environment: Record<string, string> = {};
let folder: string;
let profile: string;
let own: OwnEngine;
const shared = workbench();
const bench = workbench({ environment, docker: () => own.docker });

beforeAll(async () => {
  const runsc = execFileSync(SCRIPT, ['--path'], { encoding: 'utf8' }).trim();
  folder = await mkdtemp(join(tmpdir(), 'runtimes-'));
  for (const name of ['generous', 'sysbox-runc']) {
    await writeFile(join(folder, name), GENEROUS);
    await chmod(join(folder, name), 0o755);
  }
  const programs = { runsc, generous: join(folder, 'generous'), 'sysbox-runc': join(folder, 'sysbox-runc') };
  const runtimes = Object.entries(programs).map(([name, path]) => ['--add-runtime', `${name}=${path}`]);
  profile = join(folder, 'open.json');
  // `unconfined`, as newer engines call it, is not known to Debian 12's.
  await writeFile(profile, '{"defaultAction": "SCMP_ACT_ALLOW"}');
  own = await startOwnEngine({ flags: [...runtimes.flat(), '--seccomp-profile', profile] });
  environment['DOCKER_HOST'] = own.url;
  for (const image of [JOB_IMAGE, BUSYBOX_IMAGE]) await copyImage(image, own.url);
});
afterAll(async () => {
  await own.close();
  await rm(folder, { recursive: true, force: true });
});

const prepare = (containment: Containment, image = JOB_IMAGE, lines: string[] = []) =>
  bench.prepare({ image }, bench.newExecutor({ containment }), lines);

describe('a runtime that the engine does not know', () => {
  it('is named before any job is claimed, with those that it knows', async () => {
    const check = (containerRuntime: string) => shared.newExecutor({ containment: { containerRuntime } }).check(NEVER);
    await expect(check('runsx')).rejects.toThrow(
      /^Failed to use the Docker engine for this runner: Docker Engine \S+ .* knows no runtime runsx, only (.+, )?runc(, .+)?\. Add it to the engine, or correct container_runtime\.$/,
    );
    expect(await check('runc')).toMatch(/^Docker Engine /);
    // Only containerd knows whether it has this shim.
    expect(await check('io.containerd.absent.v1')).toMatch(/^Docker Engine /);
    const container = shared.newExecutor({ containment: { containerRuntime: 'io.containerd.absent.v1' } });
    await expect(shared.prepare({}, container)).rejects.toThrow(
      /^Failed to start a container for the job from .*absent.*\. Install the runtime on the engine, or correct container_runtime\.$/,
    );
    expect(await shared.containers()).toEqual([]);
  });
});

describe('the runtime that is configured', () => {
  it('is the one that the engine made the container with, and runs whole jobs', async () => {
    const lines: string[] = [];
    const target = shared.newExecutor({ containment: { containerRuntime: SHIM } });
    const container = await shared.prepare({}, target, lines);
    expect((await docker.getContainer(container.id).inspect()).HostConfig.Runtime).toBe(SHIM);
    expect(container.confinement).toMatchObject({ runtime: SHIM, engine: expect.arrayContaining(['seccomp default']) });
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^Confined by ${SHIM}, .*seccomp default`)));
    await expectWholeJob(container, 'bash');
  });

  it('is refused by name when it gives a job more capabilities than it was made with', async () => {
    await expect(prepare({ containerRuntime: 'generous' })).rejects.toThrow(
      'Failed to confine the job: under the runtime generous its root has 10 capabilities, where 8 were given. Correct the runtime on the engine, or set container_runtime to another.',
    );
    expect(await bench.containers()).toEqual([]);
    expect(await bench.networks()).toEqual([]);
  });

  it('is asked to keep to the capabilities where it is Sysbox', async () => {
    const { output } = await run(await prepare({ containerRuntime: 'sysbox-runc' }), 'grep CapBnd /proc/self/status');
    expect(output).toBe('CapBnd:\t00000000800000fb\n');
  });
});

describe('under gVisor', () => {
  const underGvisor = (image?: string, more: Containment = {}) =>
    prepare({ containerRuntime: 'runsc', ...more }, image);

  it.each([
    [JOB_IMAGE, 'bash'],
    [BUSYBOX_IMAGE, 'sh'],
  ])('a whole job runs in %s, in a kernel of its own', async (image, shell) => {
    const container = await underGvisor(image);
    expect((await run(container, 'uname -r', { shell })).output).toMatch(/gvisor/);
    expect(container.confinement).toEqual({ runtime: 'runsc', engine: [`seccomp ${profile}`] });
    await expectWholeJob(container, shell);
  });

  it('files and the environment file go in and out, for the user of the image alone', async () => {
    const image = await bench.derive(BUSYBOX_IMAGE, { changes: ['USER job'] });
    await copyImage(image, own.url);
    const files = [
      { path: '/PULUMI_ENV', mode: 0o600, content: '' },
      { path: "/mnt/a b/it's", mode: 0o640, content: "it's\nä\n\n" },
    ];
    const target = bench.newExecutor({ containment: { containerRuntime: 'runsc' } });
    const container = await bench.prepare({ image, files }, target);
    const script = `stat -c '%U %a' /PULUMI_ENV "/mnt/a b/it's"; cat "/mnt/a b/it's"; head -c 1000000 /dev/zero | tr '\\0' x >/PULUMI_ENV`;
    expect((await run(container, script, { shell: 'sh' })).output).toBe("job 600\njob 640\nit's\nä\n\n");
    expect(await container.readEnvironmentFile(NEVER)).toBe('x'.repeat(1_000_000));
    const read = async (change: string) => {
      await run(container, change, { shell: 'sh' });
      return container.readEnvironmentFile(NEVER);
    };
    await expect(read('head -c 60000 /dev/zero >>/PULUMI_ENV')).rejects.toThrow(/it has more than 1 MiB/);
  });

  it('the metadata addresses refuse, capabilities stay dropped, and memory is counted', async () => {
    const container = await underGvisor(BUSYBOX_IMAGE);
    const shell = { shell: 'sh' };
    for (const address of METADATA_ADDRESSES)
      expect((await run(container, `nc ${address} 80 </dev/null 2>&1`, shell)).output).toMatch(/refused/);
    const script = `ip address del ${METADATA_ADDRESSES[0]}/16 dev eth0; mount -t tmpfs none /mnt; grep -e CapBnd -e NoNew /proc/self/status`;
    expect((await run(container, script, shell)).output).toMatch(
      /not permitted\n.*denied.*\nCapBnd:\t00000000800000fb\nNoNewPrivs:\t1\n$/s,
    );
    await run(container, 'head -c 100000000 /dev/zero >/tmp/kept', shell);
    expect(await container.memory(NEVER)).toBeGreaterThan(100_000_000);
  });

  it('the container ends with its agent', async () => {
    const { id, killed } = await orphan('echo up; sleep 300', {
      image: BUSYBOX_IMAGE,
      labels: bench.labels,
      environment: { ...environment, RUNTIME: 'runsc' },
    });
    await expect.poll(() => bench.containers(), { timeout: 40_000 }).not.toContain(id);
    expect(performance.now() - killed).toBeLessThan(30_000);
  });
});

it('a job has every capability in a user namespace of its own only where the engine filters no system calls', async () => {
  const script = 'unshare -U -r grep CapEff /proc/self/status';
  const container = await prepare({}, BUSYBOX_IMAGE);
  expect(await run(container, script, { shell: 'sh' })).toMatchObject({
    code: 0,
    output: expect.stringMatching(/f{8}$/m),
  });
  expect(container.confinement).toEqual({ runtime: 'runc', engine: [`seccomp ${profile}`] });
  const filtered = await run(await shared.prepare({ image: BUSYBOX_IMAGE }), script, { shell: 'sh' });
  expect(filtered.output).toMatch(/not permitted/);
});
