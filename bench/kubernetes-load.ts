import { setTimeout as delay } from 'node:timers/promises';
import type { CoreV1Api } from '@kubernetes/client-node';
import type { Deployment } from '../test/emulators/pulumi-cloud/deployment.ts';
import type { Claim, Figure } from './claim.ts';
import { benchCluster } from './kubernetes.ts';
import { apiOf, PodByHand } from './kubernetes-by-hand.ts';
import { POLL, PollTimes } from './polls.ts';
import { endAgent, jobOf, POOL, Scene, type SceneAgent } from './scene.ts';

const AGENTS = 10;
const JOBS = 30;
const START_MS = 120_000;
const JOBS_MS = 300_000;
const NAMESPACE = 'default';
const SCRIPT = 'echo here';

/** Many jobs at once by a few lasting agents, on the one node of a cluster of this machine, each with a pull secret of its own. */
export const kubernetesLoad: Claim = {
  name: 'kubernetes-load',
  measure: async ({ dist, samples = JOBS, image, progress }) => {
    const kubeconfig = benchCluster(image);
    const byHand = await allByHand(kubeconfig, image, samples);
    progress(`${samples} pods by hand, ${AGENTS} at a time, took ${(byHand / 1000).toFixed(0)} s`);
    const api = apiOf(kubeconfig);
    await using scene = await Scene.open();
    const agents = await startAgents(scene, dist, kubeconfig);
    const before = await objects(api);
    const from = performance.now();
    const jobs = Array.from({ length: samples }, (_, index) => enqueue(scene, image, index));
    await scene.cloud.waitFor(() => jobs.every(({ endedAt }) => endedAt !== undefined), JOBS_MS);
    const took = performance.now() - from;
    progress(`${samples} jobs by ${AGENTS} agents took ${(took / 1000).toFixed(0)} s`);
    await Promise.all(agents.map((agent) => endAgent(agent, 'SIGTERM')));
    const left = [...(await objects(api))].filter((object) => !before.has(object));
    return figures({ scene, jobs, left, took, byHand });
  },
};

async function allByHand(kubeconfig: string, image: string, count: number): Promise<number> {
  const from = performance.now();
  let begun = 0;
  const work = async () => {
    while (begun < count) {
      begun += 1;
      await using pod = new PodByHand(kubeconfig);
      await pod.start(image);
      await pod.run(SCRIPT);
    }
  };
  await Promise.all(Array.from({ length: AGENTS }, work));
  return performance.now() - from;
}

/** Lasting agents that have all asked for work. */
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
  const deadline = performance.now() + START_MS;
  while (polls.pollers < AGENTS) {
    if (performance.now() > deadline) throw new Error(`of ${AGENTS} agents ${polls.pollers} polled`);
    await delay(20);
  }
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

/** What an agent could leave, as `kind/name`. */
async function objects(api: CoreV1Api): Promise<Set<string>> {
  const where = { namespace: NAMESPACE };
  const lists = {
    pod: await api.listNamespacedPod(where),
    secret: await api.listNamespacedSecret(where),
    configmap: await api.listNamespacedConfigMap(where),
    podtemplate: await api.listNamespacedPodTemplate(where),
  };
  return new Set(
    Object.entries(lists).flatMap(([kind, { items }]) => items.map(({ metadata }) => `${kind}/${metadata?.name}`)),
  );
}

interface Measured {
  readonly scene: Scene;
  readonly jobs: readonly Deployment[];
  readonly left: readonly string[];
  /** Milliseconds. */
  readonly took: number;
  /** Milliseconds. */
  readonly byHand: number;
}

function figures({ scene: { cloud }, jobs, left, took, byHand }: Measured): Figure[] {
  const claims = cloud.requests.filter(({ path, status }) => path === POLL && status === 200).length;
  const red = jobs.filter(({ status }) => status !== 'succeeded').map(({ id, status }) => `${id} ${status}`);
  const wrong = [...red, ...left, ...cloud.violations];
  if (claims !== jobs.length) wrong.push(`${claims} claims`);
  return [
    {
      what: `${jobs.length} jobs by ${AGENTS} agents on one node: green, claimed once, no pod, secret or config map left`,
      reach: 'all',
      got: wrong.length === 0 ? 'all' : `${wrong.length} wrong`,
      met: wrong.length === 0,
      detail:
        wrong.length === 0 ? `n=${jobs.length}; by the emulator and the API server` : wrong.slice(0, 3).join('; '),
    },
    {
      what: `${jobs.length} jobs by ${AGENTS} agents, against as many bare pods by hand, ${AGENTS} at a time`,
      got: `${(took / byHand).toFixed(2)} ×`,
      detail: `${(took / 1000).toFixed(1)} / ${(byHand / 1000).toFixed(1)} s; n=1`,
    },
  ];
}
