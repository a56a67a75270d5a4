import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { signalOwner } from '../src/base/owner.ts';
import { RUN_FILES } from '../src/record/schema.ts';
import type { Claim } from './claim.ts';
import { atMost, sampleFigure } from './figures.ts';
import { endAgent, jobOf, POOL, Scene } from './scene.ts';
import { soon } from './waiting.ts';

const TARGET_MS = 500;
/** A shell runs its trap after the current command: up to 10 ms of the measured time are the step's. */
const STEP = 'trap \'echo "saw $EPOCHREALTIME"; exit 1\' INT; echo ready; while :; do sleep 0.01; done';

/** SIGINT at the agent to the step's own handler; the two share a clock. */
export const interrupt: Claim = {
  name: 'interrupt',
  measure: async ({ dist, samples = 20, image, progress }) => {
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const times: number[] = [];
    for (let round = 1; round <= samples; round += 1) {
      scene.cloud.enqueue({
        project: 'bench',
        stack: 'interrupt',
        poolId: POOL.id,
        job: jobOf(image, [STEP]),
      });
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
    const what = 'SIGINT at the agent → the step sees it, at worst';
    return [sampleFigure(what, times, { ...atMost(TARGET_MS), unit: 'ms', of: 1 })];
  },
};

/** Waits for a line of a step's log. */
function lineOf(log: string, line: RegExp): Promise<RegExpExecArray> {
  return soon(
    `${line} in ${log}`,
    async () => line.exec(await readFile(log, 'utf8').catch(() => '')) ?? undefined,
  );
}
