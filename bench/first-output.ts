import { join } from 'node:path';
import { type Arrival, answer, arrival } from './arrivals.ts';
import { ByHand } from './baseline.ts';
import type { Claim } from './claim.ts';
import { ratioFigure } from './figures.ts';
import { firstByte } from './first-byte.ts';
import { endedWith, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';
import { compare } from './statistics.ts';

const REACH = 1.15;
const SCRIPT = 'echo here';
const TIMEOUT_MS = 60_000;

const isPoll = ({ path }: Arrival) => path === '/api/deployments/poll';

/**
 * From the moment when the claim has been handed to the kernel to the first line of step 1 in its file, which is where every
 * reader sees it first. The agent has polled once before, in vain, and so has everything loaded, as has the program by hand.
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
    const starting = async () => {
      scene.cloud.enqueue(job);
      const claimed = answer(isPoll);
      return outputOf(await scene.startAgent(dist, home), claimed);
    };
    const [hand, bare, file, cloud, atOnce]: [number[], number[], number[], number[], number[]] = [[], [], [], [], []];
    for (let round = -2; round < samples; round += 1) {
      const a = await byHand(image, true);
      const open = await byHand(image, false);
      const b = await waiting();
      const c = await starting();
      if (round < 0) continue;
      hand.push(a);
      bare.push(open);
      file.push(b.file);
      cloud.push(b.cloud);
      atOnce.push(c.file);
      if (round % 10 === 0) progress(`round ${round} of ${samples}`);
    }
    const against = 'network + create + start + exec by hand';
    return [
      ratioFigure('claim → first step output', against, compare(file, hand), REACH),
      ratioFigure('claim → first step output', 'the same on the shared network', compare(file, bare)),
      ratioFigure('claim → first step output at Pulumi Cloud', against, compare(cloud, hand)),
      ratioFigure('claim at the first poll → first step output', against, compare(atOnce, hand)),
    ];
  },
};

async function byHand(image: string, contained: boolean): Promise<number> {
  await using hand = await ByHand.start();
  return await hand.do({ order: 'first-output', image, script: SCRIPT, contained });
}

/** Milliseconds from the claim to the output in the step's file and to its arrival at Pulumi Cloud. */
async function outputOf(agent: SceneAgent, claimed: Promise<Arrival>): Promise<{ file: number; cloud: number }> {
  const told = arrival(({ path }) => path.endsWith('/1/logs'), TIMEOUT_MS);
  const written = firstByte(join(agent.runDirectory, 'steps'), /^01-/);
  const { at } = await claimed;
  const figures = { file: (await written) - at, cloud: (await told).at - at };
  await endedWith('succeeded', agent);
  return figures;
}
