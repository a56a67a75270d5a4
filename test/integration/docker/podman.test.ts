import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type EngineService, startEngineService } from '../../support/docker/engine-service.ts';
import { BUSYBOX_IMAGE, JOB_IMAGE } from '../../support/docker/images.ts';
import { orphan } from '../../support/docker/orphan.ts';
import { copyImage } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';
import { proxyAddressOf } from '../../support/pulumi-agent/proxy-address.ts';
import { openPrivateNetwork } from '../network/namespace.ts';

const SCRIPT = join(import.meta.dirname, '../../../scripts/podman');
const environment: Record<string, string> = {};
// A network of its own keeps Podman's bridges and rules apart from the Docker Engine's.
const network = openPrivateNetwork();
let folder: string;
let podman: EngineService;
const bench = workbench({ environment, docker: () => podman.docker });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'podman-'));
  const command = ['nsenter', `--net=/run/netns/${network.name}`, SCRIPT, 'serve', folder] as const;
  podman = await startEngineService(command, join(folder, 'podman.sock'));
  environment['DOCKER_HOST'] = podman.url;
  for (const image of [JOB_IMAGE, BUSYBOX_IMAGE]) await copyImage(image, podman.url);
});
afterAll(async () => {
  // Stopping Podman leaves its conmon processes, which end with their containers.
  for (const { Id } of await podman.docker.listContainers({ all: true }))
    await podman.docker.getContainer(Id).remove({ force: true });
  await podman.stop();
  network.close();
  // Podman may leave its store behind as a mount.
  await promisify(execFile)('umount', [join(folder, 'graph', 'overlay')]).catch(() => undefined);
  await rm(folder, { recursive: true, force: true });
});

it('Podman is reported as Podman', async () => {
  expect(await bench.target.check(NEVER)).toMatch(/^Podman \d+\.\d+\.\d+ \(API 1\.\d+, linux\) at unix:\/\//);
});

it('Podman says what it confines jobs with, and refuses a runtime before any job is claimed', async () => {
  expect(await bench.target.confinement?.(NEVER)).toMatchObject({
    confinement: { engine: [expect.stringMatching(/^seccomp/)] },
    warnings: [],
  });
  await expect(bench.newExecutor({ containment: { containerRuntime: 'crun' } }).check(NEVER)).rejects.toThrow(
    /Podman \S+ .* does not support container_runtime\. Set runtime in containers\.conf instead\.$/,
  );
  const { warnings } = await bench.prepare({}, bench.newExecutor({ containment: { allowMetadata: false } }));
  expect(warnings).toEqual([expect.stringContaining("Podman doesn't assign that address to the container")]);
});

it('no relay can stand in front of Podman', async () => {
  expect(await proxyAddressOf(environment)).toEqual({
    obstacle: 'jobs run in Podman, whose network has another address on this machine',
  });
});

it.each([
  [JOB_IMAGE, 'bash'],
  [BUSYBOX_IMAGE, 'sh'],
])('Podman runs a whole job in %s', async (image, shell) => {
  const container = await bench.prepare({ image });
  expect(container.imageDigest).toContain('sha256:');
  await expectWholeJob(container, shell);
  expect(await bench.containers()).toEqual([]);
});

it('Podman ends the container when the agent is killed', async () => {
  await orphan('echo up; sleep 600', { image: JOB_IMAGE, labels: bench.labels, environment });
  expect(await bench.containers()).toHaveLength(1);
  const deadline = performance.now() + 40_000;
  while ((await bench.containers()).length > 0 && performance.now() < deadline) await sleep(100);
  expect(await bench.containers()).toEqual([]);
  // Nothing has removed its network; the next agent's sweep does.
  expect(await bench.target.sweep(bench.labels, NEVER)).toEqual([expect.stringMatching(/^Removed network /)]);
});

it('Podman does not block the metadata service, and the log says so', async () => {
  const lines: string[] = [];
  const container = await bench.prepare({}, bench.target, lines);
  const { output } = await run(container, 'grep -c 169.254.169.254 /proc/net/fib_trie');
  expect(output).toBe('0\n');
  expect(lines.join('\n')).toContain(
    "The cloud's metadata address 169.254.169.254 is not blocked: Podman doesn't assign that address to the container.",
  );
  await container.remove();
  expect(await bench.networks()).toEqual([]);
});
