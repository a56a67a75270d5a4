import { setTimeout as delay } from 'node:timers/promises';
import { readResult } from '../src/record/reader.ts';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Claim } from './claim.ts';
import { allFigure, atMost, sampleFigure } from './figures.ts';
import { assertRoomFor, startAll, WAITING_MS, withoutWork } from './many-agents.ts';
import { POLL, PollTimes } from './polls.ts';
import { endedWith, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';

/** The most workflows that an organization may run at once. */
const AGENTS = 150;
const TARGET_MS = 1_000;
const INTERVAL_MS = 500;
/** Milliseconds between the jobs that come one by one. */
const JOB_EVERY_MS = 150;
const JOBS_MS = 180_000;
/** A job with this image fails before its container is made, so 150 agents need no 150 containers. */
const MISSING_IMAGE = 'pulumi-runner-bench/missing:1';

/**
 * Agents of one pool that each serve one job: half of the jobs come at once, while all agents poll; the others one by
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
    const latencies = [...together, ...single].map(
      ({ createdAt, claimedAt = Number.NaN }) => claimedAt - createdAt,
    );
    const answers = [...waiting.answers, ...polls.take()];
    return [
      allFigure(
        `${samples} agents, as many jobs: claimed once each, by an agent that claimed nothing else`,
        wrong,
        samples,
      ),
      sampleFigure(`enqueue → claim, p99, ${samples} agents polling every ${INTERVAL_MS} ms`, latencies, {
        ...atMost(TARGET_MS),
        unit: 'ms',
        of: 0.99,
      }),
      sampleFigure('poll → answer at the emulator, p99', answers, { unit: 'ms', digits: 1, of: 0.99 }),
      sampleFigure('memory of a waiting agent (RSS), the most of them', waiting.residentMb, {
        unit: 'MB',
        of: 1,
      }),
      sampleFigure('the same, shared pages divided by who shares them (PSS)', waiting.proportionalMb, {
        unit: 'MB',
        of: 1,
      }),
    ];
  },
};

/** Enqueues a job for a new stack: a stack has at most one running deployment. */
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

/** What is wrong, a sentence each: a job that two agents or none served, an agent that claimed two or polled on. */
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
    if (claims !== 1 || answers.at(-1)?.status !== 200)
      wrong.push(`${claimedBy} had ${claims} claims, or polled on`);
  }
  return wrong;
}
