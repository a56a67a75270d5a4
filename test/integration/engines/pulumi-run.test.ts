import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readResult } from '../../../src/record/reader.ts';
import type { StepResult } from '../../../src/record/schema.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { JOB_IMAGE, testImage } from '../../support/docker/images.ts';
import { ownAgentAsStandIn, pulumiRun } from '../../support/engines/pulumi-run.ts';

beforeAll(() => testImage('job'));

/** A job in a container; its programs talk to Pulumi Cloud itself. */
const inContainer = (...scripts: string[]) => ({
  ...jobOf(...scripts),
  image: { reference: JOB_IMAGE },
  env: { PULUMI_SERVICE_URL: 'https://api.example.com' },
});

/** What both records say of a step; only who ran it knows its exit code and why it failed. */
const shared = ({ index, name, status, log, lines, bytes, sha256 }: StepResult) => ({
  ...{ index, name, status, log, lines, bytes, sha256 },
});

describe('a run of an agent behind the relay', () => {
  it('is recorded as the agent itself records it', async () => {
    const own = join(await folder(), 'own');
    const scene = await pulumiRun({ programs: await ownAgentAsStandIn(own) });
    const deployment = scene.enqueue(inContainer('seq 1 3000; env | sort', 'echo bad; exit 4', 'echo never'));
    expect(await scene.run()).toBe(1);
    expect(deployment.status).toBe('failed');
    const [seen, written] = [await scene.result(), (await readResult(own))!];
    expect(seen).toMatchObject({ outcome: 'failed', reported: true, jobId: deployment.jobId, image: JOB_IMAGE });
    expect(seen.message).toContain('Failed to run step 2 "Step 2" of the workflow');
    expect(seen.steps.map(shared)).toEqual(written.steps.map(shared));
    expect(await scene.file('steps/01-step-1.log')).toBe(await readFile(join(own, 'steps/01-step-1.log'), 'utf8'));
    expect(await scene.file('health.ndjson')).toMatch(/"status":"healthy"/);
    expect((await scene.events()).map(({ type }) => type)).toEqual(
      expect.arrayContaining(['target-ready', 'health-listening', 'claimed', 'job-loaded', 'outcome']),
    );
  });
});
