import { expect, it } from 'vitest';
import { begin, run } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER } from './cluster.ts';

const bench = clusterBench();
const targetError = (message: RegExp) => ({ outcome: 'target-error', message: expect.stringMatching(message) });
const failed = (message: RegExp) => ({ outcome: 'failed', message: expect.stringMatching(message) });
const thrown = (doing: Promise<unknown>) => doing.catch((error: unknown) => error);
const check = () => thrown(bench.target().check(NEVER));

it('an image that must be there already', async () => {
  const target = bench.target({ imagePullPolicy: 'Never' });
  await expect(bench.prepare({ image: 'example.test/nothing:1' }, target)).rejects.toMatchObject(
    targetError(/it is not on the node, and the pull policy is Never/),
  );
});

it('a pod that no node takes', async () => {
  const target = bench.target({ startTimeoutMs: 3_000, memory: '900Gi' });
  // Once the scheduler has got to it in time.
  await expect
    .poll(() => thrown(bench.prepare({}, target)), { timeout: 60_000 })
    .toMatchObject(
      targetError(
        /^Failed to schedule pod \S+ for the job: no node took it within 3 s: .*Insufficient memory.*Add nodes/,
      ),
    );
  expect(await bench.objects()).toEqual([]);
});

it('a step that takes more memory than its pod has', async () => {
  const container = await bench.prepare({}, bench.target({ memory: '64Mi' }));
  const fill = 'head -c 200000000 /dev/zero | tail | wc -c';
  expect(await run(container, `set -o pipefail; ${fill}`)).toMatchObject({ code: 137, outOfMemory: true });
  expect(await run(container, 'echo on')).toMatchObject({ code: 0, outOfMemory: false });
});

it('a pod that somebody deletes: its step is interrupted, and the loss has its reason', async () => {
  const container = await bench.prepare();
  const step = await begin(
    container,
    'trap "echo in order; sleep 0.5; exit 3" INT; echo ready; while :; do sleep 0.1; done',
  );
  await step.shows('ready');
  await bench.kubectl('delete', 'pod', container.id, '--wait=false');
  await expect(step.exit).rejects.toMatchObject(
    failed(/^Failed to finish the step in pod \S+: the pod (is being|was) deleted by somebody/),
  );
  expect(step.output()).toBe('ready\nin order\n');
  await container.remove();
});

it('a pod that somebody deletes before it runs', async () => {
  const preparing = thrown(bench.prepare({}, bench.target({ memory: '900Gi' })));
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toHaveLength(1);
  await bench.kubectl('delete', 'pods', '--all');
  expect(await preparing).toMatchObject(
    targetError(/^Failed to start pod \S+ for the job: the pod (is being|was) deleted by somebody.*Look for/),
  );
});

it('a pod that somebody deletes under a step that is being interrupted: it is interrupted once', async () => {
  const container = await bench.prepare();
  const step = await begin(
    container,
    'n=0; trap "n=\\$((n + 1)); echo int \\$n" INT; echo ready; for i in $(seq 60); do sleep 0.1; done; exit 3',
  );
  await step.shows('ready');
  await step.signal('SIGINT');
  await step.shows('int 1');
  await bench.kubectl('delete', 'pod', container.id, '--wait=false');
  await expect(step.exit).rejects.toMatchObject(failed(/the pod (is being|was) deleted by somebody/));
  expect(step.output()).toBe('ready\nint 1\n');
  await container.remove();
});

it('a pod that is killed under its step', async () => {
  const container = await bench.prepare();
  const step = await begin(container, 'echo ready; sleep 60');
  await step.shows('ready');
  await bench.kubectl('delete', 'pod', container.id, '--grace-period=0', '--force', '--wait=false');
  await expect(step.exit).rejects.toMatchObject(
    failed(/^Failed to finish the step in pod \S+: the pod (is being|was) deleted by somebody.*Look for/),
  );
  await container.remove();
});

it('a quota that is used up', async () => {
  await bench.apply({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'none' },
    spec: { hard: { pods: '0' } },
  });
  const refused = /the namespace's quota is used up: .*exceeded quota: none.* Raise the ResourceQuota/;
  await expect.poll(check, { timeout: 20_000 }).toMatchObject(targetError(refused));
  await expect(bench.prepare()).rejects.toMatchObject(targetError(refused));
  expect(await bench.objects()).toEqual([]);
});

it('a quota that counts what the pod does not say', async () => {
  await bench.apply({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'counted' },
    spec: { hard: { 'limits.cpu': '4' } },
  });
  const refused = /the namespace's quota wants to know what the pod takes: .*must specify limits\.cpu.* Set num-cpus/;
  await expect.poll(check, { timeout: 20_000 }).toMatchObject(targetError(refused));
  await bench.target({ cpus: '1' }).check(NEVER);
});

it('an admission rule', async () => {
  await bench.kubectl('label', 'namespace', bench.namespace, 'pod-security.kubernetes.io/enforce=restricted');
  try {
    expect(await check()).toMatchObject(
      targetError(/an admission rule of the cluster refused it: .*violates PodSecurity "restricted/),
    );
  } finally {
    await bench.kubectl('label', 'namespace', bench.namespace, 'pod-security.kubernetes.io/enforce-');
  }
});

it('a rule for images is asked with the image that is set', async () => {
  const name = bench.namespace;
  const api = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name } };
  const matchLabels = { 'kubernetes.io/metadata.name': bench.namespace };
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }];
  const expression = "object.spec.containers.all(c, c.image.startsWith('registry.internal.example/'))";
  const spec = { matchConstraints: { resourceRules }, validations: [{ expression, message: 'images are ours' }] };
  await bench.apply({ ...api, kind: 'ValidatingAdmissionPolicy', spec });
  const matchResources = { namespaceSelector: { matchLabels } };
  const binding = { policyName: name, validationActions: ['Deny'], matchResources };
  await bench.apply({ ...api, kind: 'ValidatingAdmissionPolicyBinding', spec: binding });
  try {
    await expect
      .poll(check, { timeout: 30_000 })
      .toMatchObject(targetError(/an admission rule of the cluster refused it: .*images are ours/));
    await bench.target({ image: 'registry.internal.example/job:1' }).check(NEVER);
  } finally {
    await bench.kubectl('delete', 'validatingadmissionpolicybinding,validatingadmissionpolicy', name);
  }
});

it('permissions that are missing, with the rule to add', async () => {
  const nothing = await bench.accountWith([]);
  await expect(bench.target({ kubeconfig: nothing }).check(NEVER)).rejects.toMatchObject(
    targetError(
      new RegExp(
        `may not create pods in namespace ${bench.namespace}\\. Add the rule \\{apiGroups: \\[""\\], resources: \\["pods"\\], verbs: \\["create"\\]\\}`,
      ),
    ),
  );
  const noExec = await bench.accountWith([
    { apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'list', 'delete'] },
  ]);
  await expect(bench.prepare({}, bench.target({ kubeconfig: noExec }))).rejects.toMatchObject(
    targetError(
      /may not get pods\/exec in namespace \S+\. Add the rule .*resources: \["pods\/exec"\], verbs: \["get"\]/,
    ),
  );
  expect(await bench.objects()).toEqual([]);
});

it('credentials that the cluster does not know', async () => {
  const stranger = await bench.kubeconfigWith((text) => text.replace(/token: "\w+"/, 'token: "unknown"'));
  await expect(bench.target({ kubeconfig: stranger }).check(NEVER)).rejects.toMatchObject(
    targetError(/does not accept these credentials/),
  );
});

it('an API server that is not there', async () => {
  const nowhere = await bench.kubeconfigWith((text) =>
    text.replace(/server: "[^"]+"/, 'server: "https://127.0.0.1:1"'),
  );
  await expect(bench.target({ kubeconfig: nowhere }).check(NEVER)).rejects.toMatchObject(
    targetError(/^Failed to reach the Kubernetes API server at https:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/),
  );
});

it('a kubeconfig without the context that is asked for', async () => {
  await expect(bench.target({ context: 'other' }).check(NEVER)).rejects.toMatchObject(
    targetError(/no context "other" with a cluster \(it has test\)/),
  );
});

it('an abort while the pod is waited for leaves nothing', async () => {
  const stop = new AbortController();
  const target = bench.target({ memory: '900Gi' });
  const preparing = target.prepare(bench.spec(), async () => undefined, stop.signal);
  preparing.catch(() => undefined);
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toHaveLength(1);
  stop.abort(new Error('stopped'));
  await expect(preparing).rejects.toThrow('stopped');
  expect(await bench.objects()).toEqual([]);
});
