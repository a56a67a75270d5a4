import { setTimeout as delay } from 'node:timers/promises';
import { readResult } from '../src/record/reader.ts';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Claim, Figure } from './claim.ts';
import { spread } from './figures.ts';
import { assertRoomFor, startAll, WAITING_MS, type Waiting, withoutWork } from './many-agents.ts';
import { POLL, PollTimes } from './polls.ts';
import { endedWith, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';
import { quantile, summarize } from './statistics.ts';

/** As many as an organization may have workflows running at once. */
const AGENTS = 150;
const REACH_MS = 1_000;
const INTERVAL_MS = 500;
/** Between two jobs of those that come one by one. */
const JOB_EVERY_MS = 150;
const JOBS_MS = 180_000;
/** A job with this image ends where its container would be made, so 150 agents need no 150 containers. */
const MISSING_IMAGE = 'pulumi-runner-bench/missing:1';

/**
 * Agents that serve one job each, on one pool: half of the jobs come at once, while all agents ask for work; the others one by
 * one, until no agent is left.
 */
export const scaleOut: Claim = {
  name: 'scale-out',
  measure: async ({ dist, samples = AGENTS, progress }) => {
    assertRoomFor(samples);
    await using scene = await Scene.open();
    using polls = new PollTimes();
    const agents = await startAll(scene, { dist, intervalMs: INTERVAL_MS, count: samples, polls, progress });

    progress(`${samples} agents poll every ${INTERVAL_MS} ms for ${WAITING_MS / 1000} s without work`);
    const waiting = await withoutWork(agents, polls);
    polls.take();
    const atOnce = Math.floor(samples / 2);
    progress(`${atOnce} jobs at once`);
    const together = Array.from({ length: atOnce }, () => enqueue(scene));
    await ended(scene, together);
    progress(`${samples - atOnce} jobs, one every ${JOB_EVERY_MS} ms`);
    const single: Deployment[] = [];
    for (let job = atOnce; job < samples; job += 1) {
      single.push(enqueue(scene));
      await delay(JOB_EVERY_MS);
    }
    await ended(scene, single);
    for (const agent of agents) await endedWith('target-error', agent);
    const wrong = [...(await wrongClaims(scene, agents)), ...scene.cloud.violations];
    return figures({ count: samples, wrong, together, single, waiting, answers: polls.take() });
  },
};

/** A job of a stack of its own: a stack has one running deployment at most. */
function enqueue({ cloud }: Scene): Deployment {
  return cloud.enqueue({
    project: 'bench',
    stack: `scale-out-${cloud.deployments.length}`,
    poolId: POOL.id,
    job: jobOf(MISSING_IMAGE, ['true']),
  });
}

function ended({ cloud }: Scene, deployments: readonly Deployment[]): Promise<unknown> {
  return cloud.waitFor(() => deployments.every(({ endedAt }) => endedAt !== undefined), JOBS_MS);
}

/** What must not be, one sentence each: a job that two agents had or none, an agent that had two or asked for more. */
async function wrongClaims({ cloud }: Scene, agents: readonly SceneAgent[]): Promise<string[]> {
  const wrong: string[] = [];
  const servedBy = new Map<string, number>();
  for (const { runDirectory } of agents) {
    const { deploymentId = 'none' } = (await readResult(runDirectory)) ?? {};
    servedBy.set(deploymentId, (servedBy.get(deploymentId) ?? 0) + 1);
  }
  for (const { id, claimedBy, endReason } of cloud.deployments) {
    const served = servedBy.get(id) ?? 0;
    if (served !== 1) wrong.push(`deployment ${id} was served by ${served} agents`);
    if (endReason !== 'steps') wrong.push(`deployment ${id} ended by ${endReason}`);
    const answers = cloud.requests.filter(({ path, tokenId }) => path === POLL && tokenId === claimedBy);
    const claims = answers.filter(({ status }) => status === 200).length;
    if (claims !== 1 || answers.at(-1)?.status !== 200) wrong.push(`${claimedBy} had ${claims} claims, or polled on`);
  }
  return wrong;
}

interface Measured {
  readonly count: number;
  readonly wrong: readonly string[];
  readonly together: readonly Deployment[];
  readonly single: readonly Deployment[];
  readonly waiting: Waiting;
  /** As `waiting.answers`, from the first job on. */
  readonly answers: readonly number[];
}

function figures({ count, wrong, together, single, waiting, answers }: Measured): Figure[] {
  const latencies = (deployments: readonly Deployment[]) =>
    deployments.map(({ createdAt, claimedAt = Number.NaN }) => claimedAt - createdAt);
  const all = latencies([...together, ...single]);
  const p99 = quantile(all, 0.99);
  const part = (deployments: readonly Deployment[]) => tail(latencies(deployments), 0);
  const [resident, proportional] = [summarize(waiting.memory.residentMb), summarize(waiting.memory.proportionalMb)];
  const share = (part: number) => `${(part * 100).toFixed(0)} %`;
  return [
    {
      what: `${count} agents, ${all.length} jobs: claimed once each, by an agent that claimed nothing else`,
      reach: 'all',
      got: wrong.length === 0 ? 'all' : `${wrong.length} wrong`,
      met: wrong.length === 0,
      detail:
        wrong.length === 0
          ? `n=${all.length}; by the run.json of every agent and the emulator, which saw no violation`
          : wrong.slice(0, 3).join('; '),
    },
    {
      what: `enqueue → claim, p99, ${count} agents polling every ${INTERVAL_MS} ms`,
      reach: `≤ ${(REACH_MS / 1000).toFixed(2)} s`,
      got: `${(p99 / 1000).toFixed(2)} s`,
      met: p99 <= REACH_MS,
      detail: `ms: ${together.length} at once ${part(together)}; ${single.length} one every ${JOB_EVERY_MS} ms ${part(single)}; every job ended at its missing image`,
    },
    {
      what: 'poll → answer at the emulator, p99',
      got: `${quantile([...waiting.answers, ...answers], 0.99).toFixed(1)} ms`,
      detail: `ms: without work ${tail(waiting.answers, 1)}, from the first job on ${tail(answers, 1)}; without work ${waiting.pollsPerSecond.toFixed(0)} polls a second, which took the agents ${share(waiting.busy.agents)} and the emulator ${share(waiting.busy.emulator)} of all CPUs`,
    },
    {
      what: 'memory of a waiting agent, the most of them',
      got: `${Math.max(...waiting.memory.residentMb).toFixed(0)} MB`,
      detail: `RSS ${spread(resident, 0)} MB; with shared pages divided by who shares them (PSS) ${spread(proportional, 0)} MB; n=${resident.count}`,
    },
  ];
}

/** Median, 99th percentile and the most. */
function tail(milliseconds: readonly number[], digits: number): string {
  if (milliseconds.length === 0) return 'none';
  const [median, p99, most] = [0.5, 0.99, 1].map((part) => quantile(milliseconds, part).toFixed(digits));
  return `median ${median}, p99 ${p99}, most ${most}`;
}
