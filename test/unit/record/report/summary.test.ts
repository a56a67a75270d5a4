import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ChangedResources } from '../../../../src/record/changed-resources.ts';
import type { OwnDeployment } from '../../../../src/record/deployment.ts';
import type { PlanReport } from '../../../../src/record/plan-report.ts';
import type { RunReport, StepReport } from '../../../../src/record/report/report.ts';
import { planSummary, renderSummary } from '../../../../src/record/report/summary.ts';
import { lockText } from '../../../../src/record/stack-lock.ts';
import { runs } from '../../../support/property-runs.ts';

const REPORT: RunReport = {
  outcome: 'failed',
  message: 'Step 1 failed.',
  deploymentId: 'dep-1',
  jobId: 'job-1',
  consoleUrl: 'https://app.pulumi.com/acme/deployments',
  image: 'pulumi/pulumi:latest',
  confinement: { runtime: 'runsc', engine: ['seccomp builtin', '<b>'] },
  waitSeconds: 3,
  runSeconds: 75,
  forwarded: ['AWS_REGION', 'AWS_ACCESS_KEY_ID'],
  notices: ['careful'],
  steps: [
    { index: 0, name: 'Setup', status: 'succeeded', exitCode: 0, seconds: 1.5, lines: 4 },
    {
      index: 1,
      name: 'pulumi update',
      status: 'failed',
      exitCode: 255,
      seconds: 61,
      lines: 900,
      reason: 'timed out',
    },
    { index: 2, name: 'after', status: 'not-started' },
  ],
};

const START = /^(?:```mermaid\n|<\/details>|<(?:h2|p|table|details|ul)[ >])/;

/** The tags in order, without attributes. */
function tagsOf(markdown: string): string[] {
  return [...markdown.matchAll(/<(\/?[a-z]+)[^>]*>/gi)].map((match) => match[1] ?? '');
}

/** Whether every tag is closed in the right order. */
function isBalanced(tags: readonly string[]): boolean {
  const open: string[] = [];
  for (const tag of tags) {
    if (tag === 'br') continue;
    if (!tag.startsWith('/')) open.push(tag);
    else if (open.pop() !== tag.slice(1)) return false;
  }
  return open.length === 0;
}

describe('renderSummary', () => {
  test('calls work of another kind by its kind, and names no deployment', () => {
    const text = renderSummary({ report: { ...REPORT, kind: 'delivery' }, tails: [] });
    expect(text).toMatch(/^.*❌ .*Work of the kind &quot;delivery&quot;/m);
    expect(text).not.toMatch(/Deployment (?:<|dep)/);
  });

  test('shows outcome, facts, steps and the end of the failed step', () => {
    const artifact = {
      id: '7',
      name: 'logs-1',
      url: 'https://github.com/acme/infra/actions/runs/1/artifacts/7',
    };
    const summary = renderSummary({
      report: REPORT,
      artifact,
      tails: [{ step: 'pulumi update', lines: ['one', 'two <b>'] }],
    });
    expect(summary).toMatch(/^<h2>❌ <a href="[^"]+">Deployment dep-1<\/a> · failed · 1 min 15 s<\/h2>\n/);
    expect(summary).toContain(
      'Deployment <code>dep-1</code>, among <a href="https://app.pulumi.com/acme/deployments">the organization’s deployments',
    );
    expect(summary).toContain(`<a href="${artifact.url}"><code>logs-1</code></a>`);
    expect(summary).toContain('<code>AWS_REGION</code> <code>AWS_ACCESS_KEY_ID</code>');
    expect(summary).toContain('<code>runsc</code> <code>seccomp builtin</code> <code>&lt;b&gt;</code>');
    expect(summary).toContain('<td>1 min 15 s</td>');
    expect(summary).toContain(
      '<td>1 <code>pulumi update</code></td><td>❌ failed</td><td>1 min 1 s</td><td>255</td>',
    );
    expect(summary).toContain('<pre>one&#10;two &lt;b&gt;</pre>');
    expect(isBalanced(tagsOf(summary))).toBe(true);
  });

  test('leads with the stack, the operation and the number, and says when only variables name them', () => {
    const identity = {
      organization: 'acme',
      project: 'network',
      stack: 'prod',
      operation: 'update',
      version: 1042,
    };
    const deploymentUrl = 'https://app.pulumi.com/acme/network/prod/deployments/1042';
    const summaryOf = (proven: boolean) =>
      renderSummary({ report: { ...REPORT, deploymentUrl, identity: { ...identity, proven } }, tails: [] });
    const heading = `<h2>❌ <a href="${deploymentUrl}">acme/network/prod</a> · update · #1042 · failed · 1 min 15 s</h2>\n`;
    expect(summaryOf(true).slice(0, heading.length)).toBe(heading);
    expect(summaryOf(true)).not.toContain('variables say');
    expect(summaryOf(false)).toContain('in Pulumi Cloud, named by its own variables</p>');
  });

  test('links to the deployment’s page if it is known, and otherwise to the nearest page', () => {
    const linesOf = (pages: Partial<RunReport>) =>
      renderSummary({ report: { ...REPORT, ...pages }, tails: [] }).match(/<p>Deployment .*?<\/p>/)?.[0];
    const deploymentUrl = 'https://app.pulumi.com/acme/web/prod/deployments/7';
    const exact = `<p>Deployment <a href="${deploymentUrl}"><code>dep-1</code></a> in Pulumi Cloud</p>`;
    expect(linesOf({ deploymentUrl })).toBe(exact);
    expect(linesOf({ deploymentUrl: 'javascript:alert(1)' })).toMatch(
      /^<p>Deployment <code>dep-1<\/code>, among <a /,
    );
  });

  test('keeps the lines of a list of problems', () => {
    const message = '2 problems:\n  a <x>\n  b';
    expect(renderSummary({ report: { ...REPORT, message }, tails: [] })).toContain(
      '2 problems:<br>a &lt;x&gt;<br>b',
    );
  });

  test('links only to web addresses', () => {
    const long = `https://${'x'.repeat(3_000)}`;
    for (const consoleUrl of ['javascript:alert(1)', 'https://x"onclick=', 'http://a b', long]) {
      const summary = renderSummary({
        report: { ...REPORT, consoleUrl, deploymentUrl: consoleUrl },
        tails: [],
      });
      expect(summary).not.toMatch(/href="(?!https:\/\/x&quot;onclick=")/);
    }
  });

  test('keeps every text in its place', () => {
    const empty: RunReport = { ...REPORT, startedAt: 0, steps: [] };
    const shape = (report: RunReport, tail: readonly string[]) =>
      tagsOf(renderSummary({ report, tails: [{ step: 'x', lines: tail }] }));
    const words = '</pre> </code> <!-- ``` <script> &lt; " \' | </td></tr> # ]]>'.split(' ');
    const piece = fc.constantFrom(...words, '\n\n', '\r', '\u2028');
    const pieces = fc.array(piece, { maxLength: 8 }).map((all) => all.join(''));
    const hostile = fc.oneof(fc.string({ unit: 'binary' }), pieces);
    const figures = { seconds: 1, lines: 1, bytes: 1, exitCode: 1, startedAt: 1, finishedAt: 1_001 };
    const cloud = { sent: 1, undelivered: 0 };
    const step: StepReport = { index: 1, name: 'x', status: 'failed', reason: 'why', ...figures, cloud };
    const timeline = ['<details>', '```mermaid\n', '<p>', '</details>'];
    const starts = ['<h2>', '<p>', '<details ', '<table>', '<ul>', ...timeline, '<details>', '<details>'];
    const expected = shape({ ...empty, message: 'x', notices: ['x'], forwarded: ['x'], steps: [step] }, [
      'x',
      'x',
    ]);
    fc.assert(
      fc.property(hostile, hostile, hostile, (one, two, three) => {
        const report: RunReport = {
          ...empty,
          ...{ deploymentId: three, jobId: two, image: one, notices: [two], forwarded: [three] },
          message: one.replaceAll('\n', ' '),
          steps: [{ ...step, name: two, reason: `why ${three}` }],
        };
        const summary = renderSummary({ report, tails: [{ step: two, lines: [one, three] }] });
        expect(tagsOf(summary)).toEqual(expected);
        // A blank line would end a block, so each is one line, except for the chart, which has its own test.
        const blocks = summary.trimEnd().split('\n\n');
        expect(blocks.map((block) => START.exec(block)?.[0])).toEqual(starts);
        expect(blocks.filter((block) => block.includes('\n')).length).toBe(1);
      }),
      { numRuns: runs(700) },
    );
  });

  test('stays below 1 MiB, however much there is to say', () => {
    for (const character of ['&', '"', '漢', '😀', 'x']) {
      const long = character.repeat(100_000);
      const step: Omit<StepReport, 'index'> = {
        name: long,
        status: 'failed',
        reason: `why ${long}`,
        log: long,
        startedAt: 1,
        finishedAt: 2,
        cloud: { sent: 1e9, undelivered: 1e9 },
      };
      const steps = Array.from({ length: 3_000 }, (_, index) => ({ ...step, index }));
      const many = Array.from({ length: 3_000 }, () => long);
      const message = `${long}\n`.repeat(100);
      const report = { ...REPORT, message, image: long, forwarded: many, notices: many, steps };
      const statements = steps.map(({ index, name }) => ({ index, name, changes: long }));
      const resources = resourcesOf(long, 200);
      const lock = { state: 'locked', kind: long, author: long, startedAt: long } as const;
      for (const more of [{}, { resources, lock }]) {
        const tails = [{ step: long, lines: many }];
        const summary = renderSummary({ report: { ...report, statements, ...more }, tails });
        expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024);
        expect(isBalanced(tagsOf(summary))).toBe(true);
        expect(summary).toContain('and 2900 more steps');
      }
    }
  });
});

/** Resources that a preview would delete, all of this name, and 30 more that are not named. */
const resourcesOf = (name: string, count: number): ChangedResources => ({
  source: 'output',
  preview: true,
  resources: Array.from({ length: count }, () => ({
    operation: 'delete',
    resourceType: name,
    name,
    state: 'planned',
  })),
  counts: { delete: count + 30 },
});

describe('the changed resources', () => {
  test('are named, counted, and said to be the output’s claim, with no markup of theirs', () => {
    const evil = '</td><img src=x>\n# heading @acme/all';
    const text = renderSummary({ report: { ...REPORT, resources: resourcesOf(evil, 2) }, tails: [] });
    expect(text).toContain('· 32 to delete, according to its output</h2>');
    expect(text).toContain('<details open><summary>Resources, according to its output</summary><table>');
    expect(text).toContain(
      '<td>−&nbsp;to delete</td><td><code>&lt;/td&gt;&lt;img src=x&gt; # heading @acme/all</code></td>',
    );
    expect(text).toContain('… and 30 more');
    expect(text).not.toMatch(/<img|^#/m);
    expect(isBalanced(tagsOf(text))).toBe(true);
  });

  test('are folded if nothing was lost, replaced or failed', () => {
    const [each] = resourcesOf('logs', 1).resources;
    const done = { ...each!, operation: 'create', state: 'done' } as const;
    const resources = {
      source: 'pulumi-cloud',
      preview: false,
      resources: [done],
      counts: { create: 1 },
    } as const;
    const text = renderSummary({
      report: { ...REPORT, resources: { ...resources, resources: [done] } },
      tails: [],
    });
    expect(text).toContain("<details><summary>Resources, by Pulumi Cloud's record</summary>");
    expect(text).toContain('· 1 created</h2>');
  });

  test('of several deployments are listed for each, 200 in all', () => {
    const own = (stack: string): OwnDeployment => ({
      stack,
      operation: 'preview',
      state: 'ended',
      ranHere: true,
      directory: stack,
    });
    const deployments = ['acme/web/a', 'acme/web/b', 'acme/web/c'].map(own);
    const jobs = deployments.map((each) => ({
      directory: each.stack,
      report: { ...REPORT, deployments: [each], resources: resourcesOf('logs', 150) },
    }));
    const text = renderSummary({ report: { ...REPORT, steps: [], deployments, jobs }, tails: [] });
    expect(text.match(/to delete<\/td>/g)).toHaveLength(200);
    expect(text).toContain('Resources of <code>acme/web/b</code>, according to its output');
    expect(text.match(/180 to delete, according to its output/g)).toHaveLength(3);
  });
});

describe('the lock of a stack', () => {
  const lock = {
    state: 'locked',
    kind: 'update',
    author: '<dev>',
    startedAt: '2026-11-28T22:10:05Z',
  } as const;
  const identity = { organization: 'acme', project: 'web', stack: 'dev', proven: true };

  test('stands below the message, which may have it already', () => {
    const report = { ...REPORT, lock, identity };
    const text = renderSummary({ report, tails: [] });
    expect(text).toContain(
      '<p>🔒 acme/web/dev is locked: update by &lt;dev&gt; since 2026-11-28 22:10:05 UTC',
    );
    const claimed = renderSummary({
      report: { ...report, identity: { ...identity, proven: false } },
      tails: [],
    });
    expect(claimed).toMatch(/<p>🔒 The stack is locked: [^\n]*<code>pulumi cancel<\/code>\.<\/p>/);
    const told = { ...report, message: `It failed. ${lockText(lock, 'acme/web/dev')}` };
    expect(renderSummary({ report: told, tails: [] })).not.toContain('🔒');
  });

  test('in the message has its command as code', () => {
    const message = `It failed. ${lockText(lock, 'acme/web/dev')} <b>`;
    const text = renderSummary({ report: { ...REPORT, message, lock, identity }, tails: [] });
    expect(text).toMatch(
      /^<p>It failed\. [^\n]* free it with <code>pulumi cancel acme\/web\/dev<\/code>\. &lt;b&gt;/m,
    );
  });

  test('is uncertain where an interrupted update printed no end', () => {
    const interrupted = { state: 'unknown', step: 'up', interrupted: true } as const;
    const text = renderSummary({ report: { ...REPORT, lock: interrupted, identity }, tails: [] });
    expect(text).toContain('<p>🔒 up of acme/web/dev was interrupted, and its output doesn');
    expect(text).toContain('It may have left the stack locked. If the stack’s page'.replace('’', '&#39;'));
    expect(text).toContain('<code>pulumi cancel acme/web/dev</code>.</p>');
  });

  test('is said to be free', () => {
    const text = renderSummary({ report: { ...REPORT, lock: { state: 'free' }, identity }, tails: [] });
    expect(text).toContain('<p>🔓 acme/web/dev is free:');
  });
});

describe('the steps', () => {
  test('that succeeded are one line', () => {
    const green = ['Setup', 'Get source', 'pulumi update'].map((name, index) => ({
      ...{ index, name, status: 'succeeded' as const, exitCode: 0, seconds: 2, lines: 3 },
    }));
    const text = renderSummary({ report: { ...REPORT, outcome: 'succeeded', steps: green }, tails: [] });
    expect(text).toContain('<tr><th>Step</th><th>Status</th><th>Duration</th></tr>');
    expect(text).toContain(
      '<tr><td>0 <code>Setup</code>, 1 <code>Get source</code>, 2 <code>pulumi update</code></td><td>✅ succeeded</td><td>6 s</td></tr>',
    );
  });
});

describe('the summary of several deployments', () => {
  const summaryOf = (text: string, count: number) => {
    const own: OwnDeployment = {
      ...{
        stack: text,
        operation: text,
        deploymentId: text,
        consoleUrl: `https://x/${text}`,
        outcome: 'failed',
      },
      ...{ state: 'ended', ranHere: true, changes: { [text]: 1, create: 2 }, directory: text },
    };
    const deployments = Array.from({ length: count }, () => own);
    const job = { directory: text, report: { ...REPORT, deploymentId: text, deploymentUrl: text } };
    const report = {
      ...REPORT,
      message: `${text}\n`.repeat(100),
      notices: deployments.map(() => text),
      deployments,
    };
    const tails = Array.from({ length: 3 }, () => ({
      step: text,
      lines: Array.from({ length: 30 }, () => text),
    }));
    return renderSummary({ report: { ...report, jobs: [job, job] }, tails });
  };

  test('lets no markup in', () => {
    const evil = '</td></table><img src=x onerror=alert(1)>\n\n# heading | `code` ::error::';
    const text = summaryOf(evil, 2);
    expect(text).not.toMatch(/<img|^#/m);
    expect(isBalanced(tagsOf(text))).toBe(true);
  });

  test('stays below 1 MiB', () => {
    for (const character of ['&', '漢', '😀']) {
      const text = summaryOf(character.repeat(10_000), 300);
      expect(Buffer.byteLength(text)).toBeLessThan(1024 * 1024);
      expect(text).toContain('and 202 more deployments');
    }
    expect(Buffer.byteLength(summaryOf('&'.repeat(390), 300))).toBeLessThan(1024 * 1024);
  });
});

test('a step that was running when the agent died is marked so, and drawn up to the last known moment', () => {
  const [setup] = REPORT.steps;
  const steps: StepReport[] = [
    { ...setup!, startedAt: 1_000, finishedAt: 2_000 },
    {
      index: 1,
      name: 'pulumi update',
      status: 'running',
      startedAt: 2_000,
      log: 'steps/01-pulumi-update.log',
    },
  ];
  const summary = renderSummary({
    report: { ...REPORT, claimedAt: 900, finishedAt: 9_000, steps },
    tails: [],
  });
  expect(summary).toContain('<td>▶ was running</td>');
  expect(summary).toContain('1 pulumi update (7 s) :active, crit, 2001-01-01 00:00:01.100, 7000ms');
  expect(summary).not.toContain('Log receipt');
});

test('the summary of a plan lets no markup in', () => {
  const evil = '<img src=x onerror=alert(1)>\n\n# heading | `code` ::error::';
  const started = {
    stack: `acme/${evil}/prod`,
    operation: evil,
    deploymentId: evil,
    consoleUrl: 'https://x/"><script>',
  };
  const report: PlanReport = {
    ...{ schema: 1, version: '1.2.3', outcome: 'failed', exitCode: 1, message: evil, notices: [evil] },
    started: [started, { ...started, assumed: true, consoleUrl: 'javascript:alert(1)' }],
    failed: [{ stack: evil, outcome: 'failed', message: evil }],
    ...{ queued: 2, count: 1, matrix: { include: [{ index: 0 }] } },
  };
  const text = planSummary(report, undefined);
  expect(text).not.toMatch(/<img|<script|javascript:/);
  expect(text.split('\n').filter((line) => line.startsWith('#'))).toEqual(['## Planned jobs']);
  expect(text).toContain('found; the answer was lost');
});
