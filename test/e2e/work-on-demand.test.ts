import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PullRequests } from '../emulators/github/pull-requests.ts';
import type { Policy } from '../emulators/pulumi-cloud/exchange.ts';
import { failing } from '../emulators/pulumi-cloud/faults.ts';
import { AUDIENCE, trust } from '../support/cloud/id-token.ts';
import { ACTION, definition, POOL, useStage } from '../support/e2e/stage.ts';

const PLAN = join(ACTION, 'plan');
const RULES = { aud: AUDIENCE, sub: 'repo:acme/infrastructure:*' };
/** A pool served by another agent. */
const OTHER = { id: 'pool-9b2d', name: 'elsewhere' };
const stage = useStage();

/** Defines a stack of the pool whose deployments print their operation. */
function defineStack(): void {
  const job = (operation: string) =>
    definition({ [`pulumi ${operation}`]: `echo "${operation} of network/prod"` });
  stage.cloud.defineStack({ project: 'network', stack: 'prod', poolId: POOL.id, job });
}

/** Allows the exchange for the pools' tokens and the organization's. */
function allow(): void {
  const runners = [POOL, OTHER].map(({ id }): Policy => {
    return { decision: 'allow', tokenType: 'runner', runnerID: id, rules: RULES };
  });
  trust(stage.cloud, stage.github.issuer, ...runners, {
    decision: 'allow',
    tokenType: 'organization',
    rules: RULES,
  });
}

const planJob = (inputs: Record<string, string> = {}) => {
  const given = {
    organization: 'acme',
    'runner-pool-id': POOL.id,
    'service-url': stage.cloud.url,
    ...inputs,
  };
  return stage.github.newJob(PLAN, given, { PULUMI_AGENT_REQUEST_RETRY_WAIT: '100ms' });
};

describe('the action with trigger', () => {
  it('starts, claims and runs the deployment, all in one job', async () => {
    allow();
    defineStack();
    const { main } = await stage.run({ trigger: 'acme/network/prod', operation: 'detect-drift' });
    expect(main.conclusion, main.console.join('\n')).toBe('success');
    const [deployment] = stage.cloud.deployments;
    const page = 'https://app.pulumi.com/acme/network/prod/deployments/1';
    expect(main.outputs).toMatchObject({
      outcome: 'succeeded',
      'deployment-id': deployment?.id,
      'console-url': page,
    });
    expect(main.summary).toContain(
      `Deployment <a href="${page}"><code>${deployment?.id}</code></a> in Pulumi Cloud`,
    );
    expect(deployment).toMatchObject({ operation: 'detect-drift', status: 'succeeded' });
    expect(main.console.join('\n')).toContain(
      `Started detect-drift of acme/network/prod: deployment ${deployment?.id}, version 1`,
    );
    expect(main.console.join('\n')).toContain('detect-drift of network/prod');
    expect(main.summary).toMatch(
      new RegExp(`^<h2>✅ <a href="${page}">acme/network/prod</a> · detect-drift · #1 · [\\d.]+ s</h2>\n`),
    );
  });

  it('has the outputs of its stack for later steps, of which none can take the place of another output', async () => {
    allow();
    defineStack();
    const stack = stage.cloud.stacks.find({ project: 'network', stack: 'prod' });
    if (stack === undefined) throw new Error('Failed to find the stack.');
    const outputs = JSON.parse(
      '{"outcome":"forged","__proto__":{"a":1},"url":"https://prod","key":"hunter2-hunter2"}',
    );
    const resources = [{ type: 'pulumi:pulumi:Stack', outputs }];
    stack.state = { version: 3, deployment: { resources } };
    const inputs = { trigger: 'acme/network/prod', operation: 'update', 'github-token': 'hunter2-hunter2' };
    const { main } = await stage.run(inputs);
    expect(main.outputs).toMatchObject({ outcome: 'succeeded', error: '', 'error-code': '' });
    expect(main.outputs['stack-outputs']).toBe(
      '{"acme/network/prod":{"outcome":"forged","__proto__":{"a":1},"url":"https://prod"}}',
    );
    expect(main.console.join('\n')).toContain(
      'stack-outputs leaves out outputs of acme/network/prod that hold a text that this step hides: key.',
    );
    const [artifact] = stage.github.artifacts.list();
    const files = await stage.github.artifacts.download(artifact?.name ?? '');
    expect([...files.values()].map(String).join()).not.toContain('https://prod');
  });

  it('comments on the pull request, and edits that comment in the next run', async () => {
    await using pullRequests = await PullRequests.start('acme/infrastructure');
    pullRequests.add(5, 'octocat', 'Please review.');
    allow();
    defineStack();
    const inputs = {
      ...{ trigger: 'acme/network/prod', operation: 'preview' },
      ...{ 'comment-on-pr': 'true', 'comment-on-pr-number': '5', 'github-token': pullRequests.token('bot') },
    };

    for (const version of [1, 2]) {
      const { main } = await stage.run(inputs, { GITHUB_API_URL: pullRequests.url });
      expect(main.conclusion, main.console.join('\n')).toBe('success');
      const [comment, ...others] = pullRequests.bodiesOf(5, 'bot');
      expect(comment).toContain(`<code>preview</code> · <code>#${version}</code>`);
      expect(comment).toContain(main.outputs['artifact-url']);
      expect(others).toEqual([]);
    }

    expect(pullRequests.violations).toEqual([]);
  });

  it('says on the console for how long an outage pauses its calls, and runs the deployment afterwards', async () => {
    allow();
    defineStack();
    const unavailable = { method: 'GET', path: /\/deployments(?:\/poll)?$/, times: 6, answer: failing(503) };
    stage.cloud.script(unavailable);
    const inputs = { trigger: 'acme/network/prod', operation: 'preview' };
    const { main } = await stage.run(inputs, { PULUMI_AGENT_CIRCUIT_BREAKER_TIMEOUT: '3s' });
    expect(main.conclusion, main.console.join('\n')).toBe('success');
    const pauses = main.console.filter((line) => line.includes('After 2 failed calls, '));
    expect(pauses).toEqual([expect.stringMatching(/pause for 3 seconds \(circuit_breaker_timeout\)\.$/)]);
  });

  it.each([
    [true, { conclusion: 'success', outcome: 'skipped', level: 'warning' }],
    [false, { conclusion: 'failure', outcome: 'failed', level: 'error' }],
  ])(
    'says once that its deployment was skipped, for a newer one that is listed: %j',
    async (isListed, end) => {
      await stage.reopen({ pools: [POOL, OTHER] });
      allow();
      const { cloud } = stage;
      const stack = { project: 'web', stack: 'dev', poolId: OTHER.id, job: definition({ Work: 'true' }) };
      cloud.defineStack({ ...stack, skipsIntermediate: true });
      const running = stage.run({ trigger: 'acme/web/dev', operation: 'update' });
      await cloud.waitFor(() => cloud.deployments.length === 1, 60_000);
      const body = { deployments: [], total: 0 };
      const path = /^\/api\/stacks\/.*\/deployments$/;
      if (!isListed) cloud.script({ method: 'GET', path, answer: { status: 200, body } });
      cloud.enqueue(stack);
      const { main } = await running;
      expect(main.conclusion, main.console.join('\n')).toBe(end.conclusion);
      expect(main.outputs['outcome']).toBe(end.outcome);
      const said = main.annotations.filter(({ message }) => message.includes('skipped'));
      expect(said).toMatchObject([
        { level: end.level, message: expect.stringContaining('update of acme/web/dev') },
      ]);
    },
  );

  it('reports on two stacks: one fails here, and another agent finds drift in the other', async () => {
    await stage.reopen({ pools: [POOL, OTHER] });
    allow();
    const stack = (name: string, poolId: string, script: string, more: object = {}) =>
      stage.cloud.defineStack({
        project: 'web',
        stack: name,
        poolId,
        job: definition({ Work: script }),
        ...more,
      });
    stack('dev', OTHER.id, 'echo seen from afar', { drifts: true, changes: { same: 3, update: 1 } });
    stack('prod', POOL.id, 'echo no such bucket; exit 3');
    const other = stage.run({ 'runner-pool-id': OTHER.id, 'max-wait': '60s' }, {}, { job: 'other' });
    const { main } = await stage.run({ trigger: 'acme/web/*', operation: 'detect-drift' });
    expect((await other).main.conclusion).toBe('success');
    expect(main.conclusion, main.console.join('\n')).toBe('failure');
    const { outputs, summary } = main;
    expect(outputs).toMatchObject({ outcome: 'failed', drift: 'true', 'artifact-name': expect.any(String) });
    const deployments: { stack: string; deploymentId: string }[] = JSON.parse(outputs['deployments'] ?? '');
    expect(deployments).toMatchObject([
      { stack: 'acme/web/dev', operation: 'detect-drift', version: 1, outcome: 'succeeded', ranHere: false },
      { stack: 'acme/web/prod', operation: 'detect-drift', version: 1, outcome: 'failed', ranHere: true },
    ]);
    expect(outputs['deployment-id']).toBe(deployments[0]?.deploymentId);
    expect(
      JSON.parse(await readFile(join(outputs['run-directory'] ?? '', 'run.json'), 'utf8')),
    ).toMatchObject({
      deploymentId: deployments[0]?.deploymentId,
      elsewhere: true,
    });
    expect(summary).toContain('<h2>❌ 2 deployments · detect-drift · ');
    expect(summary).toMatch(
      /<code>Work of acme\/web\/prod<\/code>: 1 line<\/summary><pre>no such bucket<\/pre>/,
    );
    const console = main.console.join('\n');
    expect(console).toMatch(/The detect-drift of acme\/web\/dev succeeded elsewhere after [\d.]+ s\./);
    expect(console).toMatch(/\[notice\]The resources of acme\/web\/dev differ from its state/);
    const files = await stage.github.artifacts.download(outputs['artifact-name'] ?? '');
    const pages = [...files.keys()].filter((path) => path.endsWith('report.html')).toSorted();
    expect(pages).toHaveLength(3);
    for (const page of pages.slice(0, 2))
      expect(String(files.get('report.html'))).toContain(`<a href="${page}">`);
    const [log] =
      [...files].find(([path]) => path.includes(`${deployments[0]?.deploymentId}/steps/01`)) ?? [];
    expect(String(files.get(log ?? ''))).toBe('seen from afar\n');
  });
});

describe('plan/', () => {
  it('plans at most two jobs for three deployments, and each job takes one from the queue', async () => {
    allow();
    const waiting = ['a', 'b', 'c'].map((stack) =>
      stage.enqueue(definition({ Work: `echo ${stack}` }), { stack }),
    );
    const planning = await planJob({ max: '2' });
    const plan = await planning.main();
    expect(plan.conclusion, plan.console.join('\n')).toBe('success');
    expect(plan.outputs).toEqual({
      matrix: '{"include":[{"index":0},{"index":1}]}',
      count: '2',
      queued: '3',
      started: '[]',
    });
    expect(plan.summary).toContain('3 deployments wait for pool');
    expect(await planning.post()).toBeUndefined();
    const matrix: { include: { index: number }[] } = JSON.parse(plan.outputs['matrix'] ?? '');
    for (const entry of matrix.include) {
      const { main } = await stage.run({ 'artifact-name': `job-${entry.index}` });
      expect(main.outputs).toMatchObject({ outcome: 'succeeded' });
    }
    expect(waiting.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'not-started']);
  });

  it('exits by itself when the CI job is cancelled, and starts nothing more', async () => {
    allow();
    defineStack();
    const inputs = { trigger: 'acme/network/prod', operation: 'preview', 'trigger-jitter': '500h' };
    const main = await (await planJob(inputs)).startMain();
    await main.waitForConsole(/Starting preview of one stack/, 60_000);
    await main.cancel();
    const plan = await main.exited;
    expect(plan).toMatchObject({ conclusion: 'cancelled', exitCode: 130, signal: null });
    expect(stage.cloud.deployments).toEqual([]);
  });
});
