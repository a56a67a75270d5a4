import { expect, it, onTestFinished } from 'vitest';
import { begin } from '../../support/docker/workbench.ts';
import { BUSYBOX_IMAGE, clusterBench, JOB_IMAGE } from '../../support/kubernetes/cluster.ts';
import { watchStarts } from './started-programs.ts';

const bench = clusterBench();
const CANARY = 'canary-5e0d93b7a2';
const BASE64 = Buffer.from(CANARY).toString('base64').slice(0, -4);

it.each([
  ['bash', JOB_IMAGE],
  ['sh', BUSYBOX_IMAGE],
])('no value of a job stands on a command line in its pod: %s', async (shell, image) => {
  const container = await bench.prepare({
    image,
    credentials: { username: 'reader', password: CANARY },
    files: [
      { path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: CANARY },
      { path: '/PULUMI_ENV', mode: 0o600, content: `FIRST=${CANARY}\n` },
    ],
  });
  const status = ['get', 'pod', container.id, '--output', 'jsonpath={.status.containerStatuses[0].containerID}'];
  const identified = () => bench.kubectl(...status);
  await expect.poll(identified, { timeout: 20_000 }).toMatch(/^containerd:/);
  const endStarts = await watchStarts((await identified()).replace('containerd://', ''));
  onTestFinished(async () => void (await endStarts()));
  // What the step itself says stands on its own command line: the script's marker, and nothing of a value.
  const step = await begin(
    container,
    'test "$SECRET" = "$(cat /mnt/pulumi/pulumi.oidc)" && test ${#LONG} = 60000 && echo same; sleep 61.5',
    {
      shell,
      environment: {
        SECRET: CANARY,
        QUOTED: `it's "${CANARY}"\n$(echo ${CANARY})`,
        LONG: CANARY.repeat(4_000).slice(0, 60_000),
      },
    },
  );
  await step.shows('same');
  const started = await endStarts();
  // A process may be gone before its line is read.
  const read = 'cat /proc/[0-9]*/cmdline 2>/dev/null || true';
  const inPod = await bench.kubectl('exec', container.id, '--', 'sh', '-c', read);
  for (const lines of [started, inPod.replaceAll('\0', ' ')]) {
    // The step is among them.
    expect(lines).toContain('sleep 61.5');
    expect(lines).not.toContain(CANARY);
    expect(lines).not.toContain(BASE64);
  }
  await container.remove();
});
