import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { type ActionPhase, githubHost } from '../../../src/ci-step/hosts/github/host.ts';
import { publish } from '../../../src/ci-step/publish.ts';
import type { OwnDeployment } from '../../../src/record/deployment.ts';
import { MAX_COMMENT } from '../../../src/record/report/comment.ts';
import { reportOf } from '../../../src/record/report/report.ts';
import { PullRequests } from '../../emulators/github/pull-requests.ts';
import { githubHtml } from '../../support/browser/github-markdown.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { CONTEXT, stepIn } from '../../support/hosts/step.ts';
import { ownDeployment, reportedOwnRun, sampleJob } from '../../support/run/own-run.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const BOT = 'github-actions[bot]';
const PULL_REQUEST = 5;

let github: PullRequests;
let token: string;
beforeEach(async () => {
  github = await PullRequests.start('acme/infra');
  onTestFinished(() => github[Symbol.asyncDispose]());
  token = github.token(BOT);
  github.add(PULL_REQUEST, 'octocat', 'Please review.');
});

type Event = ActionPhase['context']['payload'];
const event = (repository = 'acme/infra'): Event => ({
  pull_request: { number: PULL_REQUEST, head: { repo: { full_name: repository } } },
});

interface Given {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly context?: Partial<ActionPhase['context']>;
  readonly cancelled?: AbortSignal;
}

async function hostOf({ inputs = {}, context = {}, ...over }: Given = {}) {
  const given = { 'comment-on-pr': 'true', 'github-token': token, ...inputs };
  return githubHost(
    stepIn(await temporaryDirectory(), given, {
      environment: { GITHUB_API_URL: github.url },
      context: { ...CONTEXT, payload: event(), ...context },
      ...over,
    }),
  );
}

/** Publishes a run as main does; returns the texts of its annotations. */
async function published(run: Awaited<ReturnType<typeof ownRun>>, given: Given = {}): Promise<string[]> {
  const stdout = captureStdout();
  const { directory: runDirectory, report } = run;
  const artifact = { upload: 'never' } as const;
  const common = { runDirectory, artifact, isRed: false, uploadDeadlineMs: 1_000, last: false };
  await publish(await hostOf(given), { report, ...common });
  return stdout.read().annotations.map(({ level, message }) => `${level}: ${message}`);
}

/** A run that started one deployment, of `stack`. */
async function ownRun(stack = 'dev', over: Partial<OwnDeployment> = {}, text = 'one\n') {
  const run = new SampleRun(await temporaryDirectory());
  const failed = over.outcome === 'failed';
  const directory = await sampleJob(run, {
    id: '001-job',
    text,
    ...(failed && { over: { status: 'failed', exitCode: 1 } as const }),
  });
  const deployment = { ...ownDeployment(stack, { operation: 'preview', ...over }), directory };
  const { outcome = 'succeeded', message = 'All deployments succeeded.' } = over;
  const result = run.result({ deployments: [deployment], outcome, message });
  run.close();
  return { directory: run.directory, report: await reportOf(run.directory, result) };
}

const comments = () => github.bodiesOf(PULL_REQUEST, BOT);

describe('the comment on a pull request', () => {
  test('is made once and then edited, behind 250 comments and a forged marker', async () => {
    for (let index = 0; index < 249; index += 1) github.add(PULL_REQUEST, 'octocat', `comment ${index}`);
    expect(await published(await ownRun('dev', { changes: { create: 3 } }))).toEqual([]);
    const [first = ''] = comments();
    github.add(PULL_REQUEST, 'mallory', first);
    expect(first).toMatch(/^<!-- pulumi-runner-action [0-9a-f]{32} -->\n<h3>✅ .*acme\/web\/dev/);
    expect(first).toContain('<code>3 to create</code>');
    expect(first).toContain('https://github.com/acme/infra/actions/runs/77/attempts/1');

    expect(await published(await ownRun('dev', { changes: { create: 4 } }))).toEqual([]);
    expect(comments()).toEqual([first.replace('3 to create', '4 to create')]);
    expect(github.bodiesOf(PULL_REQUEST, 'mallory')).toEqual([first]);
    expect(github.calls).toEqual(['find', 'find', 'find', 'create', 'find', 'find', 'find', 'update']);
    expect(github.violations).toEqual([]);
  });

  test('is not taken for the own one before it, when another user forged it', async () => {
    await published(await ownRun());
    const [forged = ''] = comments();
    const other = github.token('deploy-bot');
    await published(await ownRun(), { inputs: { 'github-token': other } });
    expect(github.bodiesOf(PULL_REQUEST, 'deploy-bot')).toEqual([forged]);
    expect(comments()).toEqual([forged]);
  });

  test('is one for each workflow, job, stack and operation', async () => {
    await published(await ownRun('dev'));
    await published(await ownRun('prod'));
    await published(await ownRun('dev', { operation: 'update' }));
    await published(await ownRun('dev'), { context: { job: 'other' } });
    await published(await ownRun('dev'), { context: { workflow: 'Other' } });
    await published(await ownRun('dev'), { context: { runId: 78 } });
    expect(comments()).toHaveLength(5);
  });

  test('is none without trigger: a claimed deployment is none of this change’s business', async () => {
    const run = new SampleRun(await temporaryDirectory());
    run.claim();
    const result = run.result({
      identity: { organization: 'acme', project: 'web', stack: 'secret', proven: true },
    });
    run.close();
    await published({ directory: run.directory, report: await reportOf(run.directory, result) });
    await published(await ownRun('dev'), { inputs: { 'comment-on-pr': 'false' } });
    expect(github.calls).toEqual([]);
  });

  test('names the run’s own deployments alone, not a job that it also claimed', async () => {
    const { directory, report } = await reportedOwnRun();
    await published({ directory, report });
    const [body = ''] = comments();
    expect(body).toContain('acme/web/prod');
    expect(body).toContain('error: it exists');
    expect(body).not.toContain('acme/web/old');
    expect(body).not.toContain('of another');
  });

  test('shows hostile output as text: no mention, link, reference or markup', async () => {
    const hostile = [
      '@octocat #1 acme/infra#2 https://evil.example ![x](https://evil.example/x.png) :tada:',
      '</pre></details><h1>@acme/admins</h1><img src=x onerror=alert(1)> <!-- ',
      '\u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007 \u202eabc ```',
    ];
    const message = `Failed to run step 1 "@octocat <b>#1</b> https://evil.example":\n\n# @acme/admins`;
    const stated = hostile.join('\n');
    await published(await ownRun('dev', { outcome: 'failed', message }, `${stated}\n`));
    const html = githubHtml(comments()[0] ?? '');
    expect(html).toContain('onerror=alert(1)');

    // GitHub makes mentions and links of text, but not inside of these.
    const outside = html.replace(/<(code|pre)>[\s\S]*?<\/\1>/g, '');
    for (const part of ['@', '#1', 'evil', ':tada:', '<img', '<h1', '<b>'])
      expect(outside).not.toContain(part);
    const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, address = '']) => new URL(address).hostname);
    expect(new Set(links)).toEqual(new Set(['app.pulumi.com', 'github.com']));
    for (const hidden of ['<img', '\u001b', '\u202e']) expect(html).not.toContain(hidden);
  });

  test('fits GitHub’s limit, however much there is to show', async () => {
    const line = `${'<&"'.repeat(400)}\n`;
    const message = line.repeat(100);
    await published(await ownRun('dev', { outcome: 'failed', message }, line.repeat(50)));
    const { directory, report } = await reportedOwnRun();
    const deployments = Array.from({ length: 400 }, (_, index) =>
      ownDeployment(`${'x'.repeat(90)}-${index}`, {
        consoleUrl: `https://app.pulumi.com/${'&'.repeat(300)}`,
      }),
    );
    await published({ directory, report: { ...report, deployments } });
    expect(comments()).toHaveLength(2);
    for (const body of comments()) {
      expect(body.length).toBeLessThan(MAX_COMMENT + 500);
      expect(body).toContain('The CI run');
    }
    expect(comments()[1]).toContain('more deployments');
    expect(github.violations).toEqual([]);
  });

  test('names the locks of a few of 250 stacks, and how many more there are', async () => {
    const { directory, report } = await reportedOwnRun();
    const deployments = Array.from({ length: 250 }, (_, at) =>
      ownDeployment(`s${at}`, { outcome: 'failed' }),
    );
    const jobs = deployments.map((own, at) => {
      const lock = at === 0 ? ({ state: 'free' } as const) : ({ state: 'held', conflict: true } as const);
      const job = { ...report, jobs: undefined, deployments: [own], steps: [], notices: [], lock };
      return { directory: `deployments/${at}`, report: job };
    });
    const message = 'Failed. '.repeat(50);
    const outcome = 'failed' as const;
    await published({ directory, report: { ...report, outcome, message, deployments, jobs: jobs as never } });
    const [body = ''] = comments();
    expect(body).toContain('acme/web/s1 is locked by another update');
    expect(body).not.toContain('acme/web/s0 is free');
    expect(body).toMatch(/and (?:150|2\d\d) more stacks/);
  });

  test('belongs to the pull request of the input, of the event, or of the comment that is the event', async () => {
    github.add(6, 'octocat', 'x');
    await published(await ownRun(), { inputs: { 'comment-on-pr-number': '6' }, context: { payload: {} } });
    expect(github.bodiesOf(6, BOT)).toHaveLength(1);
    const issue = { number: PULL_REQUEST, pull_request: {} };
    await published(await ownRun(), { context: { payload: { issue } } });
    expect(comments()).toHaveLength(1);
    github.calls.length = 0;
    const { pull_request: _, ...alone } = issue;
    for (const payload of [{}, { issue: alone }])
      expect(await published(await ownRun(), { context: { payload } })).toEqual([]);
    expect(github.calls).toEqual([]);
  });
});

describe('a comment that can’t be made', () => {
  test('asks for the missing permission by its name', async () => {
    const inputs = { 'github-token': github.token(BOT, { canComment: false }) };
    expect(await published(await ownRun(), { inputs })).toEqual([
      "warning: Failed to comment on pull request #5 for this run: the token isn't allowed to. Add `permissions: pull-requests: write` to the job. " +
        "The job's summary has the same facts. See PRA-RECORD-15",
    ]);
  });

  test('is one notice for a pull request from a fork, with a token that reads or none', async () => {
    const notice = /^notice: No comment was made on pull request #5: .*forks/;
    const context = { payload: event('mallory/infra') };
    for (const read of ['', github.token(BOT, { canComment: false })])
      expect(await published(await ownRun(), { inputs: { 'github-token': read }, context })).toEqual([
        expect.stringMatching(notice),
      ]);
    expect(comments()).toEqual([]);
  });

  test.each([
    ['stall', 4_500, 7_000, 'no answer within 5 s'],
    ['reset', 0, 3_000, ''],
    ['status', 0, 3_000, ''],
  ] as const)('costs 5 s at most and one warning: %s', async (kind, least, most, cause) => {
    github.faults.inject('find', kind === 'status' ? { kind, status: 502 } : { kind });
    const run = await ownRun();
    const began = performance.now();
    const publishing = published(run);
    await expect.poll(() => github.calls, { timeout: 20_000 }).toContain('find');
    const asked = performance.now();
    const annotations = await publishing;
    expect(performance.now() - began).toBeGreaterThan(least);
    expect(performance.now() - asked).toBeLessThan(most);
    expect(annotations).toEqual([expect.stringContaining(`for this run: ${cause}`)]);
  });

  test('is left to post by a cancelled main, and made once', async () => {
    const cancel = new AbortController();
    github.faults.inject('find', { kind: 'stall' });
    const run = await ownRun();
    const main = published(run, { cancelled: cancel.signal });
    await expect.poll(() => github.calls, { timeout: 20_000 }).toEqual(['find']);
    cancel.abort(new Error('cancelled'));
    expect(await main).toEqual([]);
    expect(comments()).toEqual([]);
    await published(run);
    expect(comments()).toHaveLength(1);
  });

  test('fails with GitHub’s own words for a token that is none, and for a pull request that is none', async () => {
    const inputs = { 'github-token': 'ghs_none' };
    expect(await published(await ownRun(), { inputs })).toEqual([expect.stringContaining('Bad credentials')]);
    const none = { 'comment-on-pr-number': '404' };
    expect(await published(await ownRun(), { inputs: none })).toEqual([
      expect.stringMatching(/^warning: Failed to comment on pull request #404 .*Could not resolve/),
    ]);
    expect(comments()).toEqual([]);
  });
});
