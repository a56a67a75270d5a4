import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signalOwner } from '../src/record/owner.ts';
import { RUN_FILES } from '../src/record/schema.ts';
import type { Claim } from './claim.ts';
import { spread } from './figures.ts';
import { endAgent, jobOf, POOL, Scene } from './scene.ts';
import { quantile, summarize } from './statistics.ts';

const REACH_MS = 500;
/** A shell runs its trap when the command before has ended: 10 ms of what is measured are the step's own. */
const STEP = 'trap \'echo "saw $EPOCHREALTIME"; exit 1\' INT; echo ready; while :; do sleep 0.01; done';

/** From SIGINT at the agent to the step's own handler, by the clock that the two share. */
export const interrupt: Claim = {
  name: 'interrupt',
  measure: async ({ dist, samples = 20, image, progress }) => {
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const times: number[] = [];
    for (let round = 1; round <= samples; round += 1) {
      scene.cloud.enqueue({ project: 'bench', stack: 'interrupt', poolId: POOL.id, job: jobOf(image, [STEP]) });
      const agent = await scene.startAgent(dist, home);
      const log = join(agent.runDirectory, RUN_FILES.steps, '01-step-1.log');
      await lineOf(log, /^ready$/m);
      const sent = performance.timeOrigin + performance.now();
      signalOwner(agent.process.owner, 'SIGINT');
      await endAgent(agent);
      const [, seen] = await lineOf(log, /^saw ([\d.]+)$/m);
      times.push(Number(seen) * 1000 - sent);
      progress(`round ${round} of ${samples}`);
    }
    const worst = quantile(times, 1);
    return [
      {
        what: 'SIGINT at the agent → the step sees it, at worst',
        reach: `≤ ${(REACH_MS / 1000).toFixed(1)} s`,
        got: `${(worst / 1000).toFixed(2)} s`,
        met: worst <= REACH_MS,
        detail: `${spread(summarize(times))} ms; n=${times.length}`,
      },
    ];
  },
};

/** Waits for a line of a step's log. */
async function lineOf(log: string, line: RegExp): Promise<RegExpExecArray> {
  for (const end = performance.now() + 60_000; performance.now() < end; await delay(10)) {
    const found = line.exec(await readFile(log, 'utf8').catch(() => ''));
    if (found !== null) return found;
  }
  throw new Error(`${log} never had ${line}`);
}
