import type { Locator } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { runSummary } from '../../../src/record/report/summary.ts';
import { useBrowser, type WatchedPage } from '../../support/browser/browser.ts';
import { showMarkdown } from '../../support/browser/github-markdown.ts';
import { FAILED, PULUMI_END, SETUP, SOURCE, sampleRun } from '../../support/browser/sample-runs.ts';
import { reportedOwnRun } from '../../support/run/own-run.ts';

const browser = useBrowser();
const artifact = {
  id: '7',
  name: 'pulumi-runner-6f1c-deploy-1',
  url: 'https://github.com/acme/infra/actions/runs/1/artifacts/7',
};

type Run = Awaited<ReturnType<typeof sampleRun>>;

/** The summary of a run as GitHub shows it. */
async function shown({ directory, report }: Run): Promise<WatchedPage> {
  const markdown = await runSummary({ report, runDirectory: directory, artifact });
  const watched = await browser.open();
  await showMarkdown(watched, markdown);
  return watched;
}

const trimmed = async (texts: Locator) => (await texts.allTextContents()).map((content) => content.trim());
const text = ({ page }: WatchedPage) => page.locator('body').textContent();
const barLabels = ({ page }: WatchedPage) => trimmed(page.locator('.mermaid svg text[class*="taskText"]'));
const rows = ({ page }: WatchedPage) => page.locator('table').first().locator('tr').allInnerTexts();

describe('the job summary, drawn as GitHub draws it,', () => {
  it('shows a run that succeeded: title, links, timeline, steps, resources, receipt', async () => {
    const update = { name: 'pulumi update', seconds: 63, text: `Updating (dev)\n${PULUMI_END}` };
    const watched = await shown(await sampleRun([SETUP, SOURCE, update], { forwarded: ['AWS_REGION'] }));
    expect(await watched.page.locator('h2').innerText()).toBe(
      '✅ Deployment 6f1c0f5e-7d0e-4a55-8e57-9b1f4d1c0a11 · 1 min 20 s · 1 replaced, 3 created, 1 updated, according to its output',
    );
    expect(
      await watched.page.locator('p a').evaluateAll((links) => links.map((a) => a.getAttribute('href'))),
    ).toEqual([artifact.url, 'https://app.pulumi.com/acme/deployments']);
    expect(await watched.page.locator('details[open]').count()).toBe(0);
    expect(await barLabels(watched)).toEqual([
      'Waiting for a deployment (42 s)',
      '0 Setup (11 s)',
      '1 Get source (4 s)',
      '2 pulumi update (1 min 3 s)',
      'Last reports and cleanup (1.2 s)',
    ]);
    expect((await trimmed(watched.page.locator('.mermaid svg .tick text'))).slice(0, 2)).toEqual([
      '00:00',
      '00:30',
    ]);
    expect(await rows(watched)).toEqual([
      'Step\tStatus\tDuration\tResources, according to its output',
      '0 Setup, 1 Get source\t✅ succeeded\t15 s\t',
      '2 pulumi update\t✅ succeeded\t1 min 3 s\t3 created, 1 updated, 1 replaced, 12 unchanged',
    ]);
    const all = await text(watched);
    expect(all).toContain('Log receipt: 15 lines (');
    expect(all).toContain('all delivered to Pulumi Cloud');
    expect(all).toContain('AWS_REGION');
    expect(watched.complaints).toEqual([]);
    expect(watched.requests).toEqual([]);
  });

  it('shows a run that failed: the step, its reason once, the end of its output, and what did not arrive', async () => {
    const output = `${Array.from({ length: 40 }, (_, n) => `output ${n}`).join('\n')}\nerror: <b>resource</b> exists\n`;
    const over = { ...FAILED.over, cloud: { sent: 30, undelivered: 11 } };
    const update = { ...FAILED, seconds: 75, text: output, over };
    const after = { name: 'Post-run command 1', seconds: 0, over: { status: 'not-started' as const } };
    const run = await sampleRun([SETUP, SOURCE, update, after], {
      outcome: 'failed',
      exitCode: 1,
      message: 'Failed to run step 2 "pulumi update" of the deployment: exit code 255.',
      notices: ['11 log lines of step 2 did not reach Pulumi Cloud; they are in the artifact.'],
    });
    const watched = await shown(run);
    expect(await watched.page.locator('h2').innerText()).toBe(
      '❌ Deployment 6f1c0f5e-7d0e-4a55-8e57-9b1f4d1c0a11 · failed · 1 min 32 s',
    );
    expect(await watched.page.locator('.mermaid svg rect[class*="crit"]').count()).toBe(1);
    expect(await barLabels(watched)).not.toContain('3 Post-run command 1 (0 s)');
    expect((await rows(watched)).slice(1)).toEqual([
      '0 Setup, 1 Get source\t✅ succeeded\t15 s\t',
      '2 pulumi update\t❌ failed\t1 min 15 s\t255',
      '3 Post-run command 1\t⏸ not started\t\t',
    ]);
    const tail = await watched.page.locator('details[open] pre').innerText();
    expect(tail.split('\n')).toHaveLength(20);
    expect(tail.endsWith('\nerror: <b>resource</b> exists')).toBe(true);
    const receipt = watched.page.locator('details[open]', { hasText: 'Log receipt' });
    expect(await receipt.innerText()).toContain('33 delivered to Pulumi Cloud, 11 not delivered');
    expect(watched.complaints).toEqual([]);
  });

  it('shows a run that started several deployments: a heading, a table of them, and the last lines of what failed', async () => {
    const watched = await shown(await reportedOwnRun());
    expect(await watched.page.locator('h2').innerText()).toBe(
      '❌ 3 deployments · update · 1 failed, 1 succeeded, 1 config-error · drift in 1 · 59 s',
    );
    expect(await rows(watched)).toEqual([
      'Stack\tOperation\tVersion\tOutcome\tResources\tDrift\tDuration\tRun',
      'acme/web/prod\tupdate\t7\t❌ failed\t5 created\t\t10 s\there',
      'acme/web/dev\tupdate\t7\t✅ succeeded\t1 updated\t⚠️ 2 changed, 1 deleted, run run-7\t10 s\telsewhere',
      'acme/web/none\tupdate\t\t❌ config-error\t\t\t\tnot started',
      'acme/web/old\tupdate\t6\t✅ succeeded\t\t\t59 s\there, started elsewhere',
    ]);
    expect(await watched.page.locator('details[open]').innerText()).toMatch(
      /^The end of pulumi update of acme\/web\/prod: 3 lines\n.*\nerror: it exists$/s,
    );
    expect(await barLabels(watched)).toContain('3 acme/web/prod (4.5 s)');
    expect(watched.complaints).toEqual([]);
  });
});
