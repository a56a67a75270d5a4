import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enqueue, filesBelow, logOf, statuses, useStage } from '../support/e2e/stage.ts';

const stage = useStage();

describe('a queued deployment', () => {
  it('is run, shown, reported to Pulumi Cloud and kept as an artifact', async () => {
    const deployment = enqueue(stage, {
      'Get source':
        'mkdir -p /work && cd /work && git init -q . && echo "REVISION=main" >> "${PULUMI_ENV_FILE:-/PULUMI_ENV}"',
      'pulumi update':
        'for i in $(seq 1 300); do echo "line $i"; done; echo "to stderr" >&2; echo "revision $REVISION"; cd /work && ls -d .git; printf "no final newline"',
    });
    const { job, main } = await stage.run();
    const lines = [
      ...Array.from({ length: 300 }, (_, index) => `line ${index + 1}\n`),
      'to stderr\n',
      'revision main\n',
      '.git\n',
      'no final newline',
    ];

    expect(main.conclusion).toBe('success');
    expect(main.outputs).toMatchObject({
      outcome: 'succeeded',
      'deployment-id': deployment.id,
      'run-id': deployment.runId,
      'job-id': deployment.jobId,
    });
    expect(main.outputs['health-url']).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/healthz$/);
    expect(Number(main.outputs['run-seconds'])).toBeGreaterThan(0);
    expect(main.outputs['artifact-id']).toMatch(/^\d+$/);
    // Places that outlive a job on a self-hosted runner stay empty: an earlier job could plant files there.
    const machine = join(job.workspace, '../../..');
    for (const place of ['_tool', 'home'])
      expect([...(await filesBelow(join(machine, place))).keys()]).toEqual([]);

    expect(deployment).toMatchObject({ status: 'succeeded', endReason: 'steps', acknowledged: true });
    expect(deployment.heartbeats.length).toBeGreaterThan(0);
    expect(statuses(deployment)).toEqual(Array(3).fill(['running', 'succeeded']));
    expect(deployment.steps[2]?.lines.map(({ l }) => l)).toEqual(lines);
    let offset = 0;
    for (const call of deployment.steps[2]?.logCalls ?? []) {
      expect(call.offset).toBe(offset);
      offset += call.count;
    }
    expect(deployment.steps.map((step) => step.duplicates + step.statusDuplicates)).toEqual([0, 0, 0]);
    // Step 0 is reported, but its script never runs.
    expect(logOf(deployment, 0)).toMatch(/Started container|Started: Container started/);
    expect(logOf(deployment, 0)).not.toContain('never run');

    const artifact = await stage.onlyArtifact();
    expect(artifact.text('steps/02-pulumi-update.log')).toBe(lines.join(''));
    expect(artifact.result).toMatchObject({
      outcome: 'succeeded',
      deploymentId: deployment.id,
      steps: [{ index: 0 }, { index: 1 }, { lines: 304 }],
    });
    expect([...artifact.files.keys()].sort()).toEqual([
      'agent.log',
      'events.ndjson',
      'health.ndjson',
      'report.html',
      'run.json',
      'steps/00-setup.log',
      'steps/01-get-source.log',
      'steps/02-pulumi-update.log',
    ]);
    for (const line of lines) expect(main.console).toContain(line.trimEnd());
    expect(main.summary).toMatch(/^1 Get source \(\d.* s\) :2001-.*\n2 pulumi update \(\d.* s\) :2001-/m);
    expect(main.summary).toContain('all delivered to Pulumi Cloud');
    expect(artifact.text('report.html')).toContain(deployment.id);
  });

  it('that fails in a step turns the job red, names the step and shows its last 20 lines', async () => {
    const deployment = enqueue(stage, {
      'pulumi update':
        'for i in $(seq 1 40); do echo "output $i"; done; echo "error: resource exists" >&2; exit 3',
      'Post-run command': 'echo unreachable',
    });
    const { main } = await stage.run();
    expect(main.conclusion).toBe('failure');
    expect(main.outputs).toMatchObject({ outcome: 'failed' });
    expect(deployment.status).toBe('failed');
    expect(statuses(deployment)).toEqual([['running', 'succeeded'], ['running', 'failed'], []]);
    const errors = main.annotations
      .filter(({ level }) => level === 'error')
      .map(({ message }) => message)
      .join('\n');
    expect(errors).toContain('error: resource exists');
    expect(errors).toContain('output 40');
    expect(errors).toContain('output 22');
    expect(errors).not.toContain('output 21\n');
    expect(errors).toContain(
      'Failed to run step 1 "pulumi update" of the deployment, in the step\'s own words: "resource exists".',
    );
    const artifact = await stage.onlyArtifact();
    expect(artifact.result).toMatchObject({
      outcome: 'failed',
      exitCode: 1,
      steps: [{}, { exitCode: 3 }, { status: 'not-started' }],
    });
    expect(main.summary).toContain('resource exists');
  });
});
