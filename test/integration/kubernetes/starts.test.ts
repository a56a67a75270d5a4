import { expect, it } from 'vitest';
import { BUSYBOX_IMAGE, clusterBench, NEVER } from './cluster.ts';

const bench = clusterBench();
const ABSENT = 'example.test/nothing:1';

/** A template whose further containers share what is said here. */
const template = (spec: Readonly<Record<'initContainers' | 'containers', object[]>> | object) =>
  JSON.stringify({ spec });
const shell = (name: string, script: string, more: object = {}) => ({
  name,
  image: BUSYBOX_IMAGE,
  imagePullPolicy: 'Never',
  command: ['sh', '-c', script],
  ...more,
});

it('an init container that fails is named, and its pod can be looked at when pods are kept, without credentials', async () => {
  const failing = shell('setup', 'seq 20; echo no way out; exit 3');
  const target = bench.target({ keepPods: true, template: template({ initContainers: [failing] }) });
  const credentials = { username: 'reader', password: 'ca-na-ry' };
  const said: unknown = await bench.prepare({ credentials }, target).catch((error: unknown) => error);
  expect(said).toMatchObject({
    outcome: 'target-error',
    message: expect.stringMatching(
      /^Failed to start pod \S+ for the job: init container setup ended with exit code 3: 17 18 19 20 no way out(?: \(.*\))?\. Correct it in the pod template\. See kubectl logs /,
    ),
  });
  const [, logs = ''] = /See kubectl (.*)\.$/.exec(String(said)) ?? [];
  expect(await bench.kubectl(...logs.split(' '))).toMatch(/^1\n2\n.*\nno way out\n$/s);
  const [, describe = '', remove = ''] =
    /is kept for a look at it: kubectl (.*)\. Then remove it: kubectl (.*)\.$/.exec(bench.logged.join('\n')) ?? [];
  expect(await bench.kubectl(...describe.split(' '))).toMatch(/Exit Code: +3/);
  expect(await target.sweep(bench.labels, NEVER)).toEqual([]);
  expect(await bench.objects()).toEqual([expect.stringMatching(/^pod\//)]);
  await bench.kubectl(...remove.split(' '));
});

it('of one whose log may not be read, its termination message is said', async () => {
  const kubeconfig = await bench.accountWith([
    { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'delete'] },
    { apiGroups: [''], resources: ['podtemplates'], verbs: ['create', 'patch', 'delete'] },
  ]);
  const start = (policy: object) =>
    bench
      .prepare(
        {},
        bench.target({
          kubeconfig,
          template: template({ initContainers: [shell('setup', 'echo no way; exit 4', policy)] }),
        }),
      )
      .then(String, String);
  expect(await start({})).toMatch(
    /init container setup ended with exit code 4\. Correct it in the pod template\. PULUMI_AGENT_DEBUG_POD=true keeps such a pod, for kubectl logs\.$/,
  );
  expect(await start({ terminationMessagePolicy: 'FallbackToLogsOnError' })).toMatch(/exit code 4: no way\. Correct/);
});

it('an init container without its image fails at once, and by its own name', async () => {
  const absent = { ...shell('setup', 'true'), image: ABSENT };
  const target = bench.target({ template: template({ initContainers: [absent] }) });
  await expect(bench.prepare({}, target)).rejects.toMatchObject({
    outcome: 'target-error',
    message: expect.stringMatching(
      /^Failed to find image example\.test\/nothing:1 of init container setup for the job: .* or set imagePullPolicy in the pod template to IfNotPresent\.$/,
    ),
  });
});

it("of two that are refused, the job's own is named, with its own reason", async () => {
  const beside = { ...shell('beside', 'true'), image: 'Not/An/Image' };
  const target = bench.target({ imagePullPolicy: 'Never', template: template({ containers: [beside] }) });
  await expect(bench.prepare({ image: ABSENT }, target)).rejects.toMatchObject({
    outcome: 'target-error',
    message: expect.stringMatching(/^Failed to find image example\.test\/nothing:1 for the job: it is not on the node/),
  });
});

it('an init container that does not end is named when the time is up', async () => {
  const target = bench.target({
    startTimeoutMs: 4_000,
    template: template({ initContainers: [shell('setup', 'sleep 100')] }),
  });
  await expect(bench.prepare({}, target)).rejects.toMatchObject({
    outcome: 'target-error',
    message: expect.stringMatching(/it did not run within 4 s: init container setup has not ended/),
  });
});
