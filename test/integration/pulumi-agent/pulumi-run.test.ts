import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { startOf } from '../../../src/base/owner.ts';
import { readResult } from '../../../src/record/reader.ts';
import { verifyRecord } from '../../../src/record/verification.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { docker, JOB_IMAGE, runningContainer, testImage } from '../../support/docker/images.ts';
import {
  ownAgentAsStandIn,
  programAsStandIn,
  pulumiRun,
  shared,
  standIn,
} from '../../support/pulumi-agent/pulumi-run.ts';

beforeAll(() => testImage('job'));

const REAL = 'https://api.example.com';
/** A step that acts like an engine: works until it is interrupted, then frees its lock. */
const ENGINE = "trap 'echo interrupted; sleep 0.5; echo lock freed; exit 1' INT; echo updating; sleep 120";

/** A job in a container, whose programs talk to Pulumi Cloud directly. */
const inContainer = (...scripts: string[]) => ({
  ...jobOf(...scripts),
  shell: 'bash',
  image: { reference: JOB_IMAGE },
  env: { PULUMI_SERVICE_URL: REAL, PULUMI_API: REAL },
});

/** The process ID of Pulumi's agent, from the log. */
const agentIn = (log: readonly string[]) => Number(/process (\d+)/.exec(log.join('\n'))![1]);

type Scene = Awaited<ReturnType<typeof pulumiRun>>;
const asked = (cloud: Scene['cloud'], path: RegExp) =>
  cloud.requests.some((request) => path.test(request.path));
const polls = (cloud: Scene['cloud']) => cloud.requests.filter(({ path }) => path.endsWith('/poll')).length;

const own = async () => ownAgentAsStandIn(join(await folder(), 'own'));
const misbehaving = (how: string) => programAsStandIn('misbehaving-agent', how);

/** A run whose job is working in its first step. */
async function atWork(programs: Promise<string>) {
  const scene = await pulumiRun({ programs: await programs });
  const deployment = scene.enqueue(inContainer(ENGINE));
  const running = scene.run();
  await scene.cloud.waitFor(() => deployment.steps[1]?.lines.length === 1, 40_000);
  return { ...scene, deployment, running };
}

it.each([
  ['cat "$HOME/words" >&2; exit 3', 'it ended with exit code 3. Its last output: '],
  ['cat "$HOME/words"; kill -SEGV $$', 'it was ended by SIGSEGV. Its last output: '],
])("an agent that can't print its version fails the run with its last words: %s", async (version, how) => {
  const scene = await pulumiRun({ programs: await standIn('', version) });
  const words = `${'loading\n'.repeat(200)}libc: version GLIBC_2.38 not found\n\u001b[31mtoken ${scene.token}\u001b[0m\n`;
  await writeFile(join(scene.directory, '../words'), words);
  expect(await scene.run()).toBe(5);
  const { outcome, code, message } = await scene.result();
  expect({ outcome, code }).toEqual({ outcome: 'target-error', code: 'PRA-ENGINE-06' });
  expect(message).toMatch(/^Failed to start Pulumi's agent for the run: \S+ version: .*[^.]\.$/);
  expect(message).toContain(how);
  expect(message).toMatch(/ loading libc: version GLIBC_2.38 not found \S*token \*\*\*/);
  expect(message.length).toBeLessThan(700);
  expect(`${message}${scene.log.join()}`).not.toContain(scene.token);
});

it('an agent that can’t be started leaves no relay behind', async () => {
  const listeners = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;
  // More than Linux takes of one variable (execve(2)).
  const environment = { HUGE: 'x'.repeat(200_000) };
  const config = { env_forward_allowlist: 'HUGE' };
  const scene = await pulumiRun({ programs: await standIn(''), config, environment });
  const before = listeners();
  expect(await scene.run()).toBe(1);
  expect(scene.log.join('\n')).toContain('E2BIG');
  await expect.poll(listeners).toBe(before);
});

describe('a run of an agent behind the relay', () => {
  it('is recorded as the agent itself records it', async () => {
    const directory = join(await folder(), 'own');
    const scene = await pulumiRun({ programs: await ownAgentAsStandIn(directory) });
    const deployment = scene.enqueue(inContainer('seq 1 3000; env | sort', 'echo bad; exit 4', 'echo never'));
    expect(await scene.run()).toBe(1);
    expect(deployment.status).toBe('failed');
    expect(scene.serverClock.reached).toBeDefined();
    const [seen, written] = [await scene.result(), (await readResult(directory))!];
    expect(seen).toMatchObject({
      outcome: 'failed',
      reported: true,
      jobId: deployment.jobId,
      image: JOB_IMAGE,
      engine: { name: 'pulumi', version: expect.stringMatching(/^\d/) },
    });
    const { files } = await verifyRecord(scene.directory);
    expect(files.map(({ problem }) => problem)).toEqual([undefined, undefined, undefined]);
    expect(seen.message).toContain('Failed to run step 2 "Step 2" of the deployment');
    expect(seen.steps.map(shared)).toEqual(written.steps.map(shared));
    expect(await scene.file('steps/01-step-1.log')).toBe(
      await readFile(join(directory, 'steps/01-step-1.log'), 'utf8'),
    );
    expect(await scene.file('health.ndjson')).toMatch(/"status":"healthy"/);
    expect((await scene.events()).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['target-ready', 'health-listening', 'claimed', 'job-loaded', 'outcome']),
    );
  });

  it('ends as cancelled when Pulumi Cloud cancels it', async () => {
    const { deployment, running, ...scene } = await atWork(own());
    scene.cloud.cancel(deployment.id);
    expect(await running).toBe(6);
    expect(await scene.result()).toMatchObject({ outcome: 'cancelled', code: 'PRA-JOB-03' });
    expect(await scene.file('steps/01-step-1.log')).toBe(
      'updating\n[agent] Stopping the step: the deployment was cancelled in Pulumi Cloud. Sending SIGINT.\ninterrupted\nlock freed\n[agent] The step failed: the deployment was cancelled in Pulumi Cloud.\n',
    );
  });

  it('is interrupted with its step, which gets its time to end', async () => {
    const { deployment, running, ...scene } = await atWork(own());
    scene.interrupt();
    expect(await running).toBe(7);
    expect(await scene.result()).toMatchObject({ outcome: 'interrupted', steps: [{}, { status: 'failed' }] });
    expect(await scene.file('steps/01-step-1.log')).toContain('interrupted\nlock freed\n');
    expect(deployment.status).toBe('failed');
  });

  it.each<[string, (scene: Scene, deployment: Deployment) => Promise<unknown>, number[]]>([
    ['before it has started', async () => undefined, [7]],
    ['while it asks for work', ({ cloud }) => cloud.waitFor(() => polls(cloud) > 0, 20_000), [7]],
    [
      'while it reads the job',
      ({ cloud }) => cloud.waitFor(() => asked(cloud, /workflow\/jobs\/[^/]+$/), 20_000),
      [7],
    ],
    [
      'while it prepares',
      ({ cloud }, { steps }) => cloud.waitFor(() => steps[0]?.status === 'running', 40_000),
      [7],
    ],
    [
      'between two steps',
      ({ cloud }, { steps }) => cloud.waitFor(() => steps[1]?.status === 'succeeded', 40_000),
      [7],
    ],
    [
      'at its last report',
      ({ cloud }, { steps }) => cloud.waitFor(() => steps[2]?.status === 'succeeded', 40_000),
      [0, 7],
    ],
  ])(
    'that is cancelled %s ends, reports each step that it began, and leaves nothing',
    async (when, moment, codes) => {
      const scene = await pulumiRun({ programs: await own() });
      const last = when === 'at its last report' ? 'echo two' : 'sleep 60';
      const deployment =
        when === 'while it asks for work' ? undefined : scene.enqueue(inContainer('echo one', last));
      const running = scene.run();
      await moment(scene, deployment as Deployment);
      scene.interrupt();
      const code = await running;
      expect(codes).toContain(code);
      expect((await scene.result()).outcome).toBe(code === 0 ? 'succeeded' : 'interrupted');
      for (const { statusHistory } of deployment?.claimedAt === undefined ? [] : deployment.steps)
        expect(statusHistory.map(({ status }) => status)).toSatisfy(
          (list: string[]) => list.length === 0 || ['succeeded', 'failed'].includes(list.at(-1) ?? ''),
        );
      const pid = /process (\d+)/.exec(scene.log.join('\n'))?.[1];
      if (pid !== undefined) expect(startOf(Number(pid))).toBeUndefined();
      const label = JSON.stringify({ label: [`pulumi-runner.run=${deployment?.runId ?? 'none'}`] });
      expect(await docker.listContainers({ all: true, filters: label })).toEqual([]);
    },
  );

  it('ends without work when none comes in time, or when nobody follows it any more', async () => {
    const late = await pulumiRun({ programs: await own(), config: { max_wait: '0s' } });
    expect(await late.run()).toBe(0);
    expect(await late.result()).toMatchObject({ outcome: 'no-work', steps: [] });
    const left = await pulumiRun({ programs: await misbehaving('hanging') });
    const running = left.run();
    await left.cloud.waitFor(() => left.cloud.requests.length > 0, 20_000);
    left.drain();
    expect(await running).toBe(7);
    expect(await left.result()).toMatchObject({
      outcome: 'interrupted',
      message: expect.stringContaining('nothing had been claimed'),
    });
  });

  it('is interrupted, not failed, when nobody follows it before the agent starts', async () => {
    const scene = await pulumiRun({ programs: await misbehaving('hanging') });
    scene.drain();
    expect(await scene.run()).toBe(7);
    expect(await scene.result()).toMatchObject({
      outcome: 'interrupted',
      message: 'The agent was asked to stop before it had begun.',
    });
    expect(scene.cloud.requests).toEqual([]);
  });

  it('fails with the end of its log when the agent is killed', async () => {
    const { deployment, running, ...scene } = await atWork(own());
    process.kill(agentIn(scene.log), 'SIGKILL');
    expect(await running).toBe(1);
    const { outcome, message, steps, reported } = await scene.result();
    expect({ outcome, reported, status: steps[1]?.status }).toEqual({
      outcome: 'failed',
      reported: false,
      status: 'failed',
    });
    expect(message).toMatch(
      /Pulumi's agent was ended by SIGKILL before it had reported every step\..*Claimed acme\//,
    );
  });

  it('is recorded when the job’s container reports, and leaves no trace of the relay’s address', async () => {
    const scene = await pulumiRun({
      programs: await programAsStandIn('container-agent'),
      config: { engine_record: 'true' },
    });
    const deployment = scene.enqueue(inContainer('env | sort; echo "talks to $PULUMI_SERVICE_URL"; sleep 1'));
    expect(await scene.run()).toBe(0);
    expect(deployment.status).toBe('succeeded');
    expect(deployment.heartbeats.length).toBe(1);
    expect(await scene.file('steps/01-step-1.log')).toContain(`talks to ${REAL}\n`);
    expect((await scene.events()).filter(({ type }) => type === 'container')).toHaveLength(1);
    const relay = /http:\/\/172\.\d+\.\d+\.\d+:\d+|172\.17\.0\.1:\d+/;
    for (const name of (await readdir(scene.directory, { recursive: true })).filter((each) =>
      /\.\w+$/.test(each),
    ))
      expect([name, relay.exec(await scene.file(name))?.[0]]).toEqual([name, undefined]);
    expect(
      [scene.log.join('\n'), JSON.stringify(deployment.steps)].filter((text) => relay.test(text)),
    ).toEqual([]);
  });

  it('ends the container that the agent left, and no other', async () => {
    const { running, ...scene } = await atWork(programAsStandIn('container-agent'));
    const other = await runningContainer('sleep 60');
    process.kill(agentIn(scene.log), 'SIGKILL');
    expect(await running).toBe(1);
    expect(await scene.file('steps/01-step-1.log')).toContain('interrupted\nlock freed\n');
    const left = (await scene.events()).filter((event) => event.type === 'container');
    expect(left).toHaveLength(1);
    await expect(docker.getContainer(left[0]!.id).inspect()).rejects.toMatchObject({ statusCode: 404 });
    expect((await other.inspect()).State.Running).toBe(true);
    expect((await scene.result()).notices.join('\n')).toContain("which Pulumi's agent left behind");
  });

  it('fails by name when Pulumi’s CLI in its job has been given the relay’s address', async () => {
    const scene = await pulumiRun({ programs: await own() });
    const cli =
      'host=${PULUMI_SERVICE_URL#http://}; host=${host%/api}; exec 3<>"/dev/tcp/${host%:*}/${host#*:}"; printf "GET /api/user HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: token $PULUMI_ACCESS_TOKEN\\r\\nUser-Agent: pulumi-cli/1 (v3)\\r\\nConnection: close\\r\\n\\r\\n" >&3; head -n 1 <&3; exit 1';
    scene.enqueue({ ...inContainer(cli), env: { PULUMI_ACCESS_TOKEN: 'pul-of-the-job' } });
    expect(await scene.run()).toBe(1);
    expect(await scene.result()).toMatchObject({
      code: 'PRA-ENGINE-10',
      message: expect.stringMatching(/\(\/api\/user\).*Set engine_relay: false/),
    });
    expect(await scene.file('steps/01-step-1.log')).toContain('421');
  });
});

describe('an agent that misbehaves', () => {
  it('is killed with all its processes when it doesn’t end', async () => {
    const scene = await pulumiRun({
      programs: await misbehaving('unresponsive'),
      config: { cancel_grace_period: '300ms' },
    });
    scene.enqueue(jobOf('true'));
    const running = scene.run();
    await scene.cloud.waitFor(
      () => scene.cloud.requests.some(({ path }) => path.endsWith('/0/status')),
      20_000,
    );
    scene.interrupt();
    expect(await running).toBe(7);
    const log = scene.log.join('\n');
    expect(log).toMatch(/heard SIGINT[\s\S]*heard SIGTERM/);
    expect(startOf(Number(/forked (\d+)/.exec(log)![1]))).toBeUndefined();
  });

  it('may print 40 MB, of which agent.log keeps a part', async () => {
    const scene = await pulumiRun({ programs: await misbehaving('flooding') });
    expect(await scene.run()).toBe(1);
    expect(scene.log.join('\n').length).toBeLessThan(30 * 1024 * 1024);
    expect(scene.log.join('\n')).toContain('printed too much');
    expect((await scene.result()).message).toContain(
      'it ended with exit code 9, and nothing had been claimed',
    );
  });

  it('has work of an unknown shape passed on, with possible secrets hidden', async () => {
    const scene = await pulumiRun({
      programs: await misbehaving('scanning'),
      config: { max_wait: '0s' },
    });
    scene.cloud.allow(/.*/);
    scene.cloud.script({
      method: 'POST',
      path: /lease\/acquire$/,
      answer: { status: 200, body: { scan: { account: 'a' }, leaseToken: 'lease-5b2f77aa' } },
    });
    // It counts as work, so max_wait doesn't stop the agent, which must end by itself.
    expect(await scene.run()).toBe(0);
    expect(await scene.result()).toMatchObject({
      outcome: 'succeeded',
      message: "Pulumi's agent ended with exit code 0; nothing more is known of work of this kind.",
    });
    expect(scene.log.join('\n')).toContain('scanning with ***');
    expect(JSON.stringify(await scene.events())).toContain('is work of an unknown shape');
  });

  it('fails the run when it ends without a word', async () => {
    const scene = await pulumiRun({ programs: await misbehaving('silent') });
    expect(await scene.run()).toBe(1);
    expect(await scene.result()).toMatchObject({
      code: 'PRA-ENGINE-11',
      message: expect.stringMatching(
        /ended with exit code 0, and nothing had been claimed\. It had printed nothing/,
      ),
    });
  });

  it('leaves no folder behind', async () => {
    const scene = await pulumiRun({ programs: await misbehaving('silent') });
    // Other runs use the machine's temporary folder, so this one gets its own.
    const own = await folder();
    vi.stubEnv('TMPDIR', own);
    onTestFinished(() => void vi.unstubAllEnvs());
    await scene.run();
    expect(await readdir(own)).toEqual([]);
  });
});
