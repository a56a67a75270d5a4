import { arrival } from './arrivals.ts';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure, sampleFigure } from './figures.ts';
import { bareNode } from './processes.ts';
import { endedWith, Scene } from './scene.ts';

const TARGET_MS = 400;

/** Agent start to first poll, which includes checking the engine and exchanging the token. */
export const agentStart: Claim = {
  name: 'agent-start',
  measure: async ({ dist, samples = 31, progress }) => {
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const [starts, bare]: [number[], number[]] = [[], []];
    for (let round = -3; round < samples; round += 1) {
      const node = await bareNode();
      const polled = arrival(({ method, path }) => method === 'GET' && path === '/api/deployments/poll');
      const agent = await scene.startAgent(dist, home, { MAX_WAIT: '0s' });
      const { at } = await polled;
      await endedWith('no-work', agent);
      if (round < 0) continue;
      starts.push(at - agent.startedAt);
      bare.push(node);
      if (round % 10 === 0) progress(`round ${round} of ${samples}`);
    }
    const what = 'agent start → first poll (engine checked, token exchanged)';
    return [
      sampleFigure(what, starts, { ...atMost(TARGET_MS), unit: 'ms' }),
      ratioFigure('the same, against `node -e 0`', starts, bare),
    ];
  },
};
