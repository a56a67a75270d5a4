import { expect, it, vi } from 'vitest';
import { interrupt } from '../../../src/agent/job/interrupt.ts';
import { StopSource } from '../../../src/agent/job/stop.ts';
import type { KubernetesExecutorOptions } from '../../../src/executor/kubernetes/kubernetes-executor.ts';
import { begin, run } from '../../support/docker/workbench.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';
import { clusterBench, kubernetes, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

async function throughProxy(options: Partial<KubernetesExecutorOptions> = { leaseSeconds: 30 }) {
  const { way, kubeconfig } = await bench.breakable();
  const executor = bench.target({ kubeconfig, ...options });
  return { way, executor, container: await bench.prepare({}, executor) };
}

/** A step that counts to 60, one number every 0.1 s, and notes each time it starts. */
const COUNT = 'echo started >>/tmp/starts; for i in $(seq 60); do echo "line $i"; sleep 0.1; done; exit 4';
const LINES = Array.from({ length: 60 }, (_, index) => `line ${index + 1}\n`).join('');

it.each(['cut', 'hold', 'restart'] as const)(
  'a stream that a %s ends mid-step costs no line and runs nothing twice',
  async (how) => {
    const { way, container } = await throughProxy();
    const step = await begin(container, COUNT);
    await step.shows('line 5\n');
    if (how === 'restart') await kubernetes('restart-api');
    else way[how]();
    await step.shows('line 20\n');
    way.cut();
    expect(await step.exit).toEqual({ code: 4, outOfMemory: false });
    expect(step.output()).toBe(LINES);
    expect(await run(container, 'cat /tmp/starts')).toMatchObject({ output: 'started\n' });
    expect(bench.logged.join('\n')).toMatch(/step's stream was cut; the step continues/);
  },
);

const WAIT = 'echo ready; while :; do sleep 0.1; done';

it('a stop during an outage gives each signal its time, and sends none after the removal', async () => {
  const { way, container } = await throughProxy();
  const step = await begin(container, `trap 'sleep 1; echo saved; exit 0' INT; ${WAIT}`);
  await step.shows('ready');
  way.refuse();
  const clock = new ManualClock();
  const told: string[] = [];
  const exit = interrupt(step, {
    clock,
    graceMs: 1_000,
    stop: new StopSource(),
    onSignal: (signal) => told.push(signal),
  });
  await clock.asleep();
  await clock.advance(60_000);
  expect(told).toEqual(['SIGINT']);
  way.open();
  expect(await exit).toEqual({ code: 0, outOfMemory: false });
  expect(step.output()).toBe('ready\nsaved\n');

  const log = '>>/dev/termination-log';
  const unreached = await begin(
    container,
    `trap 'echo interrupted ${log}; sleep 2; echo saved ${log}; exit 0' INT; ${WAIT}`,
  );
  await unreached.shows('ready');
  // Keeps the pod once it has ended, to see how it did.
  const finalizers = (names: string) =>
    bench.kubectl('patch', `pod/${container.id}`, '--patch', `{"metadata":{"finalizers":${names}}}`);
  await finalizers('["pulumi-runner-test/look"]');
  try {
    bench.logged.length = 0;
    way.refuse();
    const killed = unreached.signal('SIGKILL');
    // By then the signals' stream is being reopened too.
    await vi.waitFor(() => expect(bench.logged.join('\n')).toMatch(/The step's stream was cut/), 30_000);
    const removal = container.remove();
    await killed;
    way.open();
    const over = '{.status.containerStatuses[0].state.terminated';
    await bench.kubectl('wait', `pod/${container.id}`, `--for=jsonpath=${over}.exitCode}=0`, '--timeout=45s');
    expect(await bench.kubectl('get', `pod/${container.id}`, '--output', `jsonpath=${over}.message}`)).toBe(
      'interrupted\nsaved\n',
    );
    await finalizers('null');
    await removal;
  } finally {
    await finalizers('null').catch(() => undefined);
  }
});

it('a pod starts even when the API server is away before it is made and while it starts', async () => {
  const { way, executor } = await throughProxy();
  const goAway = () => {
    way.refuse();
    setTimeout(way.open, 2_500);
  };
  goAway();
  const lines: string[] = [];
  const progress = async (line: string) => {
    lines.push(line);
    if (line.startsWith('Created')) goAway();
  };
  const container = await executor.prepare(bench.spec(), progress, NEVER);
  expect(await run(container, 'echo here')).toMatchObject({ code: 0, output: 'here\n' });
  expect(lines).toEqual([...new Set(lines)]);
});

it('a step whose API server stays away is given up once it has ended by itself', async () => {
  const { way, container } = await throughProxy({
    leaseSeconds: 8,
    orphanGraceSeconds: 4,
    stopTimeoutMs: 2_000,
  });
  const step = await begin(
    container,
    'trap "date +%s >/proc/1/fd/1" INT; echo ready; while :; do sleep 0.1; done',
  );
  await step.shows('ready');
  way.refuse();
  await expect(step.exit).rejects.toThrow(
    /^Failed to finish the step in pod \S+ on node \S+: the pod can't be reached, and the API server does not say why\. /,
  );
  const givenUpAt = Date.now() / 1000;
  await bench.kubectl(
    'wait',
    `pod/${container.id}`,
    '--for=jsonpath={.status.phase}=Succeeded',
    '--timeout=60s',
  );
  expect(Number((await bench.kubectl('logs', container.id)).trim())).toBeLessThan(givenUpAt);
  await expect(container.remove()).rejects.toThrow(/Remove it by hand: kubectl delete pod/);
});

it('a removal that failed can be tried again, and still removes the pod', async () => {
  const { way, container } = await throughProxy({ stopTimeoutMs: 1_000 });
  const step = await begin(container, `trap 'sleep 3; exit 0' INT; ${WAIT}`);
  await step.shows('ready');
  way.refuse();
  const tries = [container.remove(), container.remove()];
  for (const failed of tries)
    await expect(failed).rejects.toThrow(/^Failed to remove pod \S+ for the job: Failed to reach/);
  way.open();
  await container.remove();
  expect(await bench.objects()).not.toContain(`pod/${container.id}`);
});
