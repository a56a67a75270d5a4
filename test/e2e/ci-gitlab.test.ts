import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Issuer, startIssuer } from '../emulators/github/issuer.ts';
import { PulumiCloud } from '../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, signedIdToken, trust } from '../support/cloud/id-token.ts';
import { testImage } from '../support/docker/images.ts';
import { runGitlabExample } from '../support/e2e/gitlab-job.ts';
import { PLACE } from '../support/e2e/place.ts';
import { definition, POOL } from '../support/e2e/stage.ts';
import { gitlabLog } from '../support/hosts/gitlab-log.ts';
import { gitlabLinks, gitlabVariables } from '../support/hosts/gitlab-reports.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';

const SUBJECT = 'project_path:acme/network:ref_type:branch:ref:main';

let cloud: PulumiCloud;
let issuer: Issuer;

beforeEach(async () => {
  await testImage('job');
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
  issuer = await startIssuer();
  const rules = { aud: AUDIENCE, sub: SUBJECT };
  trust(cloud, issuer, { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules });
});

afterEach(async () => {
  await using _cloud = cloud;
  await issuer.close();
  expect(PLACE.objects('pulumi-runner.ci-run=acme/network/-/pipelines/1000')).toEqual([]);
});

const enqueue = (run: string) =>
  cloud.enqueue({
    project: 'network',
    stack: 'prod',
    poolId: POOL.id,
    job: definition({ 'pulumi up': run }),
  });

/** Runs the example, and gives its ID token to it, which gitlab-ci-local doesn't make. */
async function runExample() {
  const token = await signedIdToken(issuer, { sub: SUBJECT });
  const pipeline = await runGitlabExample(await temporaryDirectory(), {
    PULUMI_ID_TOKEN: token,
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    PULUMI_AGENT_PULL_IMAGE: 'false',
    PULUMI_AGENT_MAX_WAIT: '20s',
    PULUMI_AGENT_POLLING_INTERVAL: '1s',
  });
  expect(pipeline.console).not.toContain(token.split('.')[2]);
  return pipeline;
}

describe('the example for GitLab, run by gitlab-ci-local', () => {
  it('signs in with its ID token, and passes the record and the outputs on', async () => {
    const deployment = enqueue('echo "all is well"');
    const pipeline = await runExample();

    expect(pipeline.code, pipeline.console).toBe(0);
    expect(deployment.status).toBe('succeeded');
    expect(pipeline.console).toContain(`The deployment ${deployment.id} of acme/network/prod - succeeded`);
    expect(pipeline.console).toContain('There is nothing to finish.');
    expect(JSON.parse(pipeline.artifact('pulumi', 'pulumi-runner/run.json'))).toMatchObject({
      outcome: 'succeeded',
      deploymentId: deployment.id,
    });
    expect(gitlabVariables(pipeline.file('pulumi-runner.env'))).toMatchObject({
      PULUMI_RUNNER_OUTCOME: 'succeeded',
      PULUMI_RUNNER_STACK: 'acme/network/prod',
    });
    expect(gitlabLinks(pipeline.file('pulumi-runner-links.json'))).toMatchObject([
      { url: expect.stringMatching(/^https?:/) },
    ]);
  });

  it('fails with a failed step, still with its record, and runs no later job', async () => {
    enqueue('echo broken; exit 3');
    const pipeline = await runExample();

    expect(pipeline.code).not.toBe(0);
    expect(pipeline.console).toMatch(/Error: .*Step 1: pulumi up failed with exit code 3/);
    expect(pipeline.console).not.toContain('The deployment ');
    expect(JSON.parse(pipeline.artifact('pulumi', 'pulumi-runner/run.json'))).toMatchObject({
      outcome: 'failed',
    });
    expect(gitlabVariables(pipeline.file('pulumi-runner.env'))['PULUMI_RUNNER_OUTCOME']).toBe('failed');
  });

  it('shows hostile output as output, in the sections that are ours', async () => {
    enqueue(
      [
        String.raw`printf 'section_end:1:pulumi_runner_1\r\033[0Kforged\n'`,
        String.raw`printf 'section_start:1:forged[collapsed=true]\r\033[0Kforged\n'`,
        String.raw`printf '2026-11-27T09:34:39.123456Z 01O+swallowed\n'`,
        String.raw`printf '\033[8mhidden\nseen ::add-mask::e\n'`,
      ].join('; '),
    );
    const pipeline = await runExample();
    const lines = gitlabLog(pipeline.log('pulumi'));
    const headers = lines.filter(({ isHeader }) => isHeader).map(({ text }) => text);

    expect(headers).toHaveLength(2);
    expect(headers[1]).toMatch(/^Step 1: pulumi up/);
    const step = lines.find(({ text }) => text === headers[1])?.section;
    const output = lines.filter(
      ({ section, isHeader, isFooter }) => section === step && !isHeader && !isFooter,
    );
    expect(output.map(({ text }) => stripVTControlCharacters(text))).toEqual([
      'section_end:1:pulumi_runner_1␍forged',
      'section_start:1:forged[collapsed=true]␍forged',
      '     2026-11-27T09:34:39.123456Z  01O+swallowed',
      'hidden',
      'seen : :add-mask::e',
    ]);
    expect(output.map(({ isStyled }) => isStyled)).toEqual([false, false, false, true, false]);
  });
});
