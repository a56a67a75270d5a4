import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readResult } from '../src/record/reader.ts';
import type { WireFault } from '../test/emulators/pulumi-cloud/wire-faults.ts';
import type { Claim } from './claim.ts';
import { spread } from './figures.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';
import { compare, summarize } from './statistics.ts';

const ROUND_MB = 50;
const REACH = 1.1;
/** Milliseconds that Pulumi Cloud takes to answer a log call, its network included: a call to another city takes no less. */
const ANSWER_MS = 30;
const NAMES = ['customer-managed-workflow-agent', 'workflow-runner', 'workflow-runner-embeddable'];

/**
 * What the relay costs on the log path: a job that prints, run by our agent on its own, and by the same agent in the place of Pulumi's,
 * behind the relay, which writes a record of its own. Both times go from the step's first status to its last one.
 */
export const relay: Claim = {
  name: 'relay',
  measure: async ({ dist, samples = 5, image, progress }) => {
    await using scene = await Scene.open();
    scene.cloud.allow(/step 1 has 0 lines, the call's offset is/);
    const later: WireFault = (response) =>
      void setTimeout(() => response.writeHead(200, { 'content-length': 2 }).end('{}'), ANSWER_MS);
    scene.cloud.script({ path: /\/1\/logs$/, times: Number.POSITIVE_INFINITY, answer: later });
    const programs = await standIn(scene, dist);
    const direct: number[] = [];
    const relayed: number[] = [];
    for (let round = 1; round <= samples; round++) {
      direct.push(await seconds(scene, dist, image, {}));
      relayed.push(
        await seconds(scene, dist, image, {
          ENGINE: 'pulumi',
          ENGINE_PATH: programs,
          ENABLED_WORKFLOW_TYPES: 'deployment',
        }),
      );
      progress(`round ${round}: ${direct.at(-1)?.toFixed(2)} s, behind the relay ${relayed.at(-1)?.toFixed(2)} s`);
    }
    const { measured, baseline, paired } = compare(relayed, direct);
    const ratio = measured.median / baseline.median;
    const speed = (times: readonly number[]) => spread(summarize(times.map((each) => ROUND_MB / each)), 0);
    return [
      {
        what: "log behind the relay, time against the same agent's without it",
        reach: `≤ ${REACH.toFixed(2)} ×`,
        got: `${ratio.toFixed(2)} ×`,
        met: ratio <= REACH,
        detail: `${ROUND_MB} MB to a Pulumi Cloud that answers after ${ANSWER_MS} ms; ${speed(relayed)} / ${speed(direct)} MB/s; side by side ${paired.median.toFixed(2)} [${paired.lower.toFixed(2)}–${paired.upper.toFixed(2)}]; n=${relayed.length}`,
      },
    ];
  },
};

/** The folder of our own agent in the place of Pulumi's. */
async function standIn(scene: Scene, dist: string): Promise<string> {
  const folder = await scene.folder('customer-managed-workflow-agent');
  const script = `#!/bin/sh
export PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL=true
exec '${process.execPath}' '${join(dist, 'agent', 'index.js')}' "$@"
`;
  for (const name of NAMES) await writeFile(join(folder, name), script, { mode: 0o755 });
  return folder;
}

/** Seconds from the step's first status to the job's end. Throws when the record lacks a byte. */
async function seconds(
  scene: Scene,
  dist: string,
  image: string,
  settings: Readonly<Record<string, string>>,
): Promise<number> {
  const script = `yes ${'x'.repeat(99)} | head -c ${ROUND_MB}000000`;
  const job = { ...jobOf(image, [script]), env: { PULUMI_SERVICE_URL: 'https://api.example.com' } };
  const deployment = scene.cloud.enqueue({ project: 'bench', stack: 'relay', poolId: POOL.id, job });
  const agent = await scene.startAgent(dist, await scene.folder('home'), settings);
  await scene.cloud.waitFor(() => deployment.endedAt !== undefined, 600_000);
  await endedWith('succeeded', agent);
  const step = (await readResult(agent.runDirectory))?.steps[1];
  if (step?.bytes !== ROUND_MB * 1e6 || step.cloud.undelivered > 0)
    throw new Error(`the log is not whole: ${JSON.stringify(step)}`);
  await rm(join(agent.runDirectory, step.log ?? ''));
  const [first] = deployment.steps[1]?.statusHistory ?? [];
  return ((deployment.endedAt ?? 0) - (first?.at ?? 0)) / 1000;
}
