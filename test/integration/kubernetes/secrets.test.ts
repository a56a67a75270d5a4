import { expect, it } from 'vitest';
import { run } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER, rule } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
const CANARY = 'canary-8f2c61d07b';

it('a value goes on a command line only when no shell can export its name, and credentials go in a pull secret', async () => {
  const container = await bench.prepare({ credentials: { username: 'reader', password: CANARY } });
  const environment = { SECRET: CANARY, 'acme.stage-2': 'green' };
  const step = await run(container, 'env | grep -o acme.stage-2=green; echo $SECRET', { environment });
  expect(step.output).toBe(`acme.stage-2=green\n${CANARY}\n`);
  // This variable went through a command line, and nothing else did.
  expect(bench.logged.filter((line) => line.includes('a command line'))).toEqual([
    expect.stringMatching(
      /^warning No shell can export "acme\.stage-2", so each value is briefly on a command line/,
    ),
  ]);
  expect(bench.logged.join()).not.toContain('green');
  const { type, data } = JSON.parse(await bench.kubectl('get', `secret/${container.id}`, '--output', 'json'));
  expect(type).toBe('kubernetes.io/dockerconfigjson');
  const auth = Buffer.from(`reader:${CANARY}`).toString('base64');
  expect(JSON.parse(Buffer.from(data['.dockerconfigjson'], 'base64').toString())).toEqual({
    auths: { 'https://index.docker.io/v1/': { username: 'reader', password: CANARY, auth } },
  });
  await container.remove();
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toEqual([]);
});

it('a pull secret that its pod does not own is removed even when the pod can’t be', async () => {
  const verbs = ['create', 'get', 'list'];
  const rules = [rule('pods', ...verbs), rule('pods/exec', ...verbs), rule('secrets', 'create', 'delete')];
  const executor = bench.target({ kubeconfig: await bench.accountWith(rules) });
  const container = await bench.prepare({ credentials: { username: 'reader', password: CANARY } }, executor);
  expect(await bench.objects()).toHaveLength(2);
  await expect(container.remove()).rejects.toThrow(/^Failed to remove pod .*cannot delete resource "pods"/);
  expect(await bench.objects()).toEqual([`pod/${container.id}`]);
});

it('a sweep removes what carries the labels, and nothing else', async () => {
  const mine = {
    'pulumi-runner.ci-run': 'acme/infrastructure/actions/runs/1',
    'pulumi-runner.owner-pid': '7',
  };
  const theirs = { ...mine, 'pulumi-runner.owner-pid': '8' };
  const executor = bench.target();
  const [one, two] = await Promise.all([
    bench.prepare({ labels: mine, credentials: { username: 'reader', password: CANARY } }, executor),
    bench.prepare({ labels: theirs }, executor),
  ]);
  await expect(executor.sweep({}, NEVER)).rejects.toThrow();
  expect(await executor.sweep({ ...mine, 'pulumi-runner.owner-host': 'other' }, NEVER)).toEqual([]);
  expect(await executor.sweep(mine, NEVER, { only: () => false })).toEqual([]);
  const only = (labels: Readonly<Record<string, string>>) =>
    labels['pulumi-runner.ci-run'] === mine['pulumi-runner.ci-run'];
  expect(await executor.sweep(mine, NEVER, { only, graceMs: 60_000 })).toContain(`Removed pod ${one.id}.`);
  expect(await bench.objects()).toEqual([`pod/${two.id}`]);
  await one.remove();
  await two.remove();
});
