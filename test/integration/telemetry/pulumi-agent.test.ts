import { join } from 'node:path';
import { expect, it } from 'vitest';
import { spanIdOf } from '../../../src/record/telemetry/ids.ts';
import { readTrace } from '../../../src/record/telemetry/run-trace.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { JOB_IMAGE, testImage } from '../../support/docker/images.ts';
import { ownAgentAsStandIn, pulumiRun } from '../../support/pulumi-agent/pulumi-run.ts';

it('a run of Pulumi’s agent is a whole trace, and nothing is put into its steps', async () => {
  await testImage('job');
  const programs = await ownAgentAsStandIn(join(await folder(), 'own'));
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' };
  const scene = await pulumiRun({ programs, environment });
  const job = { ...jobOf('echo "trace=$TRACEPARENT"; exit 3'), shell: 'bash' };
  const { jobId } = scene.enqueue({ ...job, image: { reference: JOB_IMAGE } });
  expect(await scene.run()).toBe(1);

  const { spans } = await readTrace(scene.directory, {});
  const [run, ...parts] = spans;
  expect(run).toMatchObject({ id: spanIdOf(jobId), attributes: { 'cicd.pipeline.result': 'failure' } });
  const step = parts.find(({ id }) => id === spanIdOf(jobId, 1));
  expect(step).toMatchObject({
    parentId: run?.id,
    attributes: { 'cicd.pipeline.task.run.result': 'failure' },
  });
  const { steps } = await scene.result();
  expect(await scene.file(steps[1]?.log ?? '')).toContain('trace=\n');
}, 60_000);
