import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runResultSchema } from '../../src/record/schema.ts';
import type { Deployment } from '../emulators/pulumi-cloud/deployment.ts';
import { type AgentProcess, startAgent } from '../support/e2e/agent-process.ts';
import { enqueue, filesBelow, POOL, useStage } from '../support/e2e/stage.ts';

const stage = useStage();
let home: string;
let agent: AgentProcess | undefined;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'agent-home-'));
});
afterEach(async () => {
  agent?.child.kill('SIGKILL');
  await agent?.ended;
  await rm(home, { recursive: true, force: true });
});

/** Starts the agent by a configuration file in its home, with these keys besides pool and service. */
async function start(keys: Record<string, string | number | boolean> = {}, more: string[] = []): Promise<AgentProcess> {
  const settings = {
    token: stage.cloud.createStaticToken(POOL.id),
    service_url: stage.cloud.url,
    polling_interval: '200ms',
    pull_image: false,
    http_server_port: 0,
    run_directory: join(home, 'runs'),
    ...keys,
  };
  const text = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  await writeFile(join(home, 'pulumi-workflow-agent.yaml'), text.join(''));
  // The label by which the stage finds what this run left in Docker.
  agent = startAgent({ home, arguments: ['--label', stage.label, ...more] });
  return agent;
}

/** Resolves when the deployment's step 1 has printed something. */
function atWork(deployment: Deployment): Promise<unknown> {
  return stage.cloud.waitFor(() => (deployment.steps[1]?.lines.length ?? 0) > 0, 20_000);
}

describe('the agent as a command', () => {
  it('serves one job by its configuration file and leaves the run directory', async () => {
    const deployment = enqueue(stage, { 'pulumi up': 'echo by command' });
    const { ended } = await start({ single_run: true });
    const { code, stderr } = await ended;
    expect(code).toBe(0);
    expect(stderr).toContain(join(home, 'pulumi-workflow-agent.yaml'));
    expect(deployment.status).toBe('succeeded');
    const result = runResultSchema.parse(JSON.parse(await readFile(join(home, 'runs/run.json'), 'utf8')));
    expect(result).toMatchObject({ outcome: 'succeeded', deploymentId: deployment.id });
    expect(await readFile(join(home, 'runs/agent.log'), 'utf8')).toBe(stderr);
  });

  it('ends with 75 without work, when asked to', async () => {
    const { ended } = await start({ single_run: true, max_wait: '300ms' }, ['--fail-on-no-work']);
    expect((await ended).code).toBe(75);
  });

  it('serves job after job, each with its own run directory, until SIGTERM drains it', async () => {
    const first = enqueue(stage, { 'pulumi up': 'echo first' }, 'one');
    const { child, ended, said } = await start();
    await stage.cloud.waitFor(() => first.status === 'succeeded', 20_000);
    const waiting = 'echo at work; until [ -e /tmp/over ]; do sleep 0.1; done; echo done';
    const second = enqueue(stage, { 'pulumi up': waiting }, 'two');
    await atWork(second);
    const third = enqueue(stage, { 'pulumi up': 'echo never' }, 'three');
    child.kill('SIGTERM');
    await said(/SIGTERM: a running job is finished/);
    execFileSync('docker', ['exec', stage.objectsLeft()[0] ?? '', 'touch', '/tmp/over']);
    expect((await ended).code).toBe(0);
    expect(second.status).toBe('succeeded');
    expect(third.status).toBe('not-started');
    const runs = await readdir(join(home, 'runs'));
    const results = await Promise.all(
      runs.sort().map(async (run) => JSON.parse(await readFile(join(home, 'runs', run, 'run.json'), 'utf8'))),
    );
    expect(results.map(({ outcome, deploymentId }) => [outcome, deploymentId])).toEqual([
      ['succeeded', first.id],
      ['succeeded', second.id],
    ]);
  });

  it('sweeps nothing that is not its own', async () => {
    const deployment = enqueue(stage, { 'pulumi up': 'echo at work; sleep 60' });
    const neighbour = await start({ single_run: true });
    await atWork(deployment);
    const other = join(home, 'other');
    const events = (await readFile(join(home, 'runs/events.ndjson'), 'utf8')).replace(
      /"started":"[^"]*"/,
      '"started":"0"',
    );
    await mkdir(other);
    await writeFile(join(other, 'events.ndjson'), events);
    const sweep = await startAgent({ home, command: 'sweep', arguments: ['--run-directory', other] }).ended;
    expect(sweep).toMatchObject({ code: 0, stdout: '' });
    expect(stage.objectsLeft()).not.toEqual([]);
    const own = ['--run-directory', join(home, 'runs')];
    // Its agent lives: what it made is in use.
    expect(await startAgent({ home, command: 'sweep', arguments: own }).ended).toMatchObject({ code: 0, stdout: '' });
    neighbour.child.kill('SIGKILL');
    await neighbour.ended;
    expect((await startAgent({ home, command: 'sweep', arguments: own }).ended).code).toBe(0);
    expect(stage.objectsLeft()).toEqual([]);
  });

  it('prints its version and its help', async () => {
    const { version } = JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8'));
    expect((await startAgent({ home, command: 'version' }).ended).stdout).toBe(`${version}\n`);
    const help = (await startAgent({ home, command: 'help' }).ended).stdout;
    for (const word of ['polling_interval', 'PULUMI_AGENT_<KEY>', 'sweep']) expect(help).toContain(word);
    expect((await startAgent({ home, command: 'explode' }).ended).code).toBe(2);
    expect([...(await filesBelow(home)).keys()].filter((path) => !path.startsWith('.cache'))).toEqual([]);
  });
});
