import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { JobContainer } from '../../../src/executor/executor.ts';
import { randomOf } from '../../random.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { type ApiProxy, BUSYBOX_IMAGE, clusterBench, JOB_IMAGE, NEVER, startApiProxy } from './cluster.ts';

const bench = clusterBench();

/** Breaks the way to the API server again and again until the signal aborts; then it is whole. */
async function blow(way: ApiProxy, random: () => number, signal: AbortSignal): Promise<void> {
  const pause = (ms: number) => sleep(random() * ms, undefined, { signal }).catch(() => undefined);
  while (!signal.aborted) {
    await pause(2_000);
    const kind = random();
    if (kind < 0.9) way.cut();
    else way.hold();
    if (kind < 0.4) {
      way.refuse();
      await pause(1_500);
      way.open();
    }
    await pause(2_000);
  }
}

const lines = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}\n`).join('');

/** A step of some kind, what it must show, and what it is sent. */
function stepOf(kind: number): { script: string; output: string; isInterrupted?: true } {
  if (kind === 0) {
    return { script: 'n=0; while [ $n -lt 30 ]; do n=$((n+1)); echo $n; sleep 0.05; done', output: lines(30) };
  }
  if (kind === 1) return { script: 'seq 300000', output: lines(300_000) };
  if (kind === 2) return { script: 'sleep 1; echo "A=1" >>/PULUMI_ENV', output: '' };
  const wait = 'while [ -z "$got" ]; do sleep 0.1; done; sleep 0.5';
  return { script: `trap 'echo int; got=1' INT; echo ready; ${wait}`, output: 'ready\nint\n', isInterrupted: true };
}

async function jobIn(container: JobContainer, random: () => number, shell: string): Promise<void> {
  const kinds = [0, 1, 2, 3].toSorted(() => random() - 0.5);
  let environment = '';
  for (const [index, kind] of kinds.entries()) {
    const { script, output, isInterrupted } = stepOf(kind);
    const code = 3 * index;
    const step = await begin(container, `echo ${index} >>/tmp/starts; ${script}; exit ${code}`, { shell });
    if (isInterrupted === true) {
      await step.shows('ready');
      await step.signal('SIGINT');
    }
    expect((await step.exit).code, `exit code of step ${index}`).toBe(code);
    // Not by a matcher: it would show megabytes.
    expect(step.output() === output, `whole output of step ${index}: ${step.output().slice(0, 200)}`).toBe(true);
    if (kind === 2) environment = 'A=1\n';
    expect(await container.readEnvironmentFile(NEVER)).toBe(environment);
  }
  expect(await run(container, 'cat /tmp/starts', { shell })).toMatchObject({ output: '0\n1\n2\n3\n' });
}

/** One job on a way that breaks all the time. */
async function storm(seed: number): Promise<void> {
  const random = randomOf(seed);
  const way = await startApiProxy(bench.kubeconfig);
  const calm = new AbortController();
  const wind = blow(way, random, calm.signal);
  try {
    const kubeconfig = await bench.kubeconfigWith((text) =>
      text.replace(/server: "[^"]+"/, `server: "${way.address}"`),
    );
    const [image, shell] = seed % 2 === 0 ? [JOB_IMAGE, 'bash'] : [BUSYBOX_IMAGE, 'sh'];
    const target = bench.target({
      kubeconfig,
      leaseSeconds: 30,
      ...(seed % 3 === 0 ? { template: 'metadata: {labels: {a: b}}' } : {}),
    });
    const credentials = { username: 'reader', password: 'secret' };
    const container = await bench.prepare({ image, credentials }, target);
    await jobIn(container, random, shell);
    await container.remove();
  } catch (error) {
    throw new Error(`seed ${seed}`, { cause: error });
  } finally {
    calm.abort();
    await wind;
    await way.close();
  }
}

it('whatever breaks on the way to the API server: each line once, each step once, and nothing left', async () => {
  await Promise.all([6, 11].map(storm));
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toEqual([]);
});
