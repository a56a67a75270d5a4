import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ownLabels } from '../../../src/agent/labels.ts';
import { sweepOrphans } from '../../../src/agent/orphans.ts';
import { ownOwner } from '../../../src/record/owner.ts';
import { begin } from '../docker/workbench.ts';
import { clusterBench, JOB_IMAGE, NEVER } from './cluster.ts';

const PROGRAM = join(import.meta.dirname, 'killed-agent.ts');
const bench = clusterBench();

/** From the template that is merged for a job to the removal of its pod. */
const MOMENTS = ['POST secrets', 'PATCH podtemplates', 'POST pods', 'pending', 'started', 'step', 'DELETE pods'];

it('an agent that is killed, whenever it is, leaves nothing behind the next one on its machine, whose neighbours live on', async () => {
  const neighbour = await bench.prepare({ labels: { ...bench.labels, ...ownLabels(ownOwner()) } });
  const step = await begin(neighbour, 'echo on; sleep 100');
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
  await expect.poll(() => bench.objects(), { timeout: 20_000 }).toEqual([`pod/${neighbour.id}`]);
  await step.signal('SIGKILL');
  expect((await step.exit).code).toBe(137);
});
