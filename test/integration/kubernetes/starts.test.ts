import { expect, it } from 'vitest';
import type { KubernetesExecutorOptions } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { BUSYBOX_IMAGE, clusterBench, JOB_IMAGE, NEVER, rule } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
const ABSENT = 'example.test/nothing:1';

const template = (spec: Readonly<Record<'initContainers' | 'containers', object[]>> | object) =>
  JSON.stringify({ spec });
const shell = (name: string, script: string, more: object = {}) => ({
  name,
  image: BUSYBOX_IMAGE,
  imagePullPolicy: 'Never',
  command: ['sh', '-c', script],
  ...more,
});

it('an init container that fails is named, and its pod can be kept for inspection without its credentials', async () => {
  const failing = shell('setup', 'exit 3');
  const executor = bench.target({ debugPod: true, podTemplate: template({ initContainers: [failing] }) });
  const credentials = { username: 'reader', password: 'ca-na-ry' };
  await expect(bench.prepare({ credentials }, executor)).rejects.toMatchObject({
    outcome: 'target-error',
    code: 'PRA-K8S-15',
    message: expect.stringMatching(
      /^Failed to start pod \S+ for the job: init container setup ended with exit code 3(?: \(.*\))?\. Correct it in the pod template\. See kubectl get events /,
    ),
  });
  const [, describe = '', remove = ''] =
    /is kept for inspection: kubectl (.*)\. Then remove it: kubectl (.*)\.$/.exec(bench.logged.join('\n')) ??
    [];
  expect(await bench.kubectl(...describe.split(' '))).toMatch(/Exit Code: +3/);
  expect(await executor.sweep(bench.labels, NEVER)).toEqual([]);
  expect(await bench.objects()).toEqual([expect.stringMatching(/^pod\//)]);
  await bench.kubectl(...remove.split(' '));
});

it('each kind of failed start has its own message, and leaves nothing', async () => {
  const kubeconfig = await bench.accountWith([
    rule('pods', 'create', 'get', 'delete'),
    rule('podtemplates', 'create', 'patch', 'delete'),
  ]);
  const mute = shell('setup', 'echo no way; exit 4');
  const told = { ...mute, terminationMessagePolicy: 'FallbackToLogsOnError' };
  const absent = { ...mute, image: ABSENT };
  const endless = shell('setup', 'sleep 100');
  const invalid = { ...shell('beside', 'true'), image: 'Not/An/Image' };
  const cases: readonly [
    spec: object,
    options: Partial<KubernetesExecutorOptions>,
    image: string,
    said: RegExp,
  ][] = [
    [
      { initContainers: [mute] },
      { kubeconfig },
      JOB_IMAGE,
      /: init container setup ended with exit code 4\. .* PULUMI_AGENT_DEBUG_POD=true keeps such a pod, for kubectl logs\.$/,
    ],
    [{ initContainers: [told] }, { kubeconfig }, JOB_IMAGE, /ended with exit code 4: no way\. Correct/],
    [
      { initContainers: [absent] },
      {},
      JOB_IMAGE,
      /^Failed to find image example\.test\/nothing:1 of init container setup for the job: .* or set imagePullPolicy in the pod template to IfNotPresent\.$/,
    ],
    [
      { initContainers: [endless] },
      { podStartTimeoutMs: 4_000 },
      JOB_IMAGE,
      /it did not run within 4 s: init container setup has not ended/,
    ],
    // If two are refused, the job's own is named, with its own reason.
    [
      { containers: [invalid] },
      { imagePullPolicy: 'Never' },
      ABSENT,
      /^Failed to find image example\.test\/nothing:1 for the job: it is not on the node/,
    ],
  ];
  const starts = cases.map(async ([spec, options, image, said]) => {
    const executor = bench.target({ ...options, podTemplate: template(spec) });
    const message = expect.stringMatching(said);
    // Tried again, as some cases need the container to have started in time.
    await expect
      .poll(() => bench.prepare({ image }, executor).catch((error: unknown) => error), { timeout: 60_000 })
      .toMatchObject({ outcome: 'target-error', message });
  });
  await Promise.all(starts);
  expect(await bench.objects()).toEqual([]);
});
