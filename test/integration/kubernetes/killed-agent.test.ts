import { expect, it } from 'vitest';
import { sweepOrphans } from '../../../src/agent/orphans.ts';
import { ownOwner } from '../../../src/base/owner.ts';
import { sweepAfter } from '../../../src/cli/sweep.ts';
import { ownerLabels } from '../../../src/executor/owner-labels.ts';
import { begin } from '../../support/docker/workbench.ts';
import { clusterBench, NEVER } from '../../support/kubernetes/cluster.ts';

const bench = clusterBench();

it('a step that its dead agent left running gets its own time to end, even when a sweep has little time or is hurried', async () => {
  const owner = { ...ownOwner(), started: '1' };
  const labels = { ...bench.labels, ...ownerLabels(owner) };
  const container = await bench.prepare({ labels }, bench.target({ cancelGracePeriodMs: 45_000 }));
  const step = await begin(
    container,
    'trap "echo interrupted; sleep 3; echo saved; exit" INT; echo on; while :; do sleep 0.1; done',
  );
  await step.shows('on');
  await bench.kubectl(
    'wait',
    `pod/${container.id}`,
    '--for=jsonpath={.status.phase}=Running',
    '--timeout=60s',
  );
  const hurried = { signal: NEVER, graceMs: 60_000, skipGrace: AbortSignal.abort() };
  expect(await sweepOrphans(bench.target(), hurried)).toEqual([]);
  expect(step.output()).toBe('on\n');
  expect(await sweepAfter(owner, bench.target(), 200)).toEqual([
    `Pod ${container.id} was asked to end, and has 60 s for it.`,
  ]);
  // The next sweep cuts nothing short either, and sees the pod go.
  expect(await sweepAfter(owner, bench.target(), 60_000)).toEqual([`Removed pod ${container.id}.`]);
  await step.exit.catch(() => undefined);
  expect(step.output()).toBe('on\ninterrupted\nsaved\n');
});
