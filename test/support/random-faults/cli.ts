/** `scripts/random-faults`: plays seed after seed, a line for each. Ends with 1 if any run broke a rule. */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';
import { makeImages } from '../docker/images.ts';
import { draw, inWords } from './plan.ts';
import { broken } from './rules.ts';
import { play } from './run.ts';
import type { Seen } from './seen.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '1' },
    'at-once': { type: 'string', default: '2' },
    plan: { type: 'boolean', default: false },
    pools: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed ?? randomInt(1_000_000));
const seeds = Array.from({ length: Number(values.runs) }, (_, at) => seed + at).filter(
  (each) => !values.pools || draw(each).pool !== undefined,
);

/** How a run ended, in words. */
function end({ main, post, deployment, directories, exits, seconds, struck, plan, queue }: Seen): string {
  if (queue !== undefined) {
    const burnt = queue.filter(({ status }) => status !== 'succeeded').length;
    return `${burnt} of ${queue.length} burnt; exits ${exits.join(', ')}; ${seconds.toFixed(1)} s`;
  }
  const said =
    main === undefined
      ? `exits ${exits.join(', ')}`
      : `main ${main.conclusion} (${main.outputs['outcome']}), post ${post?.conclusion}`;
  const outcomes = directories.map(({ result }) => result?.outcome ?? 'no result').join(', ');
  const shown = `Pulumi Cloud ${deployment.status} (${deployment.endReason ?? 'open'})`;
  return [
    said,
    `record ${outcomes}`,
    shown,
    ...(plan.strike === undefined || struck ? [] : ['never struck']),
    `${seconds.toFixed(1)} s`,
  ].join('; ');
}

async function one(seed: number, blobs: BlobStore): Promise<boolean> {
  const plan = draw(seed);
  try {
    const { seen, broken: found } = await play(plan, blobs, broken);
    console.log(`${found.length === 0 ? '✓' : '✗'} ${seed}: ${inWords(plan)} → ${end(seen)}`);
    for (const each of found) console.log(`    ${each.slice(0, 600)}`);
    if (found.length > 0) console.log(`    ${seen.directory}\n    ${JSON.stringify(plan)}`);
    return found.length === 0;
  } catch (error) {
    console.log(
      `✗ ${seed}: ${inWords(plan)} → the runner itself failed: ${error instanceof Error ? error.stack : String(error)}`,
    );
    return false;
  }
}

async function main(): Promise<number> {
  if (values.plan) {
    for (const each of seeds) console.log(`${each}: ${inWords(draw(each))}\n  ${JSON.stringify(draw(each))}`);
    return 0;
  }
  await makeImages();
  const blobs = await startBlobStore();
  const left = [...seeds];
  // A run that is cut off would leave its processes behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => left.splice(0));
  let [played, failed] = [0, 0];
  const worker = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      if (!(await one(next, blobs))) failed += 1;
      played += 1;
    }
  };
  await Promise.all(Array.from({ length: Number(values['at-once']) }, worker));
  await blobs.stop();
  console.log(`${played} runs, ${failed} of them broke a rule.`);
  return failed === 0 ? 0 : 1;
}

process.exit(await main());
