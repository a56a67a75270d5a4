import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownLabels } from '../../../src/agent/labels.ts';
import { sweepOrphans } from '../../../src/agent/orphans.ts';
import { sweepAfter } from '../../../src/cli/sweep.ts';
import { ownOwner } from '../../../src/record/owner.ts';
import { begin } from '../docker/workbench.ts';
import { clusterBench, JOB_IMAGE, NEVER } from './cluster.ts';

const PROGRAM = join(import.meta.dirname, 'killed-agent.ts');
const bench = clusterBench();

/** From the template that is merged for a job to the removal of its pod. */
const MOMENTS = ['POST secrets', 'PATCH podtemplates', 'POST pods', 'pending', 'started', 'step', 'DELETE pods'];

it('an agent that is killed, whenever it is, leaves nothing behind the next one on its machine, whose neighbours live on', async () => {
  const neighbour = await bench.prepare({ labels: { ...bench.labels, ...ownLabels(ownOwner()) } });
  const step = await begin(neighbour, 'echo on; sleep 600');
  await step.shows('on');
  const { kubeconfig, namespace, labels } = bench;
  const settings = JSON.stringify({ kubeconfig, namespace, labels, image: JOB_IMAGE });
  const died = MOMENTS.map(
    (moment) =>
      new Promise((resolve) => {
        execFile(process.execPath, [PROGRAM, moment, settings], { timeout: 60_000 }, (error, stdout, stderr) =>
          resolve([moment, error?.signal ?? `${stdout}${stderr}`]),
        );
      }),
  );
  expect(await Promise.all(died)).toEqual(MOMENTS.map((moment) => [moment, 'SIGKILL']));
  expect((await bench.objects()).length).toBeGreaterThan(MOMENTS.length);
  const lines = await sweepOrphans(bench.target(), hostname(), { signal: NEVER });
  expect(lines.join('\n')).toMatch(/Removed pod .*Removed secret .*Removed podtemplate /s);
  expect(lines).toContainEqual(expect.stringMatching(/^Pod \S+ was told to end in order, for which it has 16 s\.$/));
  await expect.poll(() => bench.objects(), { timeout: 60_000 }).toEqual([`pod/${neighbour.id}`]);
  await step.signal('SIGKILL');
  expect((await step.exit).code).toBe(137);
});

it('a step that its dead agent left running has its own time to end, however little the sweep has, and none is cut short in a hurry', async () => {
  const owner = { ...ownOwner(), started: '1' };
  const labels = { ...bench.labels, ...ownLabels(owner) };
  const container = await bench.prepare({ labels }, bench.target({ graceMs: 45_000 }));
  const step = await begin(
    container,
    'trap "echo interrupted; sleep 3; echo saved; exit" INT; echo on; while :; do sleep 0.1; done',
  );
  await step.shows('on');
  await bench.kubectl('wait', `pod/${container.id}`, '--for=jsonpath={.status.phase}=Running', '--timeout=60s');
  const hurried = { signal: NEVER, graceMs: 60_000, hurry: AbortSignal.abort() };
  expect(await sweepOrphans(bench.target(), hostname(), hurried)).toEqual([]);
  expect(step.output()).toBe('on\n');
  expect(await sweepAfter(owner, bench.target(), 200)).toEqual([
    `Pod ${container.id} was told to end in order, for which it has 60 s.`,
  ]);
  // The next one cuts nothing short either, and sees it go.
  expect(await sweepAfter(owner, bench.target(), 60_000)).toEqual([`Removed pod ${container.id}.`]);
  await step.exit.catch(() => undefined);
  expect(step.output()).toBe('on\ninterrupted\nsaved\n');
});
