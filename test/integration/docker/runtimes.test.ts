import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Containment } from '../../../src/executor/docker/docker-executor.ts';
import { BUSYBOX_IMAGE, docker, JOB_IMAGE } from '../../support/docker/images.ts';
import { copyImage, type OwnEngine, startOwnEngine } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

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
  folder = await mkdtemp(join(tmpdir(), 'runtimes-'));
  for (const name of ['generous', 'sysbox-runc']) {
    await writeFile(join(folder, name), GENEROUS);
    await chmod(join(folder, name), 0o755);
  }
  const programs = { generous: join(folder, 'generous'), 'sysbox-runc': join(folder, 'sysbox-runc') };
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
    const check = (containerRuntime: string) =>
      shared.newExecutor({ containment: { containerRuntime } }).check(NEVER);
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

/** The engine's filter of system calls, by its own name: Docker 20.10's and that of newer ones. */
const FILTERED = /seccomp (default|builtin)/;

describe('the runtime that is configured', () => {
  it('is the one that the engine made the container with, and runs whole jobs', async () => {
    const lines: string[] = [];
    const target = shared.newExecutor({ containment: { containerRuntime: SHIM } });
    const container = await shared.prepare({}, target, lines);
    expect((await docker.getContainer(container.id).inspect()).HostConfig.Runtime).toBe(SHIM);
    expect(container.confinement).toMatchObject({
      runtime: SHIM,
      engine: expect.arrayContaining([expect.stringMatching(FILTERED)]),
    });
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^Confined by ${SHIM}, .*${FILTERED.source}`)),
    );
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
    const container = await prepare({ containerRuntime: 'sysbox-runc' });
    expect((await run(container, 'grep CapBnd /proc/self/status')).output).toBe(
      'CapBnd:\t00000000800000fb\n',
    );
    // Its files go in and out as under each runtime that isn't known to show them.
    await expectWholeJob(container, 'bash');
  });
});

it('a job has every capability in a user namespace of its own only where the engine filters no system calls', async () => {
  const script = 'unshare -U -r grep CapEff /proc/self/status';
  const container = await prepare({}, BUSYBOX_IMAGE);
  expect(await run(container, script, { shell: 'sh' })).toMatchObject({
    code: 0,
    output: expect.stringMatching(/f{8}$/m),
  });
  expect(container.confinement).toMatchObject({
    runtime: 'runc',
    engine: expect.arrayContaining([`seccomp ${profile}`]),
  });
  const filtered = await run(await shared.prepare({ image: BUSYBOX_IMAGE }), script, { shell: 'sh' });
  expect(filtered.output).toMatch(/not permitted/);
});
