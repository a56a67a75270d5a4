import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readResult } from '../src/record/reader.ts';
import type { Claim, Figure } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';

const REACH = 1.1;
/** How soon Pulumi Cloud answers a log call: at once, and in the time that a call to another city takes; the slower, the less is sent. */
const CLOUDS = [
  { answerMs: 0, megabytes: 150 },
  { answerMs: 30, megabytes: 50 },
] as const;
const NAMES = ['customer-managed-workflow-agent', 'workflow-runner', 'workflow-runner-embeddable'];

/**
 * What the relay costs on the log path: a job that prints, run by our agent on its own, and by the same agent in the place of Pulumi's,
 * behind the relay, which writes a record of its own. Both times go from the step's first status to its last one.
 */
export const relay: Claim = {
  name: 'relay',
  measure: async ({ dist, samples = 5, image, progress }) => {
    const figures: Figure[] = [];
    for (const { answerMs, megabytes } of CLOUDS) {
      await using scene = await Scene.open();
      scene.takeLogs(answerMs);
      const [direct, relayed]: [number[], number[]] = [[], []];
      const behind = {
        ENGINE: 'pulumi',
        ENGINE_PATH: await standIn(scene, dist),
        ENABLED_WORKFLOW_TYPES: 'deployment',
      };
      for (let round = 1; round <= samples; round++) {
        direct.push(await seconds(scene, { dist, image, megabytes, settings: {} }));
        relayed.push(await seconds(scene, { dist, image, megabytes, settings: behind }));
        progress(`round ${round}: ${direct.at(-1)?.toFixed(2)} s, behind the relay ${relayed.at(-1)?.toFixed(2)} s`);
      }
      const when = answerMs === 0 ? 'at once' : `after ${answerMs} ms`;
      const what = `log of ${megabytes} MB behind the relay to a Pulumi Cloud that answers ${when}, against without it`;
      figures.push(ratioFigure(what, relayed, direct, { ...atMost(REACH), unit: 's', digits: 1 }));
    }
    return figures;
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

interface Round {
  readonly dist: string;
  readonly image: string;
  readonly megabytes: number;
  readonly settings: Readonly<Record<string, string>>;
}

/** Seconds from the step's first status to the job's end. Throws when the record lacks a byte. */
async function seconds(scene: Scene, { dist, image, megabytes, settings }: Round): Promise<number> {
  const script = `yes ${'x'.repeat(99)} | head -c ${megabytes}000000`;
  const job = { ...jobOf(image, [script]), env: { PULUMI_SERVICE_URL: 'https://api.example.com' } };
  const deployment = scene.cloud.enqueue({ project: 'bench', stack: 'relay', poolId: POOL.id, job });
  const agent = await scene.startAgent(dist, await scene.folder('home'), settings);
  await scene.cloud.waitFor(() => deployment.endedAt !== undefined, 600_000);
  await endedWith('succeeded', agent);
  const step = (await readResult(agent.runDirectory))?.steps[1];
  if (step?.bytes !== megabytes * 1e6 || step.cloud.undelivered > 0)
    throw new Error(`the log is not whole: ${JSON.stringify(step)}`);
  await rm(join(agent.runDirectory, step.log ?? ''));
  const [first] = deployment.steps[1]?.statusHistory ?? [];
  return ((deployment.endedAt ?? 0) - (first?.at ?? 0)) / 1000;
}
