import { join } from 'node:path';
import { type Arrival, answer } from './arrivals.ts';
import { ByHand } from './baseline.ts';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { firstByte } from './first-byte.ts';
import { endedWith, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';

const TARGET = 2;
const SCRIPT = 'echo here';

const isPoll = ({ path }: Arrival) => path === '/api/deployments/poll';

/**
 * Claim handed to the kernel to first line of step 1 in its file, where every reader sees it first. Agent and baseline
 * are both warm: the agent has polled once and has loaded everything.
 */
export const firstOutput: Claim = {
  name: 'first-output',
  measure: async ({ dist, samples = 25, image, progress }) => {
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const job = { project: 'bench', stack: 'first-output', poolId: POOL.id, job: jobOf(image, [SCRIPT]) };
    const waiting = async () => {
      const polled = answer(isPoll);
      const agent = await scene.startAgent(dist, home, { POLLING_INTERVAL: '500ms' });
      await polled;
      const claimed = answer(isPoll);
      scene.cloud.enqueue(job);
      return outputOf(agent, claimed);
    };
    const [hand, ours]: [number[], number[]] = [[], []];
    for (let round = -2; round < samples; round += 1) {
      const a = await byHand(image);
      const b = await waiting();
      if (round < 0) continue;
      hand.push(a);
      ours.push(b);
      if (round % 10 === 0) progress(`round ${round} of ${samples}`);
    }
    const what = 'claim → first step output, against network + create + start + exec by hand';
    return [ratioFigure(what, ours, hand, atMost(TARGET))];
  },
};

async function byHand(image: string): Promise<number> {
  await using hand = await ByHand.start();
  return await hand.do({ order: 'first-output', image, script: SCRIPT });
}

/** Milliseconds from the claim to the first output in the step's file. */
async function outputOf(agent: SceneAgent, claimed: Promise<Arrival>): Promise<number> {
  const written = firstByte(join(agent.runDirectory, 'steps'), /^01-/);
  const { at } = await claimed;
  const took = (await written) - at;
  await endedWith('succeeded', agent);
  return took;
}
