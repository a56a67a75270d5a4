import { expect, it } from 'vitest';
import { begin } from '../../support/docker/workbench.ts';
import { clusterBench } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
/** Far from any end of these tests. */
const TIMEOUT = { timeoutMs: 3_600_000 };
const phase = (pod: string) =>
  bench.kubectl('get', 'pod', pod, '--output=jsonpath={.status.phase} {.status.reason}');

/** Lowers the pod's deadline to 10 seconds from now; Kubernetes counts it from the pod's start. */
async function lowerDeadline(pod: string): Promise<void> {
  const started = await bench.kubectl('get', 'pod', pod, '--output=jsonpath={.status.startTime}');
  const age = (Date.now() - Date.parse(started)) / 1000;
  const patch = { spec: { activeDeadlineSeconds: Math.ceil(age) + 10 } };
  await bench.kubectl('patch', 'pod', pod, '--patch', JSON.stringify(patch));
}

it('a job that forges its agent’s heartbeats and ignores every signal ends at its pod’s deadline', async () => {
  const { way, kubeconfig } = await bench.breakable();
  const target = bench.target({ kubeconfig, leaseSeconds: 8, cancelGracePeriodMs: 1_000 });
  const container = await bench.prepare(TIMEOUT, target);
  const forge =
    'trap "" HUP INT TERM; echo on; while :; do echo "$((n += 1))" >/mnt/pulumi-runner/beat; sleep 1; done';
  const step = await begin(container, forge);
  step.exit.catch(() => undefined);
  await step.shows('on');
  way.refuse();
  await lowerDeadline(container.id);
  const running = () => phase(container.id);
  // A node under load can lose its container runtime for a minute.
  await expect.poll(running, { timeout: 200_000, interval: 1_000 }).toBe('Failed DeadlineExceeded');
});

it('a step whose pod’s deadline strikes is interrupted first, and its error names the deadline', async () => {
  const container = await bench.prepare(TIMEOUT);
  const script = 'trap "echo in order; sleep 2; exit 3" INT; echo ready; while :; do sleep 0.1; done';
  const step = await begin(container, script);
  await step.shows('ready');
  await lowerDeadline(container.id);
  await expect(step.exit).rejects.toMatchObject({
    outcome: 'failed',
    message: expect.stringMatching(
      /: the pod was active for longer than its activeDeadlineSeconds: Pod was active on the node longer than .* If the pod template sets that, raise it\./,
    ),
  });
  expect(step.output()).toBe('ready\nin order\n');
  await container.remove();
});

it('a template’s own deadline, or none, takes the place of the agent’s', async () => {
  const deadline = async (template?: string) => {
    const options =
      template === undefined ? {} : { podTemplate: `spec: {activeDeadlineSeconds: ${template}}` };
    const container = await bench.prepare({ timeoutMs: 60_000 }, bench.target(options));
    const seconds = await bench.kubectl(
      'get',
      'pod',
      container.id,
      '--output=jsonpath={.spec.activeDeadlineSeconds}',
    );
    await container.remove();
    return seconds;
  };
  expect(await Promise.all([deadline(), deadline('7200'), deadline('null')])).toEqual(['970', '7200', '']);
});
