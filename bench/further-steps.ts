import { readdirSync, readFileSync, statSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEvent } from '../src/record/reader.ts';
import { RUN_FILES } from '../src/record/schema.ts';
import { ByHand } from './baseline.ts';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { endedWith, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';

const TARGET = 1.3;
/** Steps after the first, which is not measured. */
const FURTHER = 20;
/**
 * A trivial step that then idles and prints for how long, to be subtracted. A bare exec is timed while it idles, so
 * both meet the same load and never overlap.
 */
const STEP = 'from=$EPOCHREALTIME; echo done; sleep 0.25; echo "$from $EPOCHREALTIME"';
const EXEC = 'echo done';

/** Each step after the first, from the end of the previous one to its own, against a bare exec. */
export const furtherSteps: Claim = {
  name: 'further-steps',
  measure: async ({ dist, samples = 8, image, progress }) => {
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const [steps, execs]: [number[], number[]] = [[], []];
    for (let round = -1; round < samples; round += 1) {
      await using hand = await ByHand.start();
      await hand.do({ order: 'open', image });
      const scripts = Array.from({ length: FURTHER + 1 }, () => STEP);
      scene.cloud.enqueue({
        project: 'bench',
        stack: 'further-steps',
        poolId: POOL.id,
        job: jobOf(image, scripts),
      });
      const agent = await scene.startAgent(dist, home);
      const bare = await execPerStep(agent, hand);
      await endedWith('succeeded', agent);
      const took = stepTimes(agent.runDirectory);
      if (round < 0) continue;
      execs.push(...bare.slice(1));
      steps.push(...took.slice(1));
      progress(`round ${round} of ${samples}`);
    }
    return [ratioFigure('each further step, against a bare exec', steps, execs, atMost(TARGET))];
  },
};

/** Times a bare exec during every step, as soon as the step has printed. */
async function execPerStep({ runDirectory }: SceneAgent, hand: ByHand): Promise<number[]> {
  const folder = join(runDirectory, RUN_FILES.steps);
  await mkdir(folder, { recursive: true });
  const { promise, resolve, reject } = Promise.withResolvers<number[]>();
  const times: number[] = [];
  let step = 1;
  const timer = setTimeout(() => reject(new Error(`the job never came to step ${step}`)), 120_000);
  const watcher = watch(folder, (_, file) => {
    if (file === null || Number.parseInt(file, 10) !== step || statSync(join(folder, file)).size === 0)
      return;
    step += 1;
    hand.do({ order: 'exec', script: EXEC }).then((ms) => {
      times.push(ms);
      if (times.length === FURTHER + 1) resolve(times);
    }, reject);
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    watcher.close();
  }
}

/** Milliseconds of each step since the previous one (for the first: the preparation) ended, without its idle time. */
function stepTimes(runDirectory: string): number[] {
  const lines = readFileSync(join(runDirectory, RUN_FILES.events), 'utf8').split('\n').slice(0, -1);
  const ends = lines
    .map(parseEvent)
    .flatMap((event) => (event?.type === 'step-finished' ? [Date.parse(event.t)] : []));
  const logs = readdirSync(join(runDirectory, RUN_FILES.steps)).toSorted();
  return ends
    .slice(1)
    .map((end, index) => end - (ends[index] ?? Number.NaN) - rest(runDirectory, logs[index + 1]));
}

/** Milliseconds that the step idled, according to its log. */
function rest(runDirectory: string, log = ''): number {
  const [, from, to] =
    /^([\d.]+) ([\d.]+)$/m.exec(readFileSync(join(runDirectory, RUN_FILES.steps, log), 'utf8')) ?? [];
  return (Number(to) - Number(from)) * 1000;
}
