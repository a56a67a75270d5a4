import { expect, it } from 'vitest';
import { chartRules } from '../../support/kubernetes/chart.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';

const RULES = await chartRules();
const TEMPLATE = 'metadata: {labels: {team: platform}}';
/** A pod that never runs, as the kubelet soon reports. */
const ABSENT = { image: 'example.test/nothing:1' };
/** A pod that no node takes; the scheduler's event says why. */
const TOO_LARGE = { memoryBytes: 900 * 1024 ** 3, podStartTimeoutMs: 2_000 };
const credentials = { username: 'reader', password: 'ca-na-ry' };

const bench = clusterBench();

/** A kubeconfig for an account with the Role, less some verbs, named like `pods list`. */
const without = (...missing: string[]) =>
  bench.accountWith(
    RULES.map((rule) => ({
      ...rule,
      verbs: rule.verbs.filter((verb) => !missing.includes(`${rule.resources[0]} ${verb}`)),
    })).filter(({ verbs }) => verbs.length > 0),
  );

it('the chart’s Role grants what doctor asks for, and nothing else', () => {
  const granted = RULES.flatMap(({ resources, verbs }) => verbs.map((verb) => `${resources[0]} ${verb}`));
  const asked = bench
    .target({ podTemplate: TEMPLATE })
    .permissions?.()
    .flatMap(({ resource, needed, useful }) => [...needed, ...useful].map((verb) => `${resource} ${verb}`));
  expect(granted.toSorted()).toEqual(asked?.toSorted());
});

it('the chart’s Role is enough for a pull secret, a template, the events of a failure and a sweep', async () => {
  const executor = bench.target({ kubeconfig: await without(), podTemplate: TEMPLATE, ...TOO_LARGE });
  await executor.check(NEVER);
  const refused = () => bench.prepare({ credentials }, executor).then(String, String);
  // True once the scheduler gets to it in time.
  await expect
    .poll(refused, { timeout: 60_000 })
    .toMatch(
      /^ContainerError: Failed to schedule pod \S+ for the job: no node took it within 2 s: .*Insufficient memory.*FailedScheduling.*Add nodes/,
    );
  expect(await executor.sweep(bench.labels, NEVER)).toEqual([]);
  expect(bench.logged).toEqual([]);
  expect(await bench.objects()).toEqual([]);
});

it('without rights to remove pull secrets, the job says what stays', async () => {
  const kubeconfig = await without('secrets delete', 'secrets list');
  const executor = bench.target({ kubeconfig, imagePullPolicy: 'Never', stopTimeoutMs: 2_000 });
  await expect(bench.prepare({ ...ABSENT, credentials }, executor)).rejects.toThrow(/it is not on the node/);
  expect(bench.logged.join()).toMatch(/cannot delete resource "secrets"/);
  await expect(executor.sweep(bench.labels, NEVER)).rejects.toThrow(/can't list secrets/);
});
