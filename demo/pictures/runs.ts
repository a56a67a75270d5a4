import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type GitHub, startGitHub } from '../../test/emulators/github/github.ts';
import type { Policy } from '../../test/emulators/pulumi-cloud/exchange.ts';
import { PulumiCloud } from '../../test/emulators/pulumi-cloud/server.ts';
import { writeFolder } from '../files.ts';
import { tellStory } from '../story.ts';
import type { Printed } from './transcript.ts';

/*
 * The runs in the documents' pictures: the demo with Pulumi's CLI; by the built action with scripted steps, a failure, a
 * refused deployment and a drift detection of several stacks; and the command set-up.
 */

const ORGANIZATION = 'acme';
const REPOSITORY = 'acme/infrastructure';
const POOL = { id: '7a1c52d0-5f0e-4c1b-9d3e-b1f3c06f2a44', name: 'private-network' };
const OTHER_POOL = { id: '2b90c1de-6a3f-4f57-8c0e-0d5a7be1f113', name: 'elsewhere' };
const IMAGE = 'pulumi-runner-test/job:1';
const PULUMI_IMAGE = 'pulumi-runner-test/pulumi:1';
const RULES = { aud: `urn:pulumi:org:${ORGANIZATION}`, sub: `repo:${REPOSITORY}:*` };
const DEADLINE_MS = 5 * 60_000;
const action = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** The command of docs/command.md, which asks nothing. */
export const SET_UP = [
  ...['set-up', '--organization-name', ORGANIZATION, '--runner-pool-name', POOL.name],
  ...['--stack', 'network/prod', '--ci', 'github', '--cloud', 'aws', '--repository', REPOSITORY, '--apply'],
];

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

const PREVIEW = `echo 'Previewing update (acme/network/prod):'
sleep 3
echo ' ++ aws:rds:Instance orders create replacement [diff: ~instanceClass,storageEncrypted]'
echo ' ~  aws:ec2:RouteTable private update [diff: ~routes]'
echo ' +  aws:ec2:Subnet private-c create'
echo ' +- aws:rds:Instance orders replace [diff: ~instanceClass,storageEncrypted]'
echo ' -  aws:ec2:NatGateway egress-old delete'
echo ' -- aws:rds:Instance orders delete original [diff: ~instanceClass,storageEncrypted]'
echo '    pulumi:pulumi:Stack network-prod'
echo 'Resources:'
echo '    + 1 to create'
echo '    ~ 1 to update'
echo '    - 1 to delete'
echo '    +-1 to replace'
echo '    4 changes. 13 unchanged'`;

const CONFLICTING = `echo 'Updating (acme/network/prod):'
sleep 1
echo 'error: [409] Conflict: Another update is currently in progress.'
echo 'To learn more about possible reasons and resolution, visit https://www.pulumi.com/docs/support/troubleshooting/common-issues/update-conflicts/'
exit 255`;

const REFRESH = `echo 'Refreshing (acme):'; sleep 3; echo 'Resources:'; echo '    17 unchanged'`;

/**
 * Makes all runs, side by side, and leaves their results in the folder: `transcript.json` of the demo, `set-up.txt`,
 * and in a folder for each run `summary.md` and `artifact/`.
 * @throws an error if one of them doesn't end as it should
 */
export async function makeRuns(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await Promise.all([runDemo(folder), runScripted(folder), runSetUp(folder)]);
}

async function runDemo(folder: string): Promise<void> {
  const place = resolve(folder, 'demo');
  const began = performance.now();
  const printed: Printed[] = [];
  const isRight = await tellStory({
    program: 'pulumi',
    image: PULUMI_IMAGE,
    pullImage: false,
    actionDirectory: action,
    artifactDirectory: join(place, 'artifact'),
    summaryFile: join(place, 'summary.md'),
    dockerHost: process.env['DOCKER_HOST'],
    write: (text) => {
      const seconds = (performance.now() - began) / 1_000;
      // Where scripts/demo leaves them, from the reader's clone.
      const lines = text.replaceAll(place, '.cache/demo').split('\n');
      printed.push(...lines.map((line) => ({ seconds, line })));
    },
    signal: AbortSignal.timeout(DEADLINE_MS),
  });
  if (!isRight) throw new Error(`Failed to run the demo:\n${printed.map(({ line }) => line).join('\n')}`);
  await writeFile(join(folder, 'transcript.json'), JSON.stringify(printed));
}

async function runScripted(folder: string): Promise<void> {
  await using started = new AsyncDisposableStack();
  const github = await startGitHub({ repository: REPOSITORY });
  started.defer(() => github.stop());
  const cloud = await PulumiCloud.start({ organization: ORGANIZATION, pools: [POOL, OTHER_POOL] });
  started.defer(() => cloud.stop());
  const runners = [POOL, OTHER_POOL].map(({ id }): Policy => {
    return { decision: 'allow', tokenType: 'runner', runnerID: id, rules: RULES };
  });
  const keys = await startSlowKeys(github.issuer.jwksUri);
  started.defer(() => keys.stop());
  cloud.registerIssuer({
    issuer: github.issuer.url,
    jwksUrl: keys.url,
    policies: [...runners, { decision: 'allow', tokenType: 'organization', rules: RULES }],
  });
  const newJob = (inputs: Readonly<Record<string, string>>) =>
    newJobOf(github, { 'service-url': cloud.url, ...inputs });
  const run = async (name: string, inputs: Readonly<Record<string, string>>) =>
    runJob(github, await newJob(inputs), join(folder, name));

  const queued = { project: 'network', stack: 'prod', poolId: POOL.id };
  cloud.enqueue({
    ...queued,
    job: jobOf({ 'Get source': 'echo cloned; sleep 1', 'pulumi update': FAILING }),
  });
  await run('failed', {});
  cloud.enqueue({ ...queued, job: jobOf({ 'pulumi update': FAILING }) });
  await run('refused', { 'allowed-stacks': 'acme/*/dev' });
  cloud.enqueue({
    ...queued,
    operation: 'preview',
    job: jobOf({ 'Get source': 'echo cloned', 'pulumi preview': PREVIEW }),
  });
  await run('preview', {});
  const conflicting = jobOf({ 'Get source': 'echo cloned', 'pulumi update': CONFLICTING });
  cloud.defineStack({ ...queued, job: conflicting });
  const network = cloud.stacks.ensure(queued);
  const update = cloud.stacks.plan(network, { kind: 'update', dryRun: false, message: '' });
  cloud.stacks.begin(network, update);
  await run('locked', { trigger: 'acme/network/prod', operation: 'update' });
  cloud.stacks.end(network, update, 'succeeded');
  const job = jobOf({ 'Get source': 'echo cloned', 'pulumi refresh': REFRESH });
  const stack = { stack: 'prod', poolId: POOL.id, job };
  cloud.defineStack({ ...stack, project: 'dns', changes: { same: 9 } });
  cloud.defineStack({ ...stack, project: 'network', changes: { same: 17 } });
  cloud.defineStack({
    ...stack,
    project: 'web',
    drifts: true,
    changes: { same: 21, update: 2 },
    poolId: OTHER_POOL.id,
  });
  const other = await newJob({ 'runner-pool-id': OTHER_POOL.id, 'max-wait': '2m' });
  const others = other.main();
  await run('drift', { trigger: 'acme/*/prod', operation: 'detect-drift' });
  await others;
  await other.post();
}

/** Serves an issuer's keys as slowly as from afar: a sign-in of less than 0.1 s would have no row in the report. */
async function startSlowKeys(jwksUri: string): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const server = createServer(async (_, response) => {
    const [keys] = await Promise.all([fetch(jwksUri).then((answer) => answer.text()), delay(300)]);
    response.setHeader('Content-Type', 'application/json').end(keys);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/keys`, stop: async () => void server.close() };
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

type Job = Awaited<ReturnType<typeof newJobOf>>;

function newJobOf(from: GitHub, inputs: Readonly<Record<string, string>>) {
  const common = { organization: ORGANIZATION, 'runner-pool-id': POOL.id, 'pull-image': 'false' };
  return from.newJob(action, { ...common, 'polling-interval': '1s', ...inputs }, {});
}

/** Runs the action as a CI job, and leaves the same files as the demo. */
async function runJob(from: GitHub, job: Job, to: string): Promise<void> {
  const main = await job.main();
  await job.post();
  await mkdir(to, { recursive: true });
  await writeFile(join(to, 'summary.md'), main.summary);
  const { 'artifact-name': artifact } = main.outputs;
  if (artifact) await writeFolder(join(to, 'artifact'), await from.artifacts.download(artifact));
}

/** Runs the command `set-up` in an empty checkout, for a stack with another pool. */
async function runSetUp(folder: string): Promise<void> {
  await using started = new AsyncDisposableStack();
  const cloud = await PulumiCloud.start({ organization: ORGANIZATION, pools: [POOL, OTHER_POOL] });
  started.defer(() => cloud.stop());
  const settings = { sourceContext: { git: { branch: 'refs/heads/main' } } };
  const job = jobOf({ 'pulumi update': 'true' });
  cloud.defineStack({ project: 'network', stack: 'prod', poolId: OTHER_POOL.id, settings, job });
  const checkout = await mkdtemp(join(tmpdir(), 'set-up-'));
  started.defer(() => rm(checkout, { recursive: true, force: true }));
  const program = join(action, 'bin/pulumi-runner-agent.cjs');
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...SET_UP], {
    cwd: checkout,
    env: {
      PATH: process.env['PATH'],
      HOME: checkout,
      PULUMI_AGENT_SERVICE_URL: cloud.url,
      PULUMI_AGENT_ACCESS_TOKEN: cloud.createOrganizationToken(),
    },
    timeout: DEADLINE_MS,
  });
  await writeFile(join(folder, 'set-up.txt'), stdout);
}
