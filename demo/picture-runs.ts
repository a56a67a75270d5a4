import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type GitHub, startGitHub } from '../test/emulators/github/github.ts';
import type { Policy } from '../test/emulators/pulumi-cloud/exchange.ts';
import { PulumiCloud } from '../test/emulators/pulumi-cloud/server.ts';
import { writeFolder } from './files.ts';

/**
 * The runs in the documents' pictures: a failure of a deployment that another started, a drift detection of several
 * stacks, and a refused deployment, by the built action with scripted steps.
 */

const POOL = { id: '7a1c52d0-5f0e-4c1b-9d3e-b1f3c06f2a44', name: 'private-network' };
const OTHER_POOL = { id: '2b90c1de-6a3f-4f57-8c0e-0d5a7be1f113', name: 'elsewhere' };
const IMAGE = 'pulumi-runner-test/job:1';
const RULES = { aud: 'urn:pulumi:org:acme', sub: 'repo:acme/infrastructure:*' };
const action = dirname(dirname(fileURLToPath(import.meta.url)));

const FAILING = `echo 'Updating (acme/network/prod):'
sleep 2
for each in 'aws:ec2:Vpc main' 'aws:ec2:Subnet private-a' 'aws:ec2:Subnet private-b' 'aws:ec2:NatGateway egress'; do
  echo " +  $each creating (0s)"; sleep 1; echo " +  $each created (1s)"
done
echo ' ~  aws:ec2:RouteTable private updating (0s) [diff: ~routes]'
sleep 2
echo ' ~  aws:ec2:RouteTable private **updating failed** error: 1 error occurred:'
echo 'Diagnostics:'
echo '  aws:ec2:RouteTable (private):'
echo '    error: updating urn:pulumi:prod::network::aws:ec2/routeTable:RouteTable::private: 1 error occurred:'
echo '      * creating Route in Route Table (rtb-0f3c1a) with destination (10.20.0.0/16):'
echo '        InvalidVpcPeeringConnectionID.NotFound: pcx-0b1d9e does not exist'
echo
echo 'Resources:'
echo '    + 4 created'
echo '    4 changes. 12 unchanged'
echo
echo 'Duration: 9s'
exit 255`;

const REFRESH = `echo 'Refreshing (acme):'; sleep 3; echo 'Resources:'; echo '    17 unchanged'`;

const [, , folder] = process.argv;
if (folder === undefined) {
  console.error('usage: picture-runs.ts FOLDER');
  process.exit(2);
}
const github = await startGitHub({ repository: 'acme/infrastructure' });
const cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL, OTHER_POOL] });
const runners = [POOL, OTHER_POOL].map(({ id }): Policy => {
  return { decision: 'allow', tokenType: 'runner', runnerID: id, rules: RULES };
});
cloud.registerIssuer({
  issuer: github.issuer.url,
  jwksUrl: github.issuer.jwksUri,
  policies: [...runners, { decision: 'allow', tokenType: 'organization', rules: RULES }],
});
try {
  const queued = { project: 'network', stack: 'prod', poolId: POOL.id };
  cloud.enqueue({
    ...queued,
    job: jobOf({ 'Get source': 'echo cloned; sleep 1', 'pulumi update': FAILING }),
  });
  await runJob(github, {}, join(folder, 'failed'));
  cloud.enqueue({ ...queued, job: jobOf({ 'pulumi update': FAILING }) });
  await runJob(github, { 'allowed-stacks': 'acme/*/dev' }, join(folder, 'refused'));
  const job = jobOf({ 'Get source': 'echo cloned', 'pulumi refresh': REFRESH });
  defineStack('dns', { job, changes: { same: 9 } });
  defineStack('network', { job, changes: { same: 17 } });
  defineStack('web', { job, drifts: true, changes: { same: 21, update: 2 }, poolId: OTHER_POOL.id });
  const other = await newJob(github, { 'runner-pool-id': OTHER_POOL.id, 'max-wait': '2m' });
  const others = other.main();
  await runJob(github, { trigger: 'acme/*/prod', operation: 'detect-drift' }, join(folder, 'drift'));
  await others;
  await other.post();
} finally {
  await cloud.stop();
  await github.stop();
}

function jobOf(scripts: Readonly<Record<string, string>>): object {
  const steps = Object.entries(scripts).map(([name, run]) => ({ name, run }));
  const image = { reference: IMAGE };
  return {
    os: 'linux',
    architecture: 'amd64',
    image,
    shell: 'bash',
    env: {},
    steps: [{ name: 'Setup' }, ...steps],
  };
}

function defineStack(
  project: string,
  more: Pick<Parameters<PulumiCloud['defineStack']>[0], 'job'> &
    Partial<Parameters<PulumiCloud['defineStack']>[0]>,
): void {
  cloud.defineStack({ project, stack: 'prod', poolId: POOL.id, ...more });
}

function newJob(from: GitHub, inputs: Readonly<Record<string, string>>) {
  const common = {
    organization: 'acme',
    'runner-pool-id': POOL.id,
    'service-url': cloud.url,
    'pull-image': 'false',
  };
  return from.newJob(action, { ...common, 'polling-interval': '1s', ...inputs }, {});
}

/** Runs the action as a CI job and leaves the same files as the demo: summary.md and artifact/. */
async function runJob(from: GitHub, inputs: Readonly<Record<string, string>>, to: string): Promise<void> {
  const job = await newJob(from, inputs);
  const main = await job.main();
  await job.post();
  await mkdir(to, { recursive: true });
  await writeFile(join(to, 'summary.md'), main.summary);
  await writeFolder(join(to, 'artifact'), await from.artifacts.download(main.outputs['artifact-name'] ?? ''));
  console.log(`${to}: ${main.outputs['outcome']}`);
}
