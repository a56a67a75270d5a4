import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type AgentProcess, startAgent } from '../support/e2e/agent-process.ts';
import { kubernetesFile, writeSettings } from '../support/e2e/key-settings.ts';
import { PLACE } from '../support/e2e/place.ts';
import { definition, enqueue, JOB_IMAGE, logOf, POOL, statuses, useStage } from '../support/e2e/stage.ts';
import { kubectl as administrate } from '../support/kubernetes/cluster.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';

const stage = useStage();
const kubectl = (...words: string[]) => administrate(PLACE.inputs['kubeconfig'] ?? '', ...words);

it('these tests run their jobs on Kubernetes', () => {
  expect(PLACE.name).toBe('kubernetes');
});

describe('a job on the cluster', () => {
  it('is not claimed when its pod template cannot be used', async () => {
    const deployment = enqueue(stage, { Work: 'true' });
    const { main } = await stage.run({ 'pod-template': 'spec:\n  restartPolicy: Always\n' });
    expect(main.outputs).toMatchObject({ outcome: 'config-error' });
    expect(main.annotations.map(({ message }) => message).join('\n')).toMatch(
      /pod_template changes spec\.restartPolicy/,
    );
    expect(deployment.claimedAt).toBeUndefined();
  });
});

it('five agents run fifteen jobs, claim each once and leave nothing behind', async () => {
  const jobs = Array.from({ length: 15 }, (_, index) => {
    const credentials = { username: 'robot', password: { secret: `registry-${index}` } };
    // Every third job needs a pull secret on the cluster.
    const image = { reference: JOB_IMAGE, ...(index % 3 === 0 && { credentials }) };
    return stage.enqueue(definition({ Work: `echo job ${index}` }, { image }), { stack: `stack-${index}` });
  });
  const home = await temporaryDirectory();
  const agents: AgentProcess[] = [];
  try {
    for (let index = 0; index < 5; index += 1) {
      agents.push(
        startAgent({
          home,
          arguments: ['--label', stage.label],
          environment: {
            PULUMI_AGENT_TOKEN: stage.cloud.createStaticToken(POOL.id),
            PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
            PULUMI_AGENT_POLLING_INTERVAL: '500ms',
            PULUMI_AGENT_HTTP_SERVER_PORT: '0',
            PULUMI_AGENT_DEPLOY_TARGET: 'kubernetes',
            PULUMI_AGENT_KUBECONFIG: PLACE.inputs['kubeconfig'] ?? '',
            PULUMI_AGENT_NAMESPACE: 'default',
            PULUMI_AGENT_RUN_DIRECTORY: join(home, `agent-${index}`),
          },
        }),
      );
    }
    const marks = 'jsonpath={.items[*].metadata.annotations}';
    const secrets = () => kubectl('get', 'secrets', '--namespace', 'default', '--output', marks);
    await expect.poll(secrets, { timeout: 60_000 }).toContain(`"${stage.label.replace('=', '":"')}"`);
    await stage.cloud.waitFor(() => jobs.every(({ endReason }) => endReason !== undefined), 170_000);
  } finally {
    for (const { child } of agents) child.kill('SIGTERM');
    await Promise.all(agents.map(({ ended }) => ended));
  }
  for (const [index, job] of jobs.entries()) {
    expect(job.status).toBe('succeeded');
    expect(statuses(job)).toEqual(Array(2).fill(['running', 'succeeded']));
    expect(logOf(job, 1)).toBe(`job ${index}\n`);
  }
  expect(stage.objectsLeft()).toEqual([]);
}, 240_000);

it('the keys for the cluster take effect', async () => {
  const home = await temporaryDirectory();
  const namespace = `keys-${stage.cloud.url.split(':').at(-1)}`;
  const agent = (memory: string) =>
    startAgent({
      home,
      arguments: ['--label', stage.label],
      environment: { PULUMI_AGENT_NUM_CPUS: '0.25', PULUMI_AGENT_MEM_QUANTITY: memory },
    }).ended;
  try {
    await kubectl('create', 'namespace', namespace);
    await kubectl('label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=baseline');
    await kubectl('create', 'serviceaccount', 'deployer', '--namespace', namespace);
    const own = { url: stage.cloud.url, token: stage.cloud.createStaticToken(POOL.id) };
    const settings = kubernetesFile(own, await withAnotherCluster(home), namespace);
    await writeSettings(home, settings);
    const deployment = enqueue(stage, { Work: 'echo evidence >/tmp/evidence' });
    const { code, stderr } = await agent('0.125');
    expect(code, stderr).toBe(0);
    expect(deployment.status).toBe('succeeded');
    const { items } = JSON.parse(await kubectl('get', 'pods', '--namespace', namespace, '--output', 'json'));
    expect(items).toHaveLength(1);
    const [pod] = items;
    // debug_pod
    const { name } = pod.metadata;
    expect(/kubectl exec -it (\S+) .*?-n (\S+) /.exec(stderr)?.slice(1)).toEqual([name, namespace]);
    // The other keys, as the pod shows them; that it exists shows kubeconfig, kube_context and namespace.
    const size = { cpu: '250m', memory: String(2 ** 27) };
    expect(pod).toMatchObject({
      metadata: {
        labels: { 'pulumi-runner.start-seconds': '90' },
        annotations: { team: 'platform' },
      },
      spec: {
        serviceAccountName: 'deployer',
        terminationGracePeriodSeconds: 55,
        containers: [{ imagePullPolicy: 'Never', resources: { limits: size, requests: size } }],
      },
    });
    await writeSettings(home, { ...settings, pod_start_timeout: '10s' });
    enqueue(stage, { Work: 'true' }, 'next');
    const second = await agent('900');
    expect(second.code, second.stderr).toBe(5);
    expect(second.stderr).toMatch(/no node took it within 10 s/);
  } finally {
    await kubectl('delete', 'namespace', namespace, '--ignore-not-found', '--wait=false');
  }
});

/** Writes a kubeconfig whose current context is a cluster that doesn't answer. */
async function withAnotherCluster(folder: string): Promise<string> {
  const config = parse(await readFile(PLACE.inputs['kubeconfig'] ?? '', 'utf8'));
  config.clusters.push({ name: 'elsewhere', cluster: { server: 'https://127.0.0.1:9' } });
  config.contexts.push({
    name: 'elsewhere',
    context: { cluster: 'elsewhere', user: config.contexts[0].context.user },
  });
  const file = join(folder, 'kubeconfig');
  await writeFile(file, JSON.stringify({ ...config, 'current-context': 'elsewhere' }));
  return file;
}
