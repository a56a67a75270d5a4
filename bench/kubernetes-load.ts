import type { CoreV1Api } from '@kubernetes/client-node';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Claim } from './claim.ts';
import { allFigure, ratioFigure } from './figures.ts';
import { benchCluster } from './kubernetes.ts';
import { apiOf, PodByHand } from './kubernetes-by-hand.ts';
import { POLL, PollTimes } from './polls.ts';
import { endAgent, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';
import { soon } from './waiting.ts';

const AGENTS = 10;
const JOBS = 30;
const START_MS = 120_000;
const JOBS_MS = 300_000;
const NAMESPACE = 'default';
const SCRIPT = 'echo here';

/** Many jobs at once, each with its own pull secret, run by a few lasting agents on this machine's one-node cluster. */
export const kubernetesLoad: Claim = {
  name: 'kubernetes-load',
  measure: async ({ dist, samples = JOBS, image, progress }) => {
    const kubeconfig = benchCluster(image);
    const byHand = await allByHand(kubeconfig, image, samples);
    progress(`${samples} pods by hand are done`);
    const api = apiOf(kubeconfig);
    await using scene = await Scene.open();
    const agents = await startAgents(scene, dist, kubeconfig);
    const before = await objects(api);
    const jobs = Array.from({ length: samples }, (_, index) => enqueue(scene, image, index));
    await scene.cloud.waitFor(() => jobs.every(({ endedAt }) => endedAt !== undefined), JOBS_MS);
    await Promise.all(agents.map((agent) => endAgent(agent, 'SIGTERM')));
    const left = [...(await objects(api))].filter((object) => !before.has(object));
    const claims = scene.cloud.requests.filter(({ path, status }) => path === POLL && status === 200).length;
    const red = jobs
      .filter(({ status }) => status !== 'succeeded')
      .map(({ id, status }) => `${id} ${status}`);
    const wrong = [
      ...red,
      ...left,
      ...scene.cloud.violations,
      ...(claims === jobs.length ? [] : [`${claims} claims`]),
    ];
    const took = jobs.map(({ claimedAt = Number.NaN, endedAt = Number.NaN }) => endedAt - claimedAt);
    const what = `${samples} jobs by ${AGENTS} agents on one node`;
    return [
      allFigure(`${what}: green, claimed once, no pod, secret or config map left`, wrong, samples),
      ratioFigure(`${what}, each against a bare pod by hand, ${AGENTS} at a time`, took, byHand, {
        digits: 0,
        isPaired: false,
      }),
    ];
  },
};

/** Milliseconds of each bare pod, from creation to removal. */
async function allByHand(kubeconfig: string, image: string, count: number): Promise<number[]> {
  const times: number[] = [];
  let begun = 0;
  const work = async () => {
    while (begun < count) {
      begun += 1;
      const from = performance.now();
      {
        await using pod = new PodByHand(kubeconfig);
        await pod.start(image);
        await pod.run(SCRIPT);
      }
      times.push(performance.now() - from);
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, work));
  return times;
}

/** Starts lasting agents and waits until each has polled. */
async function startAgents(scene: Scene, dist: string, kubeconfig: string): Promise<SceneAgent[]> {
  using polls = new PollTimes();
  const home = await scene.folder('home');
  const settings = {
    DEPLOY_TARGET: 'kubernetes',
    KUBECONFIG: kubeconfig,
    NAMESPACE,
    POLLING_INTERVAL: '500ms',
    SINGLE_RUN: 'false',
  };
  const agents: SceneAgent[] = [];
  for (let index = 0; index < AGENTS; index += 1) agents.push(await scene.startAgent(dist, home, settings));
  await soon(`the polls of ${AGENTS} agents`, () => polls.pollers >= AGENTS || undefined, { ms: START_MS });
  return agents;
}

function enqueue({ cloud }: Scene, image: string, index: number): Deployment {
  const job = jobOf(image, [SCRIPT]);
  const credentials = { username: 'robot', password: { secret: `bench-${index}` } };
  return cloud.enqueue({
    project: 'bench',
    stack: `load-${index}`,
    poolId: POOL.id,
    job: { ...job, image: { reference: image, credentials } },
  });
}

/** Everything of the kinds that an agent could leave behind, as `kind/name`. */
async function objects(api: CoreV1Api): Promise<Set<string>> {
  const where = { namespace: NAMESPACE };
  const lists = {
    pod: await api.listNamespacedPod(where),
    secret: await api.listNamespacedSecret(where),
    configmap: await api.listNamespacedConfigMap(where),
    podtemplate: await api.listNamespacedPodTemplate(where),
  };
  return new Set(
    Object.entries(lists).flatMap(([kind, { items }]) =>
      items.map(({ metadata }) => `${kind}/${metadata?.name}`),
    ),
  );
}
