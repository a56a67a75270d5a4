import { setTimeout as delay } from 'node:timers/promises';
import type { Claim } from './claim.ts';
import { spread } from './figures.ts';
import { residentMb } from './resources.ts';
import { endAgent, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';
import { summarize } from './statistics.ts';

const REACH_MB = 150;
/** How much more the last third may hold than the first, as a share. */
const FLAT = 1.1;
const PRINTED_MB = 200;
/** Lines of 100 bytes, as programs print them. */
const SCRIPT = `yes ${'x'.repeat(99)} | head -c ${PRINTED_MB}000000`;
const EVERY_MS = 100;
const JOB_MS = 600_000;

/** The agent's resident memory while a job prints 200 MB and after it. The agent goes on, so that it can still be looked at. */
export const memory: Claim = {
  name: 'memory',
  measure: async ({ dist, image, progress }) => {
    await using scene = await Scene.open();
    const deployment = scene.cloud.enqueue({
      project: 'bench',
      stack: 'memory',
      poolId: POOL.id,
      job: jobOf(image, [SCRIPT]),
    });
    const agent = await scene.startAgent(dist, await scene.folder('home'), { SINGLE_RUN: 'false' });
    progress(`${PRINTED_MB} MB are being printed`);
    const ended = scene.cloud.waitFor(() => deployment.endedAt !== undefined, JOB_MS);
    const during = await samplesUntil(ended, agent);
    if (deployment.status !== 'succeeded') throw new Error(`the job is ${deployment.status}`);
    const after = await samplesUntil(delay(3_000), agent);
    await endAgent(agent, 'SIGTERM');

    const printing = during.slice(during.findIndex((mb) => mb > 0));
    const third = Math.floor(printing.length / 3);
    const [first, last] = [summarize(printing.slice(0, third)), summarize(printing.slice(-third))];
    const growth = last.median / first.median;
    const peak = Math.max(...during);
    const left = summarize(after).median;
    const lines = deployment.steps[1]?.lines.length ?? 0;
    return [
      {
        what: `agent memory, the most during and after a job that printed ${PRINTED_MB} MB`,
        reach: `≤ ${REACH_MB} MB`,
        got: `${Math.max(peak, left).toFixed(0)} MB`,
        met: Math.max(peak, left) <= REACH_MB,
        detail: `RSS ${spread(summarize(during), 0)} MB, 3 s after the job ${spread(summarize(after), 0)} MB; n=${during.length}; ${lines} lines delivered`,
      },
      {
        what: 'agent memory, last third of the job against the first',
        reach: `≤ ${FLAT.toFixed(2)} ×`,
        got: `${growth.toFixed(2)} ×`,
        met: growth <= FLAT,
        detail: `${spread(last, 0)} / ${spread(first, 0)} MB; n=${third}`,
      },
    ];
  },
};

/** The agent's resident memory in MB, ten times a second until `over` settles. */
async function samplesUntil(over: Promise<unknown>, { process: { owner } }: SceneAgent): Promise<number[]> {
  const samples: number[] = [];
  let isOver = false;
  const settled = over.finally(() => {
    isOver = true;
  });
  settled.catch(() => undefined);
  while (!isOver) {
    samples.push(residentMb(owner.pid));
    await delay(EVERY_MS);
  }
  await settled;
  return samples;
}
