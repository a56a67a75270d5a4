import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../emulators/github/azurite.ts';
import { ActionRun } from './action-run.ts';
import { AgentRun } from './agent-run.ts';
import type { Plan } from './plan.ts';
import { PoolRun } from './pool-run.ts';
import { Scene } from './scene.ts';
import type { Seen } from './seen.ts';

/** Plays one plan to its end. `judge` decides whether its files are kept. */
export async function play(
  plan: Plan,
  blobs: BlobStore,
  judge: (seen: Seen) => readonly string[],
): Promise<{ seen: Seen; broken: readonly string[] }> {
  const scene = await Scene.open(plan, blobs);
  let seen: Seen;
  try {
    seen = await played(plan, scene);
  } catch (error) {
    await scene.close();
    throw error;
  }
  const isOdd = judge(seen).length > 0;
  if (isOdd && scene.root !== scene.directory)
    await cp(scene.root, join(scene.directory, 'job'), {
      recursive: true,
      filter: (path) => !path.endsWith('.sock'),
    });
  const whole = { ...seen, wrong: await scene.close({ keep: isOdd }) };
  return { seen: whole, broken: judge(whole) };
}

function played(plan: Plan, scene: Scene): Promise<Seen> {
  if (plan.pool !== undefined) return new PoolRun(scene).run(plan.pool);
  return (plan.kind === 'action' ? new ActionRun(scene) : new AgentRun(scene)).run();
}
