import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { createKubernetesExecutor } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { ownLabels } from '../../../src/executor/labels.ts';
import { ownOwner } from '../../../src/record/owner.ts';

/**
 * A process that has one job and is killed at a moment of it: `killed-agent.ts <moment> <settings as JSON>`. The moment is a call that
 * the API server has answered, as in `POST pods`, or `started`, `step`.
 */
const [moment = '', settings = '{}'] = process.argv.slice(2);
const { kubeconfig, namespace, labels, image } = JSON.parse(settings) as Record<string, string> & {
  labels: Record<string, string>;
};
const NEVER = new AbortController().signal;
const die = () => process.kill(process.pid, 'SIGKILL');
const call = Cluster.prototype.call;
Cluster.prototype.call = async function <T>(this: Cluster, what: Parameters<Cluster['call']>[0]): Promise<T> {
  const answer: T = await call.call<Cluster, [typeof what], Promise<T>>(this, what);
  if (moment === `${what.method} ${what.subject.resource}`) die();
  return answer;
};
const target = createKubernetesExecutor({
  ...(kubeconfig === undefined ? {} : { kubeconfig }),
  ...(namespace === undefined ? {} : { namespace }),
  startTimeoutMs: 60_000,
  graceMs: 1_000,
  template: 'metadata: {labels: {a: b}}',
  ...(moment === 'pending' ? { memory: '900Gi' } : {}),
});
const container = await target.prepare(
  {
    image: image ?? '',
    pull: false,
    labels: { ...labels, ...ownLabels(ownOwner()) },
    credentials: { username: 'reader', password: 'secret' },
    files: [{ path: '/PULUMI_ENV', mode: 0o600, content: '' }],
    environmentFile: '/PULUMI_ENV',
  },
  async (line) => {
    if (moment === 'pending' && line.startsWith('FailedScheduling')) die();
  },
  NEVER,
);
if (moment === 'started') die();
const step = await container.start(
  { shell: 'bash', script: moment === 'step' ? 'echo on; sleep 60' : 'echo on', environment: {} },
  () => {
    if (moment === 'step') die();
  },
  NEVER,
);
await step.exit;
await container.remove();
process.stdout.write('not killed\n');
