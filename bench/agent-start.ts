import { arrival } from './arrivals.ts';
import type { Claim } from './claim.ts';
import { timeFigure } from './figures.ts';
import { endedWith, Scene } from './scene.ts';

const REACH_MS = 400;

/** From the agent's start to its first poll: by then the engine is checked and the token exchanged. */
export const agentStart: Claim = {
  name: 'agent-start',
  measure: async ({ dist, samples = 31, progress }) => {
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const once = async (where: string): Promise<number> => {
      const polled = arrival(({ method, path }) => method === 'GET' && path === '/api/deployments/poll');
      const agent = await scene.startAgent(dist, where, { MAX_WAIT: '0s' });
      const { at } = await polled;
      await endedWith('no-work', agent);
      return at - agent.startedAt;
    };
    const starts: number[] = [];
    for (let round = -3; round < samples; round += 1) {
      const took = await once(home);
      if (round < 0) continue;
      starts.push(took);
      if (round % 10 === 0) progress(`round ${round} of ${samples}`);
    }
    return [timeFigure('agent start → first poll (engine checked, token exchanged)', starts, REACH_MS)];
  },
};
