import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkState } from '../../demo/checks.ts';
import { ORGANIZATION, POOL_ID, startCloud, startDeployment } from '../../demo/cloud.ts';
import { containerAddress } from '../../demo/container-address.ts';
import { PROGRAMS } from '../../demo/job.ts';
import { type ProgramHost, startProgramHost } from '../../demo/program-host.ts';
import type { PulumiCloud } from '../emulators/pulumi-cloud/server.ts';
import { testImage } from '../support/docker/images.ts';
import { type ActLine, type ActRun, jobResults, useAct } from '../support/e2e/act.ts';

const WORKFLOW = '.github/workflows/e2e.yml';
const SLOTS = 4;

const act = useAct('e2e');
let host: ProgramHost;
let cloud: PulumiCloud;
let run: ActRun;

beforeAll(async () => {
  const { github, repository } = act;
  const image = await testImage('job');
  host = await startProgramHost(await containerAddress());
  const { url: issuer, jwksUri: jwksUrl } = github.issuer;
  cloud = await startCloud({ issuer, jwksUrl, rules: { repository } });
  for (let slot = 1; slot <= SLOTS; slot += 1) {
    await startDeployment(cloud, { program: 'shell', image, host, stack: `stack-${slot}` });
  }
  run = await act.run({
    home: 'all',
    workflow: WORKFLOW,
    variables: {
      E2E_ISSUER: issuer,
      E2E_JWKS_URL: jwksUrl,
      E2E_SERVICE_URL: cloud.url,
      E2E_ORGANIZATION: ORGANIZATION,
      E2E_RUNNER_POOL_ID: POOL_ID,
    },
  });
}, 600_000);
afterAll(() => Promise.all([cloud?.stop(), host?.stop()]));

/** A CI job's lines about its step `run`, which is the action. */
const ofRun = (lines: readonly ActLine[], job: string): ActLine[] =>
  lines.filter(({ jobID, stepID }) => jobID === job && stepID[0] === 'run');
const summaries = (lines: readonly ActLine[], job: string): string[] =>
  ofRun(lines, job).flatMap(({ command, content = '' }) => (command === 'summary' ? [content] : []));

describe('the workflow e2e.yml, run by nektos/act', () => {
  it('succeeds in every job, each of which checks its own emulator', () => {
    expect(run.code, run.transcript).toBe(0);
    const matrix = Array.from({ length: SLOTS }, () => 'matrix success');
    expect(jobResults(run)).toEqual([
      'failing-step success',
      ...matrix,
      'no-work success',
      'success success',
    ]);
  });

  it('drains a queue of four with a matrix of four, running each deployment once', () => {
    expect(cloud.deployments.map(({ status, endReason }) => [status, endReason])).toEqual(
      Array.from({ length: SLOTS }, () => ['succeeded', 'steps']),
    );
    for (const { steps, stack } of cloud.deployments) {
      for (const { statusHistory, statusDuplicates } of steps) {
        expect({ statusHistory: statusHistory.map(({ status }) => status), statusDuplicates }).toEqual({
          statusHistory: ['running', 'succeeded'],
          statusDuplicates: 0,
        });
      }
      expect(checkState(host.state(stack), host.locked(stack), PROGRAMS.shell).problems).toEqual([]);
      // By plan and by apply; a second run would have taken it again.
      expect(host.counts(stack).locks).toBe(2);
    }
    expect(new Set(cloud.deployments.map(({ claimedBy }) => claimedBy)).size).toBe(SLOTS);
  });

  it('turns only the failing job’s step red, with the reason in an annotation', () => {
    const red = run.lines.filter(({ stepID, stepResult }) => stepID[0] === 'run' && stepResult === 'failure');
    expect([...new Set(red.map(({ jobID, stage }) => `${jobID} ${stage}`))]).toEqual(['failing-step Main']);
    expect(ofRun(run.lines, 'failing-step').map(({ msg }) => msg)).toContainEqual(
      expect.stringContaining('another user'),
    );
  });

  it('leaves an artifact for each job, each with its own name', async () => {
    const artifacts = act.github.artifacts.list();
    expect(artifacts.every(({ finalized }) => finalized)).toBe(true);
    expect(artifacts).toHaveLength(SLOTS + 3);
    expect(new Set(artifacts.map(({ name }) => name)).size).toBe(SLOTS + 3);
    const ids = await Promise.all(
      artifacts.map(async ({ name }) => {
        const files = await act.github.artifacts.download(name);
        expect([...files.keys()]).toEqual(
          expect.arrayContaining(['run.json', 'report.html', 'events.ndjson']),
        );
        return String(JSON.parse(String(files.get('run.json'))).deploymentId);
      }),
    );
    expect(ids).toEqual(expect.arrayContaining(cloud.deployments.map(({ id }) => id)));
  });

  it('writes a summary for each job', () => {
    expect(summaries(run.lines, 'success')).toEqual([expect.stringContaining('succeeded')]);
    expect(summaries(run.lines, 'failing-step')).toEqual([expect.stringContaining('another user')]);
    expect(summaries(run.lines, 'no-work')).toHaveLength(1);
    const burst = summaries(run.lines, 'matrix');
    expect(burst).toHaveLength(SLOTS);
    for (const { id } of cloud.deployments)
      expect(burst.filter((summary) => summary.includes(id))).toHaveLength(1);
  });

  it('leaves no process and nothing in Docker', async () => {
    // An emulator may still be exiting after its verdict.
    await expect.poll(() => act.processesOf('all'), { timeout: 20_000 }).toEqual([]);
    const label = `label=pulumi-runner.ci-run=${act.repository}/actions/runs/1`;
    for (const list of [
      ['ps', '--all'],
      ['network', 'ls'],
    ]) {
      expect(execFileSync('docker', [...list, '--quiet', '--filter', label], { encoding: 'utf8' })).toBe('');
    }
  });

  it('turns red, and so does act, when Pulumi Cloud refuses the ID token', async () => {
    // The emulator of this CI job trusts an issuer other than the token's.
    const variables = { E2E_ISSUER: 'https://token.example.com', E2E_JWKS_URL: act.github.issuer.jwksUri };
    const red = await act.run({ home: 'red', workflow: WORKFLOW, job: 'no-work', variables });
    expect(red.code, red.transcript).toBe(1);
    expect(jobResults(red)).toEqual(['no-work failure']);
    expect(
      red.lines.filter(({ stepID, stepResult }) => stepID[0] === 'run' && stepResult === 'failure'),
    ).not.toEqual([]);
    await expect.poll(() => act.processesOf('red'), { timeout: 20_000 }).toEqual([]);
  }, 330_000);
});
