import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JobRunner } from '../emulators/github/runner.ts';
import { CALLS } from '../emulators/pulumi-cloud/faults.ts';
import { read, snippetsOf } from '../support/documents/pages.ts';
import { definition, enqueue, logOf, useStage } from '../support/e2e/stage.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';

const stage = useStage();

/** Runs a CI job that must fail with this outcome and say all of this in its annotations. Returns those and the summary. */
async function refused(job: JobRunner, outcome: string, ...said: (string | RegExp)[]) {
  const main = await job.main();
  const post = await job.post();
  const errors = main.annotations
    .filter(({ level }) => level === 'error')
    .map(({ message }) => message)
    .join('\n');
  expect(main.outputs['outcome'], errors).toBe(outcome);
  expect(main.conclusion).toBe('failure');
  expect(post?.conclusion).toBe('success');
  for (const part of said) expect(errors).toMatch(part);
  return { errors, summary: main.summary };
}

describe('signing in', () => {
  it('without id-token: write names the missing permission, and says that forks do not get it', async () => {
    const job = await stage.job({}, {}, { idToken: 'none' });
    await refused(job, 'auth-error', 'id-token: write', /fork/);
  });

  it('that the policy refuses prints the claims and the policy to add, never the token', async () => {
    await stage.reopen({ sub: 'repo:someone/else:*' });
    const job = await stage.job();
    const { errors } = await refused(
      job,
      'auth-error',
      `iss=${stage.github.issuer.url}`,
      'aud=urn:pulumi:org:acme',
      'sub=repo:acme/infrastructure:ref:refs/heads/main',
      /decision: allow, tokenType: runner, runnerID: pool-7a1c/,
    );
    expect(errors).not.toMatch(/eyJ/);
  });

  it('where the policy demands a called workflow is for that workflow alone, at its ref', async () => {
    const { rules } = JSON.parse(snippetsOf(read('docs/security.md'), 'json')[0] ?? '');
    await stage.reopen({ rules });
    const demanded: string = rules.job_workflow_ref;
    const others = [
      undefined,
      demanded.replace('heads/main', 'heads/feature'),
      demanded.replace('heads/main', 'tags/main'),
    ];
    for (const called of others) {
      const job = await stage.job({}, {}, { ...(called !== undefined && { called }) });
      const own = 'acme/infrastructure/.github/workflows/deploy.yml@refs/heads/main';
      await refused(job, 'auth-error', `job_workflow_ref=${called ?? own}`);
    }
    const deployment = enqueue(stage, { 'pulumi up': 'echo ran' });
    const { main } = await stage.run({}, {}, { called: demanded });
    expect(main.outputs).toMatchObject({ outcome: 'succeeded', 'deployment-id': deployment.id });
  });
});

describe('a router without a route to Pulumi Cloud', () => {
  const answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: '404 page not found\n' };

  it.each([
    ['exchange', /\/oauth\/token$/, 'exchange the ID token'],
    ['first poll', CALLS.poll, 'poll for work'],
  ])('is an outage for the %s: it ends as unreachable, and names what to check', async (_, path, purpose) => {
    stage.cloud.script({ path, times: Number.POSITIVE_INFINITY, answer });
    const { errors } = await refused(
      await stage.job({ 'max-wait': '3s' }),
      'cloud-unreachable',
      new RegExp(`Failed to ${purpose} for .*: HTTP 404 404 page not found, .*Check service_url`),
    );
    expect(errors).not.toContain('policy');
    expect(stage.cloud.requests.filter((request) => path.test(request.path)).length).toBeGreaterThanOrEqual(
      3,
    );
  });
});

describe('a configuration file in the workspace', () => {
  it('is ignored unless an input names it, because a pull request could write it', async () => {
    const written = async (job: JobRunner) => {
      await mkdir(job.workspace, { recursive: true });
      await writeFile(
        join(job.workspace, 'pulumi-workflow-agent.yaml'),
        'service_url: https://attacker.invalid\nimage: "bad image"\n',
      );
    };
    const deployment = enqueue(stage, { 'pulumi up': 'echo ours' });
    const job = await stage.job();
    await written(job);
    expect((await job.main()).outputs).toMatchObject({
      outcome: 'succeeded',
      'deployment-id': deployment.id,
    });
    await job.post();
    const naming = await stage.job({ 'config-file': 'pulumi-workflow-agent.yaml' });
    await written(naming);
    await refused(naming, 'config-error', /pulumi-workflow-agent\.yaml:2.*image/);
  });
});

describe('a deployment that this runner may not run', () => {
  const ABSENT = { image: { reference: 'pulumi-runner-test/absent:1' }, env: { PULUMI_CI_STACK: 'dev' } };

  it.each([
    [
      'by its token, whatever its variables say',
      {},
      /Failed to admit acme\/network\/prod · update · #1 .*: allowed_stacks \(acme\/\*\/dev\)/,
    ],
    [
      'without a proof, though its variables name an allowed one',
      { oidcToken: '' },
      /only its own variables name its stack/,
    ],
  ])('is refused %s, before its image is pulled', async (_, claim, message) => {
    const deployment = stage.enqueue(definition({ 'pulumi up': 'echo ran' }, ABSENT), claim);
    const job = await stage.job({ 'allowed-stacks': 'acme/*/dev' });
    const { summary } = await refused(job, 'refused', message);
    // Step 0 has nothing to show but the message above.
    expect(summary).not.toContain('The end of');
    expect(deployment.status).toBe('failed');
    expect(logOf(deployment, 0)).toMatch(message);
    expect(deployment.steps.map(({ status }) => status)).toEqual(['failed', 'not-started']);
    expect(stage.objectsLeft()).toEqual([]);
  });
});

describe('a hook before the job', () => {
  it('refuses it, with its last line in the job and in step 0, and lets the hook after the job know', async () => {
    const folder = await temporaryDirectory();
    const hook = async (name: string, script: string) => {
      const path = join(folder, name);
      await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      return path;
    };
    const deployment = enqueue(stage, { 'pulumi up': 'echo ran' });
    const job = await stage.job({
      'hook-before-job': await hook(
        'before',
        `cat >${folder}/input; echo "change freeze until Monday" >&2; exit "$PULUMI_RUNNER_REFUSE"`,
      ),
      'hook-after-job': await hook(
        'after',
        `echo "$PULUMI_RUNNER_STACK $PULUMI_RUNNER_OUTCOME" >${folder}/end`,
      ),
    });
    const message = /hook_before_job refused it\. Its last line: change freeze until Monday/;
    const { summary } = await refused(job, 'refused', message);
    expect(summary).toMatch(/The end of <code>Setup<\/code>: 2 lines/);
    expect(logOf(deployment, 0)).toMatch(message);
    expect(deployment.steps.map(({ status }) => status)).toEqual(['failed', 'not-started']);
    expect(stage.objectsLeft()).toEqual([]);
    expect(JSON.parse(await readFile(join(folder, 'input'), 'utf8'))).toMatchObject({
      deploymentId: deployment.id,
    });
    expect(await readFile(join(folder, 'end'), 'utf8')).toBe('acme/network/prod refused\n');
  });

  it('that is missing is a configuration error before anything is claimed', async () => {
    const deployment = enqueue(stage, { 'pulumi up': 'echo ran' });
    const job = await stage.job({ 'hook-before-job': '/opt/none/before' });
    await refused(
      job,
      'config-error',
      /Failed to accept hook_before_job .*: \/opt\/none\/before does not exist/,
    );
    expect(deployment.status).toBe('not-started');
  });
});

describe('a hostile name', () => {
  it('in token and variables forges no command, no markup and no file elsewhere', async () => {
    const evil = '::error::forged</h2><img src=x>../../../etc';
    const part = Buffer.from(
      JSON.stringify({ org: 'acme', project: evil, stack: '..', operation: evil }),
    ).toString('base64url');
    const env = {
      PULUMI_CI_ORGANIZATION: 'acme',
      PULUMI_CI_PROJECT: '..',
      PULUMI_CI_STACK: `${evil}${'x'.repeat(10_000)}`,
      PULUMI_CI_BUILD_URL: 'https://attacker.invalid/acme/x/y/deployments/1',
    };
    const deployment = stage.enqueue(definition({ 'pulumi up': 'echo done' }, { env }), {
      oidcToken: `e30.${part}.c2ln`,
    });
    const job = await stage.job();
    const main = await job.main();
    expect(main.outputs).toMatchObject({
      outcome: 'succeeded',
      stack: '',
      operation: '',
      'deployment-id': deployment.id,
    });
    const post = await job.post();
    const shown = [...main.console, main.summary, ...(post?.console ?? []), post?.summary ?? ''].join('\n');
    expect(shown).not.toMatch(/forged|<img|attacker/);
    const names = (await stage.github.artifacts.list()).map(({ name }) => name);
    expect(names).toEqual([expect.stringMatching(`^pulumi-runner-${deployment.id}-deploy-1-[0-9a-f]{6}$`)]);
  });
});
