import { afterEach, expect, it, vi } from 'vitest';
import { LastReport } from '../../../../src/executor/container/step-report.ts';
import type { Cluster } from '../../../../src/executor/kubernetes/cluster.ts';
import type { ControlChannel } from '../../../../src/executor/kubernetes/exec/control-channel.ts';
import { PodStep } from '../../../../src/executor/kubernetes/step/step.ts';

vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => setTimeout(resolve, ms)),
}));
afterEach(() => vi.useRealTimers());

it('a step that never starts in a running pod is given up', async () => {
  vi.useFakeTimers();
  const { signal } = new AbortController();
  let tries = 0;
  const cluster = {
    namespace: async () => 'jobs',
    authenticated: async () => {
      tries += 1;
      throw new Error('this account cannot get resource "pods/exec"');
    },
    call: async () => ({ status: { phase: 'Running' } }),
  } as unknown as Cluster;
  const pod = {
    cluster,
    name: 'p',
    control: { lost: signal } as unknown as ControlChannel,
    environmentFile: '/PULUMI_ENV',
    logger: () => undefined,
    lastReport: new LastReport(),
    loss: async () => new Error('the pod was lost'),
  };
  const step = new PodStep(pod, { name: '1', settings: 'true', signal }, () => undefined);
  await vi.advanceTimersByTimeAsync(290_000);
  expect(tries).toBeGreaterThan(200);
  const failure = expect(step.exit).rejects.toThrow(
    'Failed to start the step for the job: the cluster has not answered for 300 s (this account cannot get resource "pods/exec")',
  );
  await vi.advanceTimersByTimeAsync(15_000);
  await failure;
});
