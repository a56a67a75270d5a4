import { afterEach, expect, it } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { runAgent } from '../network/agent.ts';
import { enqueueSteps } from '../network/job.ts';
import { BUSYBOX_IMAGE, clusterBench, JOB_IMAGE, NEVER } from './cluster.ts';
import { type Nginx, startNginx, UPGRADE } from './nginx.ts';

const bench = clusterBench();
const started: Nginx[] = [];
afterEach(async () => {
  for (const nginx of started.splice(0)) await nginx.stop();
});

async function throughNginx(lines?: readonly string[]) {
  const nginx = await startNginx(bench.kubeconfig, lines);
  started.push(nginx);
  return { nginx, kubeconfig: await bench.kubeconfigWith(nginx.change) };
}

it.each([
  ['bash', JOB_IMAGE],
  ['sh', BUSYBOX_IMAGE],
])('a job runs through an nginx with its default buffers, over a cut too: %s', async (shell, image) => {
  const { nginx, kubeconfig } = await throughNginx();
  const target = bench.target({ kubeconfig });
  expect(await target.check(NEVER)).toContain(bench.namespace);
  const files = [
    { path: '/PULUMI_ENV', mode: 0o600, content: 'FIRST=1\n' },
    { path: '/mnt/pulumi/pulumi.oidc', mode: 0o600, content: 'a token' },
  ];
  const container = await bench.prepare({ image, files }, target);
  const workingDirectory = `/tmp/${'folder/'.repeat(30)}`;
  expect(await run(container, `mkdir -p ${workingDirectory}; echo SECOND=2 >>/PULUMI_ENV`, { shell })).toMatchObject({
    code: 0,
  });
  expect(await container.readEnvironmentFile(NEVER)).toBe('FIRST=1\nSECOND=2\n');
  const environment = { LONG: 'x'.repeat(100_000), QUOTED: `it's "a"\n$(id)` };
  const read = 'cat /mnt/pulumi/pulumi.oidc; pwd; echo "$QUOTED ${#LONG}"; cat; exit 3';
  expect(await run(container, read, { shell, workingDirectory, environment })).toMatchObject({
    code: 3,
    output: `a token${workingDirectory.slice(0, -1)}\nit's "a"\n$(id) 100000\n`,
  });

  const trap = "trap 'echo interrupted; exit 9' INT; echo ready; while :; do sleep 0.1; done";
  const step = await begin(container, trap, { shell });
  await step.shows('ready\n');
  await nginx.restart();
  await step.signal('SIGINT');
  expect(await step.exit).toMatchObject({ code: 9 });
  expect(step.output()).toBe('ready\ninterrupted\n');
  await container.remove();
  expect(await bench.objects()).toEqual([]);

  const longest = (await nginx.requests()).split('\n').map((line) => line.length);
  expect(Math.max(...longest)).toBeLessThan(2_048);
  // nginx shows what it let through: the job's own streams among it.
  expect(await nginx.requests()).toMatch(new RegExp(`GET \\S+/pods/${container.id}/exec\\S+ 101`));
});

it('a deployment comes through it from its claim to its end', async () => {
  const { kubeconfig } = await throughNginx();
  const cloud = await PulumiCloud.start({ organization: 'acme', pools: [{ id: 'pool-1', name: 'private' }] });
  try {
    const deployment = enqueueSteps(cloud, { One: 'echo A=b >>/PULUMI_ENV', Two: 'echo "a is $A"' });
    const run = await runAgent({
      PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes',
      PULUMI_AGENT_KUBECONFIG: kubeconfig,
      PULUMI_AGENT_NAMESPACE: bench.namespace,
    });
    expect(run, run.log).toMatchObject({ code: 0, result: { outcome: 'succeeded' } });
    expect(deployment.steps[2]?.lines.map(({ l }) => l).join('')).toBe('a is b\n');
  } finally {
    await cloud.stop();
  }
});

it.each([
  ['takes WebSockets for something else', [], /answered 200 in its place/],
  [
    'takes short request lines only',
    [...UPGRADE, 'connection_pool_size 256;', 'client_header_buffer_size 400;', 'large_client_header_buffers 4 400;'],
    /answered 414 in its place \(.*Request-URI Too Large/,
  ],
  [
    'bars the way into pods',
    [...UPGRADE, 'if ($uri ~ /exec$) { return 404; }'],
    /answered 404 in its place \(.*404 Not Found/,
  ],
])('a proxy that %s is found before any claim', async (_, lines, why) => {
  const { kubeconfig } = await throughNginx(lines);
  const checked = bench.target({ kubeconfig }).check(NEVER);
  await expect(checked).rejects.toMatchObject({ outcome: 'target-error' });
  await expect(checked).rejects.toThrow(
    /^Failed to try an exec request for the job: a proxy or an ingress before the API server answered .*\. Have it let WebSockets and request lines of 2 KiB through, /,
  );
  await expect(checked).rejects.toThrow(why);
});
