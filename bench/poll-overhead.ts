import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { VERSION } from '../src/version.ts';
import type { PollOrder } from './bare-poller.ts';
import type { Claim } from './claim.ts';
import { ratioFigure, spread } from './figures.ts';
import { closeAfterPolls, POLL } from './polls.ts';
import { PLAIN_ENVIRONMENT } from './processes.ts';
import { cpuMs, residentMb } from './resources.ts';
import { endAgent, POOL, Scene } from './scene.ts';
import { compare, summarize } from './statistics.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

const BARE = fileURLToPath(new URL('./bare-poller.ts', import.meta.url));

/** An hour's polls at the default interval of a minute, at most: the agent adds up to a tenth to every pause. */
const POLLS_AN_HOUR = 60;
const DEFAULT_INTERVAL = '1m';
const INTERVAL_MS = 100;
/** From the first poll's answer: everything that a start brings is over by then. */
const START_MS = 3_000;
/** The second poll comes later than that, and the one after the hour's last too. */
const REST_SECONDS = 5;
/** No poll falls into it, as the second is due after a minute, and one of the snapshots that are written every 30 seconds does. */
const IDLE_MS = 30_000;
const HOUR_MS = 3_600_000;

/** CPU in milliseconds, requests by number. */
interface Polled {
  readonly cpuPerPoll: number;
  readonly requests: number;
  readonly startRequests: number;
}

interface Idle {
  readonly cpuAnHour: number;
  readonly residentMb: number;
}

/**
 * What an agent without work asks of Pulumi Cloud and of its machine in an hour, from two short runs: one makes an hour's polls
 * in quick succession, the other is looked at between two polls. Every poll goes over a new TLS connection, as where no server
 * keeps one open for a minute.
 */
export const pollOverhead: Claim = {
  name: 'poll-overhead',
  measure: async ({ dist, samples = 3, progress }) => {
    await using resources = new AsyncDisposableStack();
    const scene = resources.use(await Scene.open());
    const front = await startTlsFront(scene.cloud.url, await scene.folder('tls'));
    resources.defer(() => front.close());
    const bench: Bench = { scene, dist, home: await scene.folder('home') };
    const [tls, plain, idle, bare]: [Polled[], Polled[], Idle[], number[]] = [[], [], [], []];
    for (let round = -1; round < samples; round += 1) {
      const a = await barePolls(bench, front);
      const b = await hourOfPolls(bench, front);
      const c = await hourOfPolls(bench);
      if (round < 0) continue;
      bare.push(a * POLLS_AN_HOUR);
      tls.push(b);
      plain.push(c);
      progress(`round ${round} of ${samples}: an agent is looked at for ${IDLE_MS / 1000} s without a poll`);
      idle.push(await idleTime(bench));
    }
    return figures({ tls, plain, idle, bare });
  },
};

interface Bench {
  readonly scene: Scene;
  readonly dist: string;
  readonly home: string;
}

/** An hour's polls of an agent, by the front on a new connection each, else all on one connection without TLS. */
async function hourOfPolls({ scene, dist, home }: Bench, front?: TlsFront): Promise<Polled> {
  const { cloud } = scene;
  using _closing = front === undefined ? undefined : closeAfterPolls();
  const before = cloud.requests.length;
  const pauses = pausesAroundAnHour(scene);
  const agent = await scene.startAgent(
    dist,
    home,
    {
      SINGLE_RUN: 'false',
      MAX_WAIT: '30m',
      POLLING_INTERVAL: `${INTERVAL_MS}ms`,
      ...(front && { SERVICE_URL: front.url }),
    },
    front && { NODE_EXTRA_CA_CERTS: front.certificate },
  );
  const { pid } = agent.process.owner;
  const polls = () => cloud.requests.slice(before).filter((request) => request.path === POLL && request.status !== 0);
  await cloud.waitFor(() => polls().length === 1, 30_000);
  await delay(START_MS);
  const [cpu, seen] = [cpuMs(pid), cloud.requests.length];
  await cloud.waitFor(() => polls().length === 1 + POLLS_AN_HOUR, 120_000);
  // What the last answer sets off belongs to it.
  await delay(INTERVAL_MS);
  const [took, requests] = [cpuMs(pid) - cpu, cloud.requests.length - seen];
  await endAgent(agent, 'SIGTERM');
  pauses.end();
  return { cpuPerPoll: took / POLLS_AN_HOUR, requests, startRequests: seen - before };
}

/** Pulumi Cloud asks for a rest after the first poll and after an hour's: so the CPU time of the polls can be told from the rest. */
function pausesAroundAnHour({ cloud }: Scene): { end: () => void } {
  const none = { method: 'GET', path: new RegExp(`^${POLL}$`), when: 'after' } as const;
  const rest = { status: 204, headers: { 'retry-after': `${REST_SECONDS}` } };
  const scripts = [
    cloud.script({ ...none, times: 1, answer: rest }),
    cloud.script({ ...none, times: POLLS_AN_HOUR - 1, answer: { status: 204 } }),
    cloud.script({ ...none, times: Number.POSITIVE_INFINITY, answer: rest }),
  ];
  return { end: () => scripts.forEach((script) => void script.remove()) };
}

/** Milliseconds of CPU for one poll of a bare Node program, over as many polls, each on a new TLS connection. */
async function barePolls({ scene: { cloud } }: Bench, front: TlsFront): Promise<number> {
  using _closing = closeAfterPolls();
  const before = cloud.requests.length;
  const child = fork(BARE, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...PLAIN_ENVIRONMENT, NODE_EXTRA_CA_CERTS: front.certificate },
  });
  const gone = once(child, 'exit');
  try {
    const order: PollOrder = {
      url: `${front.url}${POLL}`,
      headers: {
        accept: 'application/vnd.pulumi+8',
        'user-agent': `bare-poller/${VERSION} (bench)`,
        authorization: `token ${cloud.createStaticToken(POOL.id)}`,
      },
      restMs: REST_SECONDS * 1000,
      intervalMs: INTERVAL_MS,
      polls: POLLS_AN_HOUR,
    };
    child.send(order);
    const answered = () => cloud.requests.slice(before).filter(({ status }) => status !== 0).length;
    await cloud.waitFor(() => answered() === 1, 30_000);
    await delay(START_MS);
    const cpu = cpuMs(child.pid ?? 0);
    await cloud.waitFor(() => answered() === 1 + POLLS_AN_HOUR, 120_000);
    await delay(INTERVAL_MS);
    return (cpuMs(child.pid ?? 0) - cpu) / POLLS_AN_HOUR;
  } finally {
    child.kill();
    await gone;
  }
}

/** The agent at its default interval, between its first poll and its second. */
async function idleTime({ scene, dist, home }: Bench): Promise<Idle> {
  const { cloud } = scene;
  const before = cloud.requests.length;
  const agent = await scene.startAgent(dist, home, {
    SINGLE_RUN: 'false',
    MAX_WAIT: '30m',
    POLLING_INTERVAL: DEFAULT_INTERVAL,
  });
  const { pid } = agent.process.owner;
  await cloud.waitFor(() => cloud.requests.slice(before).some(({ path }) => path === POLL), 30_000);
  await delay(START_MS);
  const [cpu, seen, from] = [cpuMs(pid), cloud.requests.length, performance.now()];
  await delay(IDLE_MS);
  const [took, ms] = [cpuMs(pid) - cpu, performance.now() - from];
  if (cloud.requests.length > seen) throw new Error('the agent made a request between two polls');
  const idle = { cpuAnHour: (took * HOUR_MS) / ms, residentMb: residentMb(pid) };
  await endAgent(agent, 'SIGTERM');
  return idle;
}

interface Measured {
  readonly tls: readonly Polled[];
  readonly plain: readonly Polled[];
  readonly idle: readonly Idle[];
  readonly bare: readonly number[];
}

function figures({ tls, plain, idle, bare }: Measured) {
  const requests = Math.max(...[...tls, ...plain].map((run) => run.requests));
  const anHour = (runs: readonly Polled[]) =>
    runs.map(({ cpuPerPoll }, round) => cpuPerPoll * POLLS_AN_HOUR + (idle[round]?.cpuAnHour ?? Number.NaN));
  const each = (runs: readonly Polled[]) => spread(summarize(runs.map(({ cpuPerPoll }) => cpuPerPoll)), 2);
  const still = summarize(idle.map(({ cpuAnHour }) => cpuAnHour));
  const resident = summarize(idle.map(({ residentMb: mb }) => mb));
  const how = `${POLLS_AN_HOUR} polls ${INTERVAL_MS} ms apart, and ${IDLE_MS / 1000} s without any × ${HOUR_MS / IDLE_MS}`;
  const against = 'a bare Node program that makes the same polls';
  const ratio = ratioFigure('agent CPU in an hour without work', against, compare(anHour(tls), bare));
  const kept = summarize(anHour(plain));
  return [
    {
      what: `requests in an hour without work, polling every ${DEFAULT_INTERVAL}`,
      reach: `≤ ${POLLS_AN_HOUR}`,
      got: `${requests}`,
      met: requests <= POLLS_AN_HOUR,
      detail: `the most of ${tls.length + plain.length} runs of ${POLLS_AN_HOUR} polls; before them, at the start, ${tls[0]?.startRequests}`,
    },
    {
      ...ratio,
      detail: `${ratio.detail}; computed from ${how}; a poll is ${each(tls)} ms, new TLS connection included`,
    },
    {
      what: 'the same in seconds',
      got: `${(summarize(anHour(tls)).median / 1000).toFixed(2)} s`,
      detail: `of which ${spread(still, 0)} ms are no poll's; with one kept connection, no TLS: ${spread(kept, 0)} ms, a poll ${each(plain)} ms; RSS ${spread(resident, 0)} MB`,
    },
  ];
}
