import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { PulumiCloud } from '../test/emulators/pulumi-cloud/server.ts';
import type { PollOrder } from './bare-poller.ts';
import { closeAfterPolls, POLL } from './polls.ts';
import { PLAIN_ENVIRONMENT } from './processes.ts';
import { cpuMs, residentMb } from './resources.ts';
import { endAgent, POOL, Scene } from './scene.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

const BARE = fileURLToPath(new URL('./bare-poller.ts', import.meta.url));
/** From the first poll's answer: what a start brings is over by then. */
const START_MS = 3_000;
/** Before a rest is looked at: what a start leaves to be collected would count as an hour's. */
const SETTLED_MS = 15_000;
/** From a poll's answer: what it sets off is over by then. */
const AFTER_MS = 1_000;
const FIRST_POLL_MS = 30_000;

/** Polls to make, and how far apart. */
export interface Pace {
  readonly polls: number;
  readonly intervalMs: number;
}

/** What polls in vain cost; the time between them is in it. */
export interface PollCost {
  readonly cpuMs: number;
  /** Milliseconds that passed. */
  readonly elapsedMs: number;
  readonly requests: number;
}

/** An agent's polls: all on one plain connection, or each on a TLS connection of its own. */
export async function agentPolls(dist: string, pace: Pace, connection: 'kept' | 'tls'): Promise<PollCost> {
  await using resources = new AsyncDisposableStack();
  const scene = resources.use(await Scene.open());
  const front = connection === 'tls' ? await frontOf(scene, resources) : undefined;
  const settings = { ...LASTING, POLLING_INTERVAL: `${pace.intervalMs}ms`, ...(front && { SERVICE_URL: front.url }) };
  const agent = await scene.startAgent(dist, await scene.folder('home'), settings, front && trusting(front));
  const cost = await costOfPolls(scene.cloud, agent.process.owner.pid, pace);
  await endAgent(agent, 'SIGTERM');
  return cost;
}

/** The same polls of a program that does nothing else, each on a TLS connection of its own. */
export async function barePolls(pace: Pace): Promise<PollCost> {
  await using resources = new AsyncDisposableStack();
  const scene = resources.use(await Scene.open());
  const front = await frontOf(scene, resources);
  const child = fork(BARE, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...PLAIN_ENVIRONMENT, ...trusting(front) },
  });
  const gone = once(child, 'exit');
  resources.defer(async () => {
    child.kill();
    await gone;
  });
  const order: PollOrder = {
    url: `${front.url}${POLL}`,
    headers: {
      accept: 'application/vnd.pulumi+8',
      'user-agent': 'bare-poller/1 (bench)',
      authorization: `token ${scene.cloud.createStaticToken(POOL.id)}`,
    },
    intervalMs: pace.intervalMs,
  };
  child.send(order);
  return await costOfPolls(scene.cloud, child.pid ?? 0, pace);
}

/** An agent that has polled once and is not due to poll again. */
export async function agentAtRest(dist: string, ms: number): Promise<{ cpuMs: number; residentMb: number }> {
  await using scene = await Scene.open();
  const settings = { ...LASTING, POLLING_INTERVAL: `${ms + 60_000}ms` };
  const agent = await scene.startAgent(dist, await scene.folder('home'), settings);
  const { pid } = agent.process.owner;
  await answered(scene.cloud, 1, FIRST_POLL_MS);
  await delay(SETTLED_MS);
  const [cpu, seen] = [cpuMs(pid), scene.cloud.requests.length];
  await delay(ms);
  const took = cpuMs(pid) - cpu;
  if (scene.cloud.requests.length > seen) throw new Error('the agent made a request while it was to rest');
  const resident = residentMb(pid);
  await endAgent(agent, 'SIGTERM');
  return { cpuMs: took, residentMb: resident };
}

const LASTING = { SINGLE_RUN: 'false', MAX_WAIT: '2h' };

/** A way by TLS to the scene's Pulumi Cloud, where no connection is kept after a poll. */
async function frontOf({ cloud, directory }: Scene, resources: AsyncDisposableStack): Promise<TlsFront> {
  const front = await startTlsFront(cloud.url, directory);
  resources.defer(() => front.close());
  resources.use(closeAfterPolls(Number(new URL(cloud.url).port)));
  return front;
}

function trusting({ certificate }: TlsFront): { NODE_EXTRA_CA_CERTS: string } {
  return { NODE_EXTRA_CA_CERTS: certificate };
}

async function costOfPolls(cloud: PulumiCloud, pid: number, { polls, intervalMs }: Pace): Promise<PollCost> {
  await answered(cloud, 1, FIRST_POLL_MS);
  await delay(START_MS);
  const earlier = polled(cloud) + 1;
  await answered(cloud, earlier, 2 * intervalMs + FIRST_POLL_MS);
  await delay(AFTER_MS);
  const [cpu, seen, from] = [cpuMs(pid), cloud.requests.length, performance.now()];
  await answered(cloud, earlier + polls, 2 * polls * intervalMs + FIRST_POLL_MS);
  await delay(AFTER_MS);
  return {
    cpuMs: cpuMs(pid) - cpu,
    elapsedMs: performance.now() - from,
    requests: cloud.requests.length - seen,
  };
}

function polled({ requests }: PulumiCloud): number {
  return requests.filter(({ path, status }) => path === POLL && status !== 0).length;
}

function answered(cloud: PulumiCloud, polls: number, ms: number): Promise<unknown> {
  return cloud.waitFor(() => polled(cloud) >= polls, ms);
}
