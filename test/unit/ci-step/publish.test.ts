import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { OUTCOME_NAMES, type Outcome, OutcomeError } from '../../../src/base/outcome.ts';
import { conclude, isRed, showConclusion } from '../../../src/ci-step/conclusion.ts';
import type { Host } from '../../../src/ci-step/host.ts';
import { githubHost } from '../../../src/ci-step/hosts/github/host.ts';
import { showNotices } from '../../../src/ci-step/notices.ts';
import { outputsFromEvents, setRunOutputs } from '../../../src/ci-step/outputs.ts';
import { failStep } from '../../../src/ci-step/step.ts';
import { errorIn, failedStepSentence } from '../../../src/record/output/error.ts';
import { runComment } from '../../../src/record/report/comment.ts';
import { type RunReport, reportOf } from '../../../src/record/report/report.ts';
import { runSummary } from '../../../src/record/report/summary.ts';
import { lockText, type StackLock } from '../../../src/record/stack-lock.ts';
import { manifestOf } from '../../support/documents/pages.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { commandFiles } from '../../support/hosts/command-files.ts';
import { stepIn } from '../../support/hosts/step.ts';
import { ownDeployment, reportedOwnRun, sampleJob, sampleOwnRun } from '../../support/run/own-run.ts';
import { SampleRun } from '../../support/run/sample-run.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

let host: Host;
let files: Awaited<ReturnType<typeof commandFiles>>;
beforeEach(async () => {
  const directory = await temporaryDirectory();
  files = await commandFiles(directory);
  host = githubHost(stepIn(directory));
});

function report(outcome: Outcome, over: Partial<RunReport> = {}): RunReport {
  return { outcome, message: `It is ${outcome}.`, forwarded: [], notices: [], steps: [], ...over };
}

/** Shows the end of a run without a directory. */
function end(report: RunReport, onNoWork: 'succeed' | 'warn' | 'fail' = 'succeed'): number {
  return conclude(host, { report, runDirectory: '' }, onNoWork);
}

describe('the end of a step', () => {
  test('is green only for success, for a deployment that a newer one replaced and, by choice, for no work', () => {
    captureStdout();
    for (const outcome of OUTCOME_NAMES) {
      const green = ['succeeded', 'skipped', 'no-work'].includes(outcome);
      expect(end(report(outcome)), outcome).toBe(green ? 0 : 1);
      expect(isRed(report(outcome), 'warn')).toBe(!green);
    }
    expect(end(report('no-work'), 'fail')).toBe(1);
    expect(end(report('succeeded'), 'fail')).toBe(0);
  });

  test.each([
    ['no-work', 'succeed', []],
    ['no-work', 'warn', ['warning']],
    ['no-work', 'fail', ['error']],
    ['cancelled', 'succeed', ['error']],
    ['skipped', 'fail', ['warning']],
  ] as const)('reports %s once, with on-no-work %s', (outcome, onNoWork, levels) => {
    const stdout = captureStdout();
    end(report(outcome), onNoWork);
    const { annotations, lines } = stdout.read();
    expect(annotations.map(({ level }) => level)).toEqual(levels);
    expect(lines.join()).toContain(`It is ${outcome}.`);
  });

  test('puts a full stop between a list on one line and its entry, in post too', () => {
    const message =
      'Failed to load it: 1 problem. Correct what is listed:\n  name: wrong, or use --name NAME';
    const shown = { report: report('config-error', { message, code: 'PRA-CONFIG-01' }), runDirectory: '' };
    const stdout = captureStdout();
    conclude(host, shown, 'succeed');
    showConclusion(host, shown);
    const { annotations, lines } = stdout.read();
    const said = [...annotations.map((each) => each.message), lines.at(-1)];
    const line =
      '✗ config-error: Failed to load it: 1 problem. Correct what is listed: name: wrong, or use --name NAME. See PRA-CONFIG-01';
    expect(said).toEqual([line, line]);
  });

  const identity = {
    organization: 'acme',
    project: 'network',
    stack: 'prod',
    operation: 'update',
    version: 1042,
  };
  const named = { deploymentId: 'dep-1', identity: { ...identity, proven: true }, runSeconds: 9.8 } as const;
  const resources = { counts: { create: 5 }, resources: [], preview: false, source: 'pulumi-cloud' as const };
  const PAGE = 'https://app.pulumi.com/acme/network/prod/deployments/1042';

  test.each<[string, RunReport, string]>([
    ['a success', report('succeeded', named), '✓ acme/network/prod · update #1042 succeeded in 9.8 s'],
    [
      'a success with changes and drift',
      report('succeeded', { ...named, resources, drift: true }),
      '✓ acme/network/prod · update #1042 succeeded in 9.8 s · 5 created · drift',
    ],
    [
      'a failure',
      report('failed', { ...named, code: 'PRA-JOB-01' }),
      '##[error]✗ acme/network/prod · update #1042 failed in 9.8 s: It is failed. See PRA-JOB-01',
    ],
    [
      'an outcome that is no verb',
      report('lease-lost', named),
      '##[error]✗ acme/network/prod · update #1042 ended as lease-lost in 9.8 s: It is lease-lost.',
    ],
    [
      'a skipped one',
      report('skipped', { deployments: [ownDeployment('dev', { outcome: 'skipped' })] }),
      '##[warning]– acme/web/dev · update #7 skipped in 10 s: It is skipped.',
    ],
    [
      'one that ran elsewhere',
      report('succeeded', {
        deployments: [ownDeployment('dev', { ranHere: false, changes: { update: 1 } })],
      }),
      '✓ acme/web/dev · update #7 succeeded elsewhere in 10 s · 1 updated',
    ],
    ['no work', report('no-work'), '○ It is no-work.'],
    ['a failure before any work', report('auth-error'), '##[error]✗ auth-error: It is auth-error.'],
    ['an unnamed one', report('succeeded', { deploymentId: 'dep-1' }), '✓ Deployment dep-1 succeeded'],
    [
      'other work',
      report('succeeded', { deploymentId: 'd', kind: 'delivery' }),
      '✓ Work of the kind "delivery" succeeded',
    ],
    [
      'a stack whose name is hostile',
      report('succeeded', { identity: { ...named.identity, stack: 'x\n::error::y\u001b[2J' } }),
      '✓ acme/network/x ::error::y · update #1042 succeeded',
    ],
  ])('says in one line how it ended: %s', (_, given, line) => {
    const stdout = captureStdout();
    end(given);
    const [first] = stdout.read().lines;
    expect(first).toBe(line);
  });

  test.each(['succeeded', 'failed', 'skipped', 'refused'] as const)(
    'is one line, whatever the message of %s holds',
    (outcome) => {
      const stdout = captureStdout();
      end(report(outcome, { message: 'It ended.\n✓ acme/network/prod · update #1042 succeeded' }));
      const { lines, annotations } = stdout.read();
      const shown = [...lines, ...annotations.map(({ message }) => message)].join('\n').split('\n');
      expect(shown.filter((line) => line.startsWith('✓ acme'))).toEqual([]);
    },
  );

  test('links the deployment’s page and the artifact below that line', () => {
    const stdout = captureStdout();
    const artifact = { id: '5', name: 'a', url: 'https://github.com/acme/infra/actions/runs/77/artifacts/5' };
    const given = report('succeeded', { ...named, deploymentUrl: PAGE });
    conclude(host, { report: given, runDirectory: '/run', artifact }, 'succeed');
    expect(stdout.read().lines.slice(1)).toEqual([`Deployment: ${PAGE}`, `Artifact: ${artifact.url}`]);
  });

  test('links no address that is none, and the report where the record stays', () => {
    const stdout = captureStdout();
    const given = report('succeeded', {
      ...named,
      deploymentUrl: 'javascript:x\n::error::y',
      consoleUrl: PAGE,
    });
    const kept = { ...host, keepsRecord: true };
    conclude(kept, { report: given, runDirectory: '/run' }, 'succeed');
    expect(stdout.read().lines.slice(1)).toEqual([`Deployments: ${PAGE}`, 'Report: /run/report.html']);
  });

  test('has a line for each of several deployments before it', async () => {
    const stdout = captureStdout();
    const run = new SampleRun(await temporaryDirectory());
    const result = await sampleOwnRun(run);
    run.close();
    const { directory } = run;
    conclude(host, { report: await reportOf(directory, result), runDirectory: directory }, 'succeed');
    expect(stdout.read().lines).toEqual([
      '✗ acme/web/prod · update #7 failed in 10 s · 5 created',
      '✓ acme/web/dev · update #7 succeeded elsewhere in 10 s · 1 updated',
      '✗ acme/web/none · update ended as config-error',
      '##[error]✗ 3 deployments · update · 1 failed, 1 succeeded, 1 config-error · drift in 1 · 59 s: 2 of 3 deployments did not succeed: acme/web/prod, acme/web/none.',
    ]);
  });
});

test('outputs, summary, comment and last line say the same of the resources, from one reading of the logs', async () => {
  const run = new SampleRun(await temporaryDirectory());
  const text = 'Apply complete! Resources: 2 added, 0 changed, 1 destroyed.\n';
  const directory = await sampleJob(run, { id: 'prod', text });
  const result = run.result({ deployments: [ownDeployment('prod', { directory })] });
  run.close();
  const report = await reportOf(run.directory, result);
  await rm(run.directory, { recursive: true });
  const shown = { report, runDirectory: run.directory };

  const stdout = captureStdout();
  setRunOutputs(host, report, run.directory);
  conclude(host, shown, 'succeed');
  expect(stdout.read().lines[0]).toMatch(/ · 1 deleted, 2 created, according to its output$/);
  expect(JSON.parse((await files.outputs())['changes'] ?? '')).toEqual({ create: 2, update: 0, delete: 1 });
  for (const markdown of [await runSummary(shown), await runComment(shown)]) {
    expect(markdown).toContain('1 deleted, 2 created, according to its output');
    expect(markdown).toContain('2 added, 0 changed, 1 destroyed');
  }
});

test('a step’s own words in its error forge no command', async () => {
  const printed = 'error: a ##[set-output name=outcome]b ::add-mask::c %0A::error::d\r\n::error::e\n';
  const error = errorIn(printed);
  const message = failedStepSentence('step 1', '', { ...(error !== undefined && { error }) });
  const steps = [
    { index: 1, name: 'pulumi', status: 'failed', ...(error !== undefined && { error }) },
  ] as const;
  const stdout = captureStdout();
  end(report('failed', { message, steps }), 'fail');
  setRunOutputs(host, report('failed', { message, steps }), '/run');
  const { commands, lines } = stdout.read();
  expect(commands.map(({ command }) => command)).toEqual(['error']);
  expect(lines.join('\n')).not.toContain('##[set-output');
  expect(await files.outputs()).toMatchObject({
    outcome: 'failed',
    // A later step can print it: no line of it is a command.
    error: 'a ## [set-output name=outcome]b ::add-mask::c %0A::error::d',
  });
  setRunOutputs(host, report('failed', { steps: [{ ...steps[0], error: '::add-mask::acme' }] }), '/run');
  expect(await files.outputs()).toMatchObject({ error: ': :add-mask::acme' });
});

test.each<[StackLock, string | undefined]>([
  [{ state: 'unknown', step: 'pulumi up' }, 'A stack may be locked'],
  [{ state: 'unknown', step: 'pulumi up', interrupted: true }, 'A stack may be locked'],
  [{ state: 'held', conflict: true }, 'A stack is locked'],
  [{ state: 'locked', kind: 'update', author: 'dev' }, 'A stack is locked'],
  [{ state: 'free' }, undefined],
  [{ state: 'released' }, undefined],
])('the lock %j is a notice only where a reader must act: %s', (lock, expected) => {
  const stdout = captureStdout();
  const identity = { organization: 'acme', project: 'web', stack: 'dev', proven: true };
  showNotices(host, report('failed', { lock, identity }));
  const { annotations, lines } = stdout.read();
  expect(annotations.map(({ properties }) => properties['title'])).toEqual(
    expected === undefined ? [] : [expected],
  );
  const said = [...annotations.map(({ message }) => message), ...lines].join('\n');
  expect(said).toContain(lockText(lock, 'acme/web/dev'));
  expect(said.includes('pulumi cancel acme/web/dev')).toBe(expected !== undefined);
});

describe('a step that can’t begin', () => {
  const noPermission = new OutcomeError('auth-error', 'No permission.', { code: 'PRA-AUTH-01' });

  test('sets outcome and run directory, writes the summary and turns red', async () => {
    const stdout = captureStdout();
    expect(await failStep(host, noPermission, '/run')).toBe(1);
    expect(await files.outputs()).toMatchObject({
      outcome: 'auth-error',
      'run-directory': '/run',
      'artifact-id': '',
    });
    expect(await files.summary()).toContain('<p>No permission. See PRA-AUTH-01</p>');
    expect(stdout.read().annotations).toMatchObject([
      { message: expect.stringContaining('No permission. ') },
    ]);
  });

  test('links to the entry in the repository and version that the action runs from', async () => {
    const stdout = captureStdout();
    const page = 'https://github.com/fork/runner/blob/v1.2.3/TROUBLESHOOTING.md';
    const environment = { GITHUB_ACTION_REPOSITORY: 'fork/runner', GITHUB_ACTION_REF: 'v1.2.3' };
    const directory = await temporaryDirectory();
    const known = githubHost(stepIn(directory, {}, { environment }));
    await failStep(known, noPermission, '/run');
    expect(stdout.read().annotations[0]?.message).toBe(
      `✗ auth-error: No permission. See PRA-AUTH-01: ${page}#pra-auth-01`,
    );
    expect(await readFile(join(directory, 'STEP_SUMMARY'), 'utf8')).toContain(
      `<p>No permission. <a href="${page}#pra-auth-01">See PRA-AUTH-01</a></p>`,
    );
  });

  test('still reports its error when GitHub’s files are missing', async () => {
    const stdout = captureStdout();
    vi.stubEnv('GITHUB_OUTPUT', '/no/such/file');
    const lost = githubHost(stepIn('/no/such/directory'));
    expect(await failStep(lost, new TypeError('x is undefined'), '')).toBe(1);
    expect(stdout.read().annotations.map(({ level, message }) => [level, message])).toEqual([
      ['warning', expect.stringMatching(/^Failed to set the outputs .* See PRA-RECORD-02$/)],
      ['warning', expect.stringMatching(/^Failed to write the summary .* See PRA-RECORD-02$/)],
      ['error', '✗ Failed to run the agent for this job: x is undefined. See PRA-CONFIG-12'],
    ]);
  });
});

test('the outputs are those that action.yml declares', async () => {
  const ids = { deploymentId: 'd\nx=y', runId: 'r', jobId: 'j' };
  const pages = { consoleUrl: 'all', deploymentUrl: 'c' };
  outputsFromEvents(host)({ t: '', type: 'health-listening', url: 'h' });
  const artifact = { id: '5', url: 'u', name: 'n' };
  const identity = { organization: 'acme', project: 'web', stack: 'prod', operation: 'update', proven: true };
  setRunOutputs(
    host,
    report('failed', { ...ids, ...pages, identity, code: 'PRA-JOB-01', reported: false, waitSeconds: 1.26 }),
    '/run',
    { artifact, stackOutputs: '{"acme/web/prod":{"outcome":"forged"}}' },
  );
  const outputs = await files.outputs();
  expect(outputs).toEqual({
    outcome: 'failed',
    'error-code': 'PRA-JOB-01',
    error: '',
    changes: '',
    'deployment-id': 'd\nx=y',
    'run-id': 'r',
    'job-id': 'j',
    reported: 'false',
    'console-url': 'c',
    stack: 'acme/web/prod',
    operation: 'update',
    'health-url': 'h',
    'wait-seconds': '1.3',
    'run-seconds': '',
    'trace-id': '',
    'run-directory': '/run',
    deployments: '[]',
    'stack-version': '',
    'stack-outputs': '{"acme/web/prod":{"outcome":"forged"}}',
    drift: '',
    'artifact-id': '5',
    'artifact-name': 'n',
    'artifact-url': 'u',
  });
  expect(Object.keys(manifestOf('.').outputs).toSorted()).toEqual(Object.keys(outputs).toSorted());
});

test('the outputs name a deployment as soon as its claim does, or its definition', async () => {
  const outputs = outputsFromEvents(host);
  const claimed = {
    type: 'claimed',
    deploymentId: 'd',
    runId: 'r',
    jobId: 'j',
    waitSeconds: 1,
    consoleUrl: 'all',
  } as const;
  outputs({ t: '', ...claimed });
  expect(await files.outputs()).toMatchObject({ stack: '', operation: '', 'console-url': 'all' });
  const identity = {
    organization: 'acme',
    project: 'web',
    stack: 'dev',
    operation: 'preview',
    proven: false,
  };
  outputs({ t: '', type: 'identified', identity });
  expect(await files.outputs()).toMatchObject({
    stack: 'acme/web/dev',
    operation: 'preview',
    'console-url': 'all',
  });
  outputs({ t: '', type: 'identified', identity, deploymentUrl: 'own' });
  expect(await files.outputs()).toMatchObject({ stack: 'acme/web/dev', 'console-url': 'own' });
});

describe('a run that started deployments', () => {
  test('has outputs for each, and the identity and folder of the first', async () => {
    const directory = 'deployments/001-a';
    const deployments = [ownDeployment('prod', { directory }), ownDeployment('dev', { ranHere: false })];
    setRunOutputs(host, report('failed', { deployments, drift: true, deploymentId: 'dep-prod' }), '/run');
    const outputs = await files.outputs();
    expect(outputs).toMatchObject({
      drift: 'true',
      'deployment-id': 'dep-prod',
      'run-directory': `/run/${directory}`,
    });
    expect(JSON.parse(outputs['deployments'] ?? '')[1]).toEqual({
      stack: 'acme/web/dev',
      operation: 'update',
      deploymentId: 'dep-dev',
      version: 7,
      outcome: 'succeeded',
      ranHere: false,
      consoleUrl: 'https://app.pulumi.com/acme/web/dev/deployments/7',
    });
  });

  // Green jobs too: a reviewer would approve what no preview showed.
  test.each([
    ['succeeded', '7'],
    ['skipped', ''],
    ['failed', ''],
    ['cancelled', ''],
    [undefined, ''],
  ] as const)(
    'has the version for an approval only of a preview that succeeded: %s',
    async (outcome, version) => {
      const own = ownDeployment('prod', { operation: 'preview', stackVersion: 7 });
      const { outcome: _, ...open } = own;
      const deployments = [outcome === undefined ? open : { ...open, outcome }];
      setRunOutputs(host, report(outcome ?? 'failed', { deployments }), '/run');
      const outputs = await files.outputs();
      expect(outputs['stack-version']).toBe(version);
      const [first] = JSON.parse(outputs['deployments'] ?? '');
      expect(first.stackVersion).toBe(version === '' ? undefined : 7);
    },
  );

  test('has the first error of its own jobs, and the changes of them all', async () => {
    const { report, directory } = await reportedOwnRun();
    const failed = { index: 1, name: 'x', status: 'failed' } as const;
    const jobs = report.jobs?.map((job) => {
      const error = job.report.deployments === undefined ? "a stranger's" : `${job.directory} ::error::x`;
      return { ...job, report: { ...job.report, steps: [failed, { ...failed, error }] } };
    });
    setRunOutputs(host, { ...report, ...(jobs && { jobs }) }, directory);
    const outputs = await files.outputs();
    expect(outputs['error']).toBe('deployments/dev ::error::x');
    // 5 created in one, 1 updated and 4 unchanged in the other; the third was not started.
    expect(JSON.parse(outputs['changes'] ?? '')).toEqual({ create: 5, update: 1, same: 4 });
    captureStdout();
  });

  test.each([
    ['Resources:\n    + 2 created\n    ~ 1 updated\n    5 unchanged\n', { create: 2, update: 1, same: 5 }],
    ['Resources:\n    +-1 to replace\n    - 2 to delete\n', { replace: 1, delete: 2 }],
    ['Plan: 1 to add, 0 to change, 2 to destroy.\n', { create: 1, update: 0, delete: 2 }],
    ['Resources:\n    1 __proto__\n', undefined],
    ['Resources:\n    1 constructor\n', { constructor: 1 }],
    ['nothing\n', undefined],
  ])(
    'has the changes that a job’s own output states where Pulumi Cloud counts none: %j',
    async (text, changes) => {
      const run = new SampleRun(await temporaryDirectory());
      const deployments = [ownDeployment('prod')];
      const directory = await sampleJob(run, { id: 'prod', text });
      const result = run.result({ deployments: deployments.map((each) => ({ ...each, directory })) });
      run.close();
      setRunOutputs(host, await reportOf(run.directory, result), run.directory);
      const { changes: set = '' } = await files.outputs();
      expect(set === '' ? undefined : JSON.parse(set)).toEqual(changes);
    },
  );

  test('has no changes where those of one deployment are unknown', async () => {
    const deployments = [ownDeployment('prod', { changes: { create: 1 } }), ownDeployment('dev')];
    setRunOutputs(host, report('succeeded', { deployments, jobs: [] }), '/run');
    expect((await files.outputs())['changes']).toBe('');
    const skipped = { ...ownDeployment('dev'), outcome: 'skipped' } as const;
    setRunOutputs(
      host,
      report('skipped', { deployments: [...deployments.slice(0, 1), skipped], jobs: [] }),
      '/run',
    );
    expect((await files.outputs())['changes']).toBe('{"create":1}');
  });

  test('sets outputs from events for the first one only', async () => {
    const seen = outputsFromEvents(host);
    const claim = (deploymentId: string) =>
      seen({
        t: '',
        type: 'claimed',
        deploymentId,
        runId: `run of ${deploymentId}`,
        jobId: 'j',
        waitSeconds: 1,
      });
    for (const stack of ['prod', 'dev']) seen({ t: '', type: 'own-deployment', ...ownDeployment(stack) });
    claim('dep-old');
    expect(await files.outputs()).toEqual({ 'deployment-id': 'dep-prod' });
    claim('dep-prod');
    claim('dep-dev');
    expect(await files.outputs()).toMatchObject({ 'deployment-id': 'dep-prod', 'run-id': 'run of dep-prod' });
  });

  test('adds notices about what needs attention', async () => {
    const stdout = captureStdout();
    const run = new SampleRun(await temporaryDirectory());
    const result = await sampleOwnRun(run);
    run.close();
    showNotices(host, await reportOf(run.directory, result));
    const { annotations } = stdout.read();
    expect(annotations.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'notice: The resources of acme/web/dev differ from its state (2 changed, 1 deleted; drift run run-7): https://app.pulumi.com/acme/web/dev/deployments/7',
      expect.stringMatching(
        /^notice: pulumi update of acme\/web\/prod was ended by force.*pulumi cancel acme\/web\/prod/,
      ),
      'notice: 2 lines of acme/web/prod did not reach Pulumi Cloud: see the artifact.',
    ]);
  });
});
