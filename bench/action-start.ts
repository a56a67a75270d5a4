import { copyFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { completeIdentity } from '../test/emulators/github/job-environment.ts';
import { JobRunner } from '../test/emulators/github/runner.ts';
import { arrival } from './arrivals.ts';
import type { Claim } from './claim.ts';
import { atMost, ratioFigure } from './figures.ts';
import { startOfNextProcess } from './processes.ts';
import { ORGANIZATION, POOL, REPOSITORY, Scene } from './scene.ts';

const TARGET = 2;
const MANIFEST = fileURLToPath(new URL('../action.yml', import.meta.url));
/** What google-github-actions/auth needs to ask for an ID token. */
const AUTH_INPUTS = {
  workload_identity_provider: 'projects/1/locations/global/workloadIdentityPools/bench/providers/bench',
  service_account: 'bench@bench.iam.gserviceaccount.com',
  create_credentials_file: 'false',
  token_format: 'access_token',
};

/** Action start to ID-token request, against google-github-actions/auth. Nothing is cached between rounds. */
export const actionStart: Claim = {
  name: 'action-start',
  measure: async ({ dist, auth = '', samples = 31, progress }) => {
    await using scene = await Scene.open();
    const directory = await actionOf(dist, scene);
    const inputs = {
      organization: ORGANIZATION,
      'runner-pool-id': POOL.id,
      'service-url': scene.cloud.url,
      'pull-image': 'false',
      'max-wait': '0s',
      'upload-artifact': 'never',
    };
    const [starts, theirs]: [number[], number[]] = [[], []];
    for (let round = -2; round < samples; round += 1) {
      const a = await untilRequest(scene, auth, AUTH_INPUTS);
      const b = await untilRequest(scene, directory, inputs);
      if (round < 0) continue;
      theirs.push(a);
      starts.push(b);
      if (round % 10 === 0) progress(`round ${round} of ${samples}`);
    }
    const what = 'action start → ID-token request, against google-github-actions/auth';
    return [ratioFigure(what, starts, theirs, atMost(TARGET))];
  },
};

/** Creates a folder that a runner can use as the action, with the programs of `dist`. */
async function actionOf(dist: string, scene: Scene): Promise<string> {
  const directory = await scene.folder('action');
  await copyFile(MANIFEST, join(directory, 'action.yml'));
  await symlink(dist, join(directory, 'dist'));
  return directory;
}

/** Milliseconds from process start to its request, which is never answered. Kills the process there. */
async function untilRequest(
  scene: Scene,
  actionDirectory: string,
  inputs: Readonly<Record<string, string>>,
): Promise<number> {
  const identity = completeIdentity({ repository: REPOSITORY });
  const grant = scene.idTokens.register(identity);
  const runner = new JobRunner({
    ...identity,
    actionDirectory,
    inputs,
    directory: await scene.fresh('job'),
    // No artifact is uploaded, so nothing listens there.
    services: { resultsUrl: 'http://127.0.0.1:9', runtimeToken: 'none', idToken: grant },
    onJobEnd: () => grant.revoke(),
  });
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
