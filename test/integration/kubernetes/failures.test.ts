import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { begin, run } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER, rule } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();
const targetError = (message: RegExp) => ({
  outcome: 'target-error',
  message: expect.stringMatching(message),
});
const failed = (message: RegExp) => ({ outcome: 'failed', message: expect.stringMatching(message) });
const thrown = (doing: Promise<unknown>) => doing.catch((error: unknown) => error);
const check = () => thrown(bench.target().check(NEVER));

it('a step that takes more memory than its pod has is killed, and the next one runs', async () => {
  const container = await bench.prepare({}, bench.target({ memoryBytes: 64 * 1024 ** 2 }));
  const fill = 'head -c 200000000 /dev/zero | tail | wc -c';
  expect(await run(container, `set -o pipefail; ${fill}`)).toMatchObject({ code: 137, outOfMemory: true });
  expect(await run(container, 'echo on')).toMatchObject({ code: 0, outOfMemory: false });
});

it('a pod that is deleted before it runs fails the start, and the error says so', async () => {
  const preparing = thrown(bench.prepare({}, bench.target({ memoryBytes: 900 * 1024 ** 3 })));
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toHaveLength(1);
  await bench.kubectl('delete', 'pods', '--all');
  expect(await preparing).toMatchObject(
    targetError(
      /^Failed to start pod \S+ for the job: the pod (is being|was) deleted from outside.*Look for/,
    ),
  );
});

it('a step that is being interrupted is not interrupted again when its pod is deleted', async () => {
  // More time for its step to end than the pod gives by default here.
  const container = await bench.prepare({}, bench.target({ cancelGracePeriodMs: 30_000 }));
  const step = await begin(
    container,
    'n=0; trap "n=\\$((n + 1)); echo int \\$n" INT; echo ready; until [ -e /tmp/go ]; do sleep 0.1; done; for i in $(seq 30); do sleep 0.1; done; exit 3',
  );
  await step.shows('ready');
  await step.signal('SIGINT');
  await step.shows('int 1');
  await bench.kubectl('delete', 'pod', container.id, '--wait=false');
  await bench.kubectl('exec', container.id, '--', 'touch', '/tmp/go');
  await expect(step.exit).rejects.toMatchObject(failed(/the pod (is being|was) deleted from outside/));
  expect(step.output()).toBe('ready\nint 1\n');
  await container.remove();
});

const quota = (hard: Readonly<Record<string, string>>) =>
  bench.apply({ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'few' }, spec: { hard } });

it('a quota that is used up fails check and job, and the error says what to raise', async () => {
  await quota({ pods: '0' });
  const refused = /the namespace's quota is used up: .*exceeded quota: few.* Raise the ResourceQuota/;
  await expect.poll(check, { timeout: 20_000 }).toMatchObject(targetError(refused));
  await expect(bench.prepare()).rejects.toMatchObject(targetError(refused));
  expect(await bench.objects()).toEqual([]);
});

it('a quota on resources that the pod does not state fails the check, and the error says what to set', async () => {
  await quota({ 'limits.cpu': '4' });
  const refused =
    /the namespace's quota requires the pod to state its resources: .*must specify limits\.cpu.* Set num-cpus/;
  await expect.poll(check, { timeout: 20_000 }).toMatchObject(targetError(refused));
  await bench.target({ numCpus: 1 }).check(NEVER);
});

it('a probe passes with the permissions of a job while the API server answers and accepts the credentials', async () => {
  const { way, kubeconfig } = await bench.breakable();
  const probe = (path: string) => bench.target({ kubeconfig: path }).probe(NEVER);
  await probe(await bench.accountWith([rule('pods', 'create', 'get', 'delete'), rule('pods/exec', 'get')]));
  await probe(kubeconfig);
  way.refuse();
  await expect(probe(kubeconfig)).rejects.toMatchObject(
    targetError(/Failed to reach the Kubernetes API server/),
  );
  way.open();
  await probe(kubeconfig);
  const mute = createServer((socket) => void socket.resume());
  onTestFinished(() => void mute.close());
  await once(mute.listen(0, '127.0.0.1'), 'listening');
  const { port } = mute.address() as AddressInfo;
  const nobody = await bench.kubeconfigWith((text) =>
    text.replace(/server: "[^"]+"/, `server: "https://127.0.0.1:${port}"`),
  );
  await expect(probe(nobody)).rejects.toMatchObject(targetError(/no answer within 5 s/));
  const expired = await bench.kubeconfigWith((text) => text.replace(/token: "\w+"/, 'token: "expired"'));
  await expect(probe(expired)).rejects.toMatchObject(targetError(/does not accept these credentials/));
  await expect(probe(await bench.accountWith([rule('pods', 'create')]))).rejects.toMatchObject(
    targetError(/can't get pods in namespace \S+\. Add the rule/),
  );
});

it('a permission that is missing is reported with the rule to add', async () => {
  const noExec = await bench.accountWith([rule('pods', 'create', 'get', 'list', 'delete')]);
  await expect(bench.prepare({}, bench.target({ kubeconfig: noExec }))).rejects.toMatchObject(
    targetError(
      /can't get pods\/exec in namespace \S+\. Add the rule .*resources: \["pods\/exec"\], verbs: \["get"\]/,
    ),
  );
  expect(await bench.objects()).toEqual([]);
});

it.each([
  ['token: "\\w+"', 'token: "unknown"', /does not accept these credentials/],
  [
    'server: "[^"]+"',
    'server: "https://127.0.0.1:1"',
    /^Failed to reach the Kubernetes API server at .*ECONNREFUSED/,
  ],
  ['current-context: .*', 'current-context: other', /no context "other" with a cluster \(it has test\)/],
])('a kubeconfig that leads nowhere fails the check: %s is %s', async (pattern, value, why) => {
  const kubeconfig = await bench.kubeconfigWith((text) => text.replace(new RegExp(pattern), value));
  await expect(bench.target({ kubeconfig }).check(NEVER)).rejects.toMatchObject(targetError(why));
});

it('an abort while waiting for the pod leaves nothing', async () => {
  const stop = new AbortController();
  const target = bench.target({ memoryBytes: 900 * 1024 ** 3 });
  const preparing = target.prepare(bench.spec(), async () => undefined, stop.signal);
  preparing.catch(() => undefined);
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toHaveLength(1);
  stop.abort(new Error('stopped'));
  await expect(preparing).rejects.toThrow('stopped');
  expect(await bench.objects()).toEqual([]);
});
