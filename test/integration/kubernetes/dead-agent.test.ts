import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { agentEnvironment, startAgent } from '../../../src/action/agent-process.ts';
import type { Job } from '../../../src/action/job.ts';
import { post } from '../../../src/action/post.ts';
import type { RunState } from '../../../src/action/state.ts';
import { isAlive, signalOwner } from '../../../src/record/owner.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { captureStdout } from '../../unit/action/captured-stdout.ts';
import { clusterBench, JOB_IMAGE } from './cluster.ts';

const AGENT = join(import.meta.dirname, '../../../src/cli/index.ts');
const bench = clusterBench();

/** A cluster's other context, which leads nowhere. */
const ELSEWHERE = 'current-context: elsewhere\n';
const withContexts = (text: string) =>
  text
    .replace(/^clusters: \[/m, 'clusters: [{name: elsewhere, cluster: {server: "https://127.0.0.1:9"}}, ')
    .replace(/^contexts: \[/m, 'contexts: [{name: elsewhere, context: {cluster: elsewhere, user: user}}, ');

/** A job of the action whose agent, which a file had told where jobs run, was killed in a step; its main phase too. */
async function deadRun() {
  const cloud = await PulumiCloud.start({ organization: 'acme', pools: [{ id: 'pool-1', name: 'private' }] });
  onTestFinished(() => cloud.stop());
  const folder = await mkdtemp(join(tmpdir(), 'dead-agent-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const runDirectory = join(folder, 'run');
  await mkdir(runDirectory);
  const kubeconfig = await bench.kubeconfigWith(withContexts);
  const configFile = join(folder, 'agent.yaml');
  const { namespace } = bench;
  await writeFile(configFile, JSON.stringify({ deploy_target: 'kubernetes', kubeconfig, namespace }));
  const environment: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    HOME: folder,
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    PULUMI_AGENT_TOKEN: cloud.createStaticToken('pool-1'),
  };
  const deployment = cloud.enqueue({
    project: 'web',
    stack: 'prod',
    poolId: 'pool-1',
    job: {
      os: 'linux',
      architecture: 'amd64',
      // The credentials become a secret beside the pod.
      image: { reference: JOB_IMAGE, credentials: { username: 'reader', password: { secret: 'a-password' } } },
      shell: 'bash',
      timeout: '10m0s',
      env: {},
      steps: [
        { name: 'Setup', run: '' },
        { name: 'Work', run: 'echo working; sleep 600' },
      ],
    },
  });
  const { owner } = await startAgent({
    nodePath: process.execPath,
    script: AGENT,
    runDirectory,
    configFile,
    defaults: { http_server_port: '0', polling_interval: '500ms' },
    labels: bench.labels,
    environment: agentEnvironment(environment, { PULUMI_AGENT_SINGLE_RUN: 'true' }, []),
  });
  onTestFinished(() => void signalOwner(owner, 'SIGKILL'));
  await cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 60_000);
  expect(await bench.objects()).toHaveLength(2);
  signalOwner(owner, 'SIGKILL');
  await expect.poll(() => isAlive(owner), { timeout: 10_000 }).toBe(false);
  return { folder, runDirectory, owner, environment, configFile, kubeconfig };
}

it('leaves no pod and no secret behind post, though the file that named the cluster is gone', async () => {
  const { folder, runDirectory, owner, environment, configFile, kubeconfig } = await deadRun();
  await rm(configFile);
  writeFileSync(kubeconfig, readFileSync(kubeconfig, 'utf8').replace(/^current-context: .*\n/m, ELSEWHERE));
  const state: RunState = {
    runDirectory,
    owner,
    position: { events: 0 },
    ended: false,
    died: false,
    published: false,
  };
  vi.stubEnv('STATE_run', JSON.stringify(state));
  onTestFinished(() => void vi.unstubAllEnvs());
  const stdout = captureStdout();
  const job: Job = {
    owner,
    environment: { ...environment, 'INPUT_UPLOAD-ARTIFACT': 'never' },
    cancelled: new AbortController().signal,
    stdout: process.stdout,
    checkoutDirectory: folder,
    workingDirectory: folder,
    homeDirectory: folder,
    temporaryDirectory: folder,
    nodePath: process.execPath,
    agentDirectory: folder,
    agentScript: AGENT,
    now: Date.now,
  };
  await post(job);
  const said = stdout.read().lines.join('\n');
  expect(said).toMatch(
    /was killed .* its pod ends by itself within 5 minutes of the agent\. Removed pod pulumi-workflow-\w+\./,
  );
  expect(await bench.objects()).toEqual([]);
}, 120_000);
