import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { JobContainer } from '../src/executor/executor.ts';
import { createKubernetesExecutor } from '../src/executor/kubernetes/kubernetes-executor.ts';
import { type Arrival, answer } from './arrivals.ts';
import type { Claim, Figure } from './claim.ts';
import { atLeast, atMost, ratioFigure } from './figures.ts';
import { firstByte } from './first-byte.ts';
import { PodByHand } from './kubernetes-by-hand.ts';
import { endedWith, jobOf, POOL, Scene } from './scene.ts';

const SCRIPT = 'echo here';
const FURTHER = 40;
const ROUND_MB = 100;
const FLOOD = `yes ${'x'.repeat(99)} | head -c ${ROUND_MB}000000`;
const TIMEOUT_MS = 60_000;
const NEVER = new AbortController().signal;

const isPoll = ({ path }: Arrival) => path === '/api/deployments/poll';

/** Jobs on a cluster of this machine, against the same client by hand. Needs what scripts/kubernetes needs. */
export const kubernetes: Claim = {
  name: 'kubernetes',
  measure: async ({ dist, samples = 10, image, progress }) => {
    const kubeconfig = benchCluster(image);
    await using scene = await Scene.open();
    const home = await scene.folder('home');
    const settings = {
      DEPLOY_TARGET: 'kubernetes',
      KUBECONFIG: kubeconfig,
      NAMESPACE: 'default',
      POLLING_INTERVAL: '500ms',
    };
    const [hand, agent]: [number[], number[]] = [[], []];
    for (let round = -1; round < samples; round += 1) {
      const began = performance.now();
      await using pod = new PodByHand(kubeconfig);
      await pod.start(image);
      const before = performance.now() - began;
      const byHand = before + (await pod.run(SCRIPT)).first;
      const polled = answer(isPoll);
      const started = await scene.startAgent(dist, home, settings);
      await polled;
      const claimed = answer(isPoll);
      scene.cloud.enqueue({
        project: 'bench',
        stack: 'kubernetes',
        poolId: POOL.id,
        job: jobOf(image, [SCRIPT]),
      });
      const written = firstByte(join(started.runDirectory, 'steps'), /^01-/);
      const { at } = await claimed;
      const took = (await written) - at;
      await endedWith('succeeded', started);
      if (round < 0) continue;
      hand.push(byHand);
      agent.push(took);
      progress(`round ${round + 1} of ${samples}`);
    }
    return [
      ratioFigure(
        'claim → first step output on a cluster, against pod create + exec by hand',
        agent,
        hand,
        atMost(2),
      ),
      ...(await within(kubeconfig, image, progress)),
    ];
  },
};

/** Measures further steps and the log path, alternating between a pod of the executor and one by hand. */
async function within(
  kubeconfig: string,
  image: string,
  progress: (line: string) => void,
): Promise<Figure[]> {
  const target = createKubernetesExecutor({
    kubeconfig,
    namespace: 'default',
    podStartTimeoutMs: TIMEOUT_MS,
    cancelGracePeriodMs: 5_000,
  });
  const container = await target.prepare(
    {
      image,
      pull: false,
      labels: { 'pulumi-runner.bench': 'true' },
      files: [{ path: '/PULUMI_ENV', mode: 0o600, content: '' }],
      environmentFile: '/PULUMI_ENV',
    },
    async () => undefined,
    NEVER,
  );
  try {
    await using pod = new PodByHand(kubeconfig);
    await pod.start(image);
    const [steps, execs, logs, streams]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = -1; round < FURTHER; round += 1) {
      const { end } = await pod.run(SCRIPT);
      const { ms } = await step(container, SCRIPT);
      if (round < 0) continue;
      execs.push(end);
      steps.push(ms);
    }
    progress('further steps are measured');
    for (let round = -1; round < 4; round += 1) {
      const bare = await pod.run(FLOOD);
      const own = await step(container, FLOOD);
      if (own.bytes !== ROUND_MB * 1e6 || bare.bytes !== own.bytes) throw new Error('the log is not whole');
      if (round < 0) continue;
      streams.push((ROUND_MB * 1000) / bare.end);
      logs.push((ROUND_MB * 1000) / own.ms);
    }
    const what = "a step's output from a cluster, speed against a bare exec's stream";
    return [
      ratioFigure('each further step on a cluster, against an exec by hand', steps, execs, atMost(1.3)),
      ratioFigure(what, logs, streams, { ...atLeast(0.5), unit: 'MB/s', digits: 0 }),
    ];
  } finally {
    await container.remove();
    await target.close();
  }
}

async function step(container: JobContainer, text: string): Promise<{ ms: number; bytes: number }> {
  let bytes = 0;
  const began = performance.now();
  const process = await container.start(
    { shell: 'sh', script: text, environment: {} },
    (piece) => {
      bytes += piece.length;
    },
    NEVER,
  );
  const { code } = await process.exit;
  if (code !== 0) throw new Error(`the step ended with code ${code}`);
  return { ms: performance.now() - began, bytes };
}

/** Starts this machine's cluster and loads the job image. Returns the path of its kubeconfig. */
export function benchCluster(image: string): string {
  const script = (...words: string[]): string =>
    execFileSync(join(import.meta.dirname, '../scripts/kubernetes'), words, { encoding: 'utf8' }).trim();
  const kubeconfig = script('up').split('\n').at(-1) ?? '';
  script('load', image);
  return kubeconfig;
}
