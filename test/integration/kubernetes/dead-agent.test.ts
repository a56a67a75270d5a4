import { readFileSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { ownEngine } from '../../../src/engines/own.ts';
import { postPhase } from '../../../src/hosts/github/phases.ts';
import { isAlive, signalOwner } from '../../../src/record/owner.ts';
import { startEngine } from '../../../src/supervisor/process.ts';
import { saveRunState } from '../../../src/supervisor/state.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { clusterBench, JOB_IMAGE } from './cluster.ts';

const AGENT = join(import.meta.dirname, '../../../src/agent/index.ts');
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
  const environment: Record<string, string> = {
    PATH: process.env['PATH'] ?? '',
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
  const engine = ownEngine({
    nodePath: process.execPath,
    script: AGENT,
    configFile,
    defaults: { http_server_port: '0', polling_interval: '500ms' },
    labels: bench.labels,
    environment: { ...environment, PULUMI_AGENT_SINGLE_RUN: 'true' },
  });
  const { owner } = await startEngine(engine, runDirectory);
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
  saveRunState({ runDirectory, owner, position: { events: 0 }, ended: false, died: false });
  vi.stubEnv('STATE_private-directory', join(folder, 'private'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const stdout = captureStdout();
  await postPhase(stepIn(folder, { 'upload-artifact': 'never' }, { environment, owner, agentScript: AGENT }));
  const said = stdout.read().lines.join('\n');
  expect(said).toMatch(
    /was killed .* its pod ends by itself within 5 minutes of the agent\. Removed pod pulumi-workflow-\w+\./,
  );
  expect(await bench.objects()).toEqual([]);
}, 120_000);
