import { randomInt } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../emulators/github/github.ts';
import { PulumiCloud } from '../emulators/pulumi-cloud/server.ts';
import { testImage } from '../support/docker/images.ts';
import { type ActRun, endProcessesOf, jobResults, runnerEnvironment, runWorkflow } from '../support/e2e/act.ts';
import { definition } from '../support/e2e/stage.ts';
import { makeWorkflowTree } from '../support/e2e/workflow-tree.ts';
import { scriptOutput } from '../support/script.ts';

// Every run of a repository has number 1 with act: a name of its own tells this one's containers from others'.
const repository = `acme/matrix-${randomInt(1_000_000_000)}`;
const POOL = { id: 'pool-1', name: 'private-network' };

let directory: string;
let program: string;
let cloud: PulumiCloud;
let github: GitHub;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'matrix-page-'));
  [program = ''] = (await scriptOutput('act', [])).split('\n');
  await testImage('job');
  const tree = join(directory, 'tree');
  await makeWorkflowTree(tree, repository);
  const page = await readFile(join(tree, 'docs/matrix.md'), 'utf8');
  const [planned = ''] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)]
    .map(([, text = '']) => text)
    .filter((text) => text.includes('pulumi-runner-action/plan@v1'));
  await writeFile(join(tree, '.github/workflows/page.yml'), planned);
  github = await startGitHub({ repository });
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
  const rules = { aud: 'urn:pulumi:org:acme', repository };
  cloud.registerIssuer({
    issuer: github.issuer.url,
    jwksUrl: github.issuer.jwksUri,
    policies: [
      { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules },
      { decision: 'allow', tokenType: 'organization', rules },
    ],
  });
}, 600_000);
afterAll(async () => {
  for (const home of ['busy', 'idle']) await endProcessesOf(join(directory, home));
  await rm(directory, { recursive: true, force: true });
  await Promise.all([cloud?.stop(), github?.stop()]);
});

const act = async (name: string): Promise<ActRun> =>
  runWorkflow({
    program,
    tree: join(directory, 'tree'),
    home: join(directory, name),
    workflow: '.github/workflows/page.yml',
    event: 'schedule',
    repositories: { 'org/pulumi-runner-action@v1': join(directory, 'tree') },
    env: {
      ...(await runnerEnvironment(github, repository)),
      // What the page has no need to say: this Pulumi Cloud is another, and its image on this machine alone.
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_PULL_IMAGE: 'false',
    },
    variables: { PULUMI_POOL_ID: POOL.id },
    deadlineMs: 200_000,
  });

describe('the workflow of docs/matrix.md with plan/, as it stands there', () => {
  it('runs as many jobs as there is work, each deployment once', async () => {
    for (const stack of ['one', 'two', 'three']) {
      cloud.enqueue({ project: 'network', stack, poolId: POOL.id, job: definition({ Work: `echo ${stack}` }) });
    }
    const run = await act('busy');
    expect(run.code, run.transcript).toBe(0);
    expect(jobResults(run)).toEqual(['deploy success', 'deploy success', 'deploy success', 'plan success']);
    expect(cloud.deployments.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
    expect(new Set(cloud.deployments.map(({ claimedBy }) => claimedBy)).size).toBe(3);
  }, 230_000);

  it('skips the matrix when there is no work', async () => {
    const run = await act('idle');
    expect(run.code, run.transcript).toBe(0);
    expect(jobResults(run).filter((line) => !line.endsWith(' skipped'))).toEqual(['plan success']);
    expect(cloud.deployments).toHaveLength(3);
  }, 230_000);
});
