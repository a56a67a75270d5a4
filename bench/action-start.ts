import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { completeIdentity } from '../test/emulators/github/job-environment.ts';
import { JobRunner } from '../test/emulators/github/runner.ts';
import { arrival } from './arrivals.ts';
import type { Claim } from './claim.ts';
import { ratioFigure } from './figures.ts';
import { bareNode, startOfNextProcess } from './processes.ts';
import { ORGANIZATION, POOL, REPOSITORY, Scene } from './scene.ts';
import { compare } from './statistics.ts';

const REACH = 5;
const MANIFEST = fileURLToPath(new URL('../action.yml', import.meta.url));

/** From the action's start to its request for the job's ID token. */
export const actionStart: Claim = {
  name: 'action-start',
  measure: async ({ dist, samples = 31, progress }) => {
    await using scene = await Scene.open();
    const actionDirectory = await actionOf(dist, scene);
    const [starts, bare]: [number[], number[]] = [[], []];
    for (let round = -2; round < samples; round += 1) {
      const a = await bareNode();
      const b = await untilRequest(scene, actionDirectory);
      if (round < 0) continue;
      bare.push(a);
      starts.push(b);
      if (round % 10 === 0) progress(`round ${round} of ${samples}`);
    }
    return [ratioFigure('action start → ID-token request', 'node -e 0', compare(starts, bare), REACH)];
  },
};

/** A folder that is the action to a runner, with the programs of `dist`. */
async function actionOf(dist: string, scene: Scene): Promise<string> {
  const directory = await scene.folder('action');
  await copyFile(MANIFEST, join(directory, 'action.yml'));
  await symlink(dist, join(directory, 'dist'));
  return directory;
}

async function runnerOf(scene: Scene, actionDirectory: string): Promise<JobRunner> {
  const identity = completeIdentity({ repository: REPOSITORY });
  const grant = scene.idTokens.register(identity);
  const base = await scene.fresh('job');
  return new JobRunner({
    ...identity,
    actionDirectory,
    inputs: {
      organization: ORGANIZATION,
      'runner-pool-id': POOL.id,
      'service-url': scene.cloud.url,
      'pull-image': 'false',
      'max-wait': '0s',
      'upload-artifact': 'never',
    },
    workDirectory: join(base, 'work'),
    tempDirectory: base,
    // No artifact is uploaded, so nobody listens there.
    services: { resultsUrl: 'http://127.0.0.1:9', runtimeToken: 'none', idToken: grant },
    onJobEnd: () => grant.revoke(),
  });
}

/** Milliseconds from the process's start to its request, which is never answered: there it is killed. */
async function untilRequest(scene: Scene, actionDirectory: string): Promise<number> {
  const runner = await runnerOf(scene, actionDirectory);
  scene.idTokens.faults.inject('token', { kind: 'stall' });
  const requested = arrival(({ path }) => path.startsWith('/idtoken/'));
  const started = startOfNextProcess();
  const main = await runner.startMain();
  try {
    return (await requested).at - (await started);
  } finally {
    await main.destroy();
    await runner.dispose();
  }
}
