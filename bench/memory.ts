import { setTimeout as delay } from 'node:timers/promises';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure, sampleFigure } from './figures.ts';
import { residentMb } from './resources.ts';
import { endAgent, jobOf, POOL, Scene } from './scene.ts';
import { samplesUntil } from './waiting.ts';

const TARGET_MB = 150;
/** The most that memory in the last third may be, relative to the first. */
const FLAT = 1.1;
const PRINTED_MB = 300;
/** Prints lines of 100 bytes, a typical length. */
const SCRIPT = `yes ${'x'.repeat(99)} | head -c ${PRINTED_MB}000000`;
const EVERY_MS = 100;
const JOB_MS = 600_000;

/** The agent's resident memory during and after a job that prints 300 MB. The agent outlives the job to be measured. */
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
    const resident = () => residentMb(agent.process.owner.pid);
    const during = await samplesUntil(ended, EVERY_MS, resident);
    if (deployment.status !== 'succeeded') throw new Error(`the job is ${deployment.status}`);
    const after = await samplesUntil(delay(3_000), EVERY_MS, resident);
    await endAgent(agent, 'SIGTERM');

    const lines = deployment.steps[1]?.lines.length ?? 0;
    if (lines !== PRINTED_MB * 10_000) throw new Error(`Failed to print: ${lines} lines were delivered.`);
    const third = Math.floor(during.length / 3);
    return [
      sampleFigure(
        `agent memory (RSS), the most during and after a job that printed ${PRINTED_MB} MB`,
        [...during, ...after],
        { ...atMost(TARGET_MB), unit: 'MB', of: 1 },
      ),
      ratioFigure(
        'the same, last third of the job against the first',
        during.slice(-third),
        during.slice(0, third),
        {
          ...atMost(FLAT),
          unit: 'MB',
          digits: 0,
          isPaired: false,
        },
      ),
    ];
  },
};
