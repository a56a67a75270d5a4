import Docker from 'dockerode';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { assertReachableFromContainers, containerAddress } from '../../../demo/container-address.ts';
import { type JobDefinition, NEVER_PRINTED, PROGRAMS, shellJob, tofuJob } from '../../../demo/job.ts';
import { type ProgramHost, startProgramHost } from '../../../demo/program-host.ts';
import { testImage } from '../../images/images.ts';

const LABEL = 'pulumi-runner-test.demo';
const docker = new Docker();
const labels = { [LABEL]: String(process.pid) };
let image: string;
let host: ProgramHost;

beforeAll(async () => {
  image = await testImage('tofu');
}, 600_000);
beforeEach(async () => {
  host = await startProgramHost(await containerAddress());
});
afterEach(() => host.stop());
afterAll(async () => {
  expect(await docker.listContainers({ all: true, filters: { label: [`${LABEL}=${process.pid}`] } })).toEqual([]);
});

/** Runs the job's steps from step 1 on in one container, as far as they succeed: the meaning of a job without an agent. */
async function runJob(job: JobDefinition): Promise<{ code: number; output: string }> {
  const script = job.steps.slice(1).map(({ run, workingDir = '/' }) => {
    const quoted = `'${run.replaceAll("'", "'\\''")}'`;
    return `set -a; [ ! -e /PULUMI_ENV ] || . /PULUMI_ENV; set +a; cd ${workingDir} && ${job.shell} -c ${quoted}`;
  });
  const env: JobDefinition['env'] = { ...job.env, AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'AKIA0' };
  const container = await docker.createContainer({
    Image: job.image.reference,
    Cmd: ['bash', '-c', script.map((step) => `{ ${step}\n}`).join(' && ')],
    Env: Object.entries(env).map(([name, value]) => `${name}=${typeof value === 'string' ? value : value.secret}`),
    Tty: true,
    Labels: labels,
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise<void>((resolve, reject) => stream.once('end', resolve).once('error', reject));
    await container.start();
    const [{ StatusCode }] = await Promise.all([container.wait() as Promise<{ StatusCode: number }>, ended]);
    return { code: StatusCode, output: Buffer.concat(chunks).toString().replaceAll('\r\n', '\n') };
  } finally {
    await container.remove({ force: true });
  }
}

const settings = (stack = 'default') => ({ image, host, stateUrl: host.stateUrlOf(stack), accessToken: 'pul-0' });

it.each([
  ['tofu', tofuJob],
  ['shell', shellJob],
] as const)('the %s job clones the program, deploys it, and leaves its state and a free lock', async (name, job) => {
  const { code, output } = await runJob(job(settings()));
  expect(output).toContain(`deploying branch main, commit ${host.commit}`);
  expect(output).toContain('network: creating in eu-west-1 with access key AKIA0');
  expect(output).toContain(`password is ${host.password}`);
  expect(output).not.toContain(NEVER_PRINTED);
  expect(code).toBe(0);
  const { created, expected } = PROGRAMS[name];
  expect(created(host.state() ?? '').toSorted()).toEqual(expected.toSorted());
  expect(host.locked()).toBeUndefined();
  expect(host.counts().locks).toBe(2);
});

it.each([
  ['tofu', tofuJob, 'Error acquiring the state lock'],
  ['shell', shellJob, '423'],
] as const)('the %s job fails while somebody else holds the lock', async (_name, job, message) => {
  const authorization = `Basic ${Buffer.from(`${host.username}:${host.password}`).toString('base64')}`;
  const body = JSON.stringify({ ID: '1', Operation: 'apply', Who: 'somebody else', Created: '2026-01-01T00:00:00Z' });
  await fetch(host.stateUrl, { method: 'LOCK', headers: { authorization }, body });
  const { code, output } = await runJob(job(settings()));
  expect(code).not.toBe(0);
  expect(output).toContain(message);
  expect(output).toContain('somebody else');
  expect(host.state()).toBeUndefined();
  expect(host.locked()?.Who).toBe('somebody else');
});

it('says what keeps containers from reaching this machine', async () => {
  await assertReachableFromContainers(host.probeUrl, image);
  await host.stop();
  await expect(assertReachableFromContainers(host.probeUrl, image)).rejects.toThrow(
    /^Failed to reach http:\/\/\S+ from a container: curl: \(7\) .* A firewall/u,
  );
});
