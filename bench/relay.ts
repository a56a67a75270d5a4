import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readResult } from '../src/record/reader.ts';
import type { Claim, Figure } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';

const REACH = 1.1;
/** How fast Pulumi Cloud answers log calls: at once, or as from another city. The slower, the less the job prints. */
const CLOUDS = [
  { answerMs: 0, megabytes: 150 },
  { answerMs: 30, megabytes: 50 },
] as const;
const NAMES = ['customer-managed-workflow-agent', 'workflow-runner', 'workflow-runner-embeddable'];

/**
 * What the relay costs on the log path: our agent runs a job that prints, directly and in the place of Pulumi's agent,
 * behind the relay, which writes its own record. Both times run from the step's first status to the job's end.
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
        progress(
          `round ${round}: ${direct.at(-1)?.toFixed(2)} s, behind the relay ${relayed.at(-1)?.toFixed(2)} s`,
        );
      }
      const when = answerMs === 0 ? 'at once' : `after ${answerMs} ms`;
      const what = `log of ${megabytes} MB behind the relay to a Pulumi Cloud that answers ${when}, against without it`;
      figures.push(ratioFigure(what, relayed, direct, { ...atMost(REACH), unit: 's', digits: 1 }));
    }
    return figures;
  },
};

/** Creates a folder with our own agent in the place of Pulumi's. */
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

/** Seconds from the step's first status to the job's end. Throws if the record lacks a byte. */
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
