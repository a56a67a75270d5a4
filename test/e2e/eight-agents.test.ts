import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PulumiCloud } from '../emulators/pulumi-cloud/server.ts';
import { docker } from '../support/docker/images.ts';
import { type AgentProcess, startAgent } from '../support/e2e/agent-process.ts';
import { definition, POOL } from '../support/e2e/stage.ts';
import { randomOf } from '../support/random.ts';

const AGENTS = 8;
/** Milliseconds from an agent's start within which it is killed: it has come to its container by then, or to its job's end. */
const LATEST_KILL_MS = 5_000;
/** So that a run which fails can be run again. */
const SEED = 20_261_122;

/** The label of everything that these agents make. */
const LABEL = ['pulumi-runner-test.eight', `run-${process.pid}`] as const;
let cloud: PulumiCloud;
let home: string;
beforeAll(async () => {
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
  home = await mkdtemp(join(tmpdir(), 'eight-agents-'));
});
afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await cloud.stop();
});

async function start(name: string, more: readonly string[] = []): Promise<AgentProcess> {
  const folder = await mkdtemp(join(home, `${name}-`));
  const settings = {
    token: cloud.createStaticToken(POOL.id),
    service_url: cloud.url,
    polling_interval: '200ms',
    pull_image: false,
    http_server_port: 0,
    single_run: true,
    run_directory: join(folder, 'run'),
  };
  const text = Object.entries(settings).map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`);
  await writeFile(join(folder, 'pulumi-workflow-agent.yaml'), text.join(''));
  return startAgent({
    home: folder,
    arguments: ['--label', LABEL.join('='), ...more],
  });
}

/** What is there of an owner, by the label that every object carries. */
async function ownedBy(pid: number | undefined): Promise<string[]> {
  const filters = { label: [LABEL.join('='), `pulumi-runner.owner-pid=${pid}`] };
  const [containers, networks] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
  ]);
  return [...containers.map(({ Names }) => String(Names)), ...networks.map(({ Name }) => Name)];
}

it('of eight agents on one engine half are killed at any moment: nothing of them is left, and the others end well', async () => {
  const random = randomOf(SEED);
  const deployments = Array.from({ length: AGENTS }, (_, at) =>
    cloud.enqueue({
      project: 'network',
      stack: `stack-${at}`,
      poolId: POOL.id,
      job: definition({ 'pulumi update': 'echo at work; sleep 6; echo done' }),
    }),
  );
  const agents = await Promise.all(deployments.map((_, at) => start(`agent-${at}`)));
  const [killed, living] = [agents.slice(0, AGENTS / 2), agents.slice(AGENTS / 2)];
  // Somebody else's: by its labels dead, but on another machine, or with an owner that is not known to be anywhere.
  const strangers = await Promise.all(
    ['machine/boot/pid:[1]', ''].map((space) =>
      docker.createNetwork({
        Name: `stranger-${process.pid}-${space === '' ? 'unknown' : 'elsewhere'}`,
        Labels: {
          [LABEL[0]]: LABEL[1],
          'pulumi-runner.owner-host': hostname(),
          'pulumi-runner.owner-pid': String(process.pid),
          'pulumi-runner.owner-started': '1',
          ...(space === '' ? {} : { 'pulumi-runner.owner-space': space }),
        },
      }),
    ),
  );
  try {
    await Promise.all(
      killed.map(async ({ child, ended }) => {
        await delay(LATEST_KILL_MS * random());
        child.kill('SIGKILL');
        await ended;
      }),
    );
    // One that starts among them looks for what they left; what still ends by itself has its time for it.
    const last = await start('last', ['--max-wait', '4s', '--polling-interval', '1s']);
    const ends = await Promise.all(living.map(({ ended }) => ended));
    const swept = await last.ended;
    expect(ends.map(({ code }) => code)).toEqual(living.map(() => 0));
    for (const { child } of killed)
      expect({ [child.pid ?? 0]: await ownedBy(child.pid) }).toEqual({ [child.pid ?? 0]: [] });
    expect(swept.code, swept.stderr).toBe(0);
    // Each deployment was run by one agent; whose agent was killed is left to Pulumi Cloud.
    const succeeded = deployments.filter(({ status }) => status === 'succeeded').length;
    expect(succeeded).toBeGreaterThanOrEqual(living.length);
    expect(deployments.filter(({ status }) => status === 'failed')).toEqual([]);
    for (const stranger of strangers) await stranger.inspect();
  } finally {
    for (const { child, ended } of agents) {
      child.kill('SIGKILL');
      await ended;
    }
    for (const stranger of strangers) await stranger.remove();
  }
});
