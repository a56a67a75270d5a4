import { appendFile, open, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { PAGE_FILE, writeReportPage } from '../../../src/record/report/page.ts';
import { useBrowser, type WatchedPage } from '../../support/browser/browser.ts';
import {
  FAILED,
  HOSTILE_NAMES,
  PULUMI_END,
  SETUP,
  SOURCE,
  sampleRun,
} from '../../support/browser/sample-runs.ts';
import { reportedOwnRun } from '../../support/run/own-run.ts';

const browser = useBrowser();
type Run = Awaited<ReturnType<typeof sampleRun>>;

async function opened({ directory, report }: Run): Promise<WatchedPage> {
  await writeReportPage(directory, report, new AbortController().signal);
  const watched = await browser.open();
  await watched.page.goto(pathToFileURL(join(directory, PAGE_FILE)).href);
  return watched;
}

const shownLines = ({ page }: WatchedPage, step: number) =>
  page.locator(`#step-${step} .lines span`).allTextContents();

/** The accessibility violations that axe finds in the page. */
async function barriers(page: Page): Promise<unknown> {
  await page.evaluate(axe.source);
  return page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))`,
  );
}

/** Waits until the page reports `hits`: it searches only after a pause in the typing. */
async function expectHits(page: Page, hits: string): Promise<void> {
  await expect.poll(() => page.locator('#hits').innerText(), { timeout: 20_000 }).toBe(hits);
}

describe('report.html, opened from the disk,', () => {
  it('shows timeline, steps, logs, receipt and health, and asks for nothing else', async () => {
    const text = `\u001b[31mred\u001b[0m\n${'line\n'.repeat(5_000)}error: it exists\n${PULUMI_END}`;
    const count = text.split('\n').length - 1;
    const run = await sampleRun([SETUP, SOURCE, { ...FAILED, text }], {
      outcome: 'failed',
      message: 'Failed to run step 2.',
    });
    const health = {
      t: '2026-06-18T10:00:00.000Z',
      status: 'healthy',
      state: 'running',
      rssBytes: 61_000_000,
    };
    await appendFile(join(run.directory, 'health.ndjson'), `${JSON.stringify(health)}\n`);
    const watched = await opened(run);
    const { page } = watched;
    expect(await page.locator('h1').innerText()).toBe(
      '❌ Deployment 6f1c0f5e-7d0e-4a55-8e57-9b1f4d1c0a11 · failed · 1 min 20 s · 1 replaced, 3 created, 1 updated, according to its output',
    );
    expect(await page.locator('svg text:not(.tick)').allTextContents()).toEqual([
      'Waiting for a deployment · 42 s',
      '0 Setup · 11 s',
      '1 Get source · 4 s',
      '2 pulumi update · 1 min 3 s',
      'Last reports and cleanup · 1.2 s',
    ]);
    expect(await page.locator('svg[role=img] rect.failed').count()).toBe(1);
    expect(await page.locator('table').first().locator('tr').last().innerText()).toContain(
      '3 created, 1 updated',
    );
    // The failed step is open and shows its last lines.
    const lines = await shownLines(watched, 2);
    expect(lines).toHaveLength(2_000);
    expect(lines.at(-1)).toBe('Duration: 1m3s');
    expect(await page.locator('#step-2 .lines i').last().innerText()).toBe(String(count));
    await page.getByRole('button', { name: '2000 lines before' }).click();
    await page.getByRole('button', { name: `${count - 4_000} lines before` }).click();
    expect((await shownLines(watched, 2))[0]).toBe('red');
    expect(await page.getByText(`Log receipt: ${count + 3} lines`).count()).toBe(1);
    expect(await page.getByText('The agent was healthy in 1 of 1 snapshots').count()).toBe(1);
    expect(watched.complaints).toEqual([]);
    expect(watched.requests).toEqual([]);
  });

  it('lists the deployments that a run started, each with a page of its own', async () => {
    const run = await reportedOwnRun();
    const { directory, report } = run;
    for (const job of report.jobs ?? [])
      await writeReportPage(join(directory, job.directory), job.report, new AbortController().signal);
    const { page, complaints } = await opened(run);
    const table = page.getByRole('group', { name: 'Deployments' });
    expect(
      (await table.locator('td:last-child').allInnerTexts()).filter((text) => text === 'report'),
    ).toHaveLength(3);
    await table.getByRole('link', { name: 'report' }).first().click();
    expect(await page.locator('h1').innerText()).toBe(
      '❌ acme/web/prod · update · #7 · failed · 59 s · 5 created',
    );
    expect(await page.getByRole('group', { name: 'Log of pulumi update' }).innerText()).toContain(
      'error: it exists',
    );
    expect(complaints).toEqual([]);
  });

  it('can be read and used without a pointer, and fits a narrow window', async () => {
    const { page } = await opened(await sampleRun([SETUP, FAILED]));
    await page.setViewportSize({ width: 360, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    expect(await page.getByRole('img').getAttribute('aria-label')).toMatch(
      /^How the run spent its time: Waiting for a deployment · 42 s; 0 Setup · 11 s; 1 pulumi update · 1 min 3 s; /,
    );
    const names = await page.getByRole('searchbox').or(page.getByRole('combobox')).all();
    expect(await Promise.all(names.map((each) => each.getAttribute('aria-label')))).toEqual([
      'Search the logs',
      'Step',
    ]);
    await page.locator('#step-0 summary').focus();
    await page.keyboard.press('Enter');
    const log = page.getByRole('group', { name: 'Log of Setup' });
    await expect.poll(() => log.innerText(), { timeout: 20_000 }).toContain('Started container');
    await log.focus();
    expect(await page.evaluate('document.activeElement.className')).toBe('lines');
    // No interactive element contains another.
    expect(await page.locator('summary a').count()).toBe(0);
  });

  it.each([
    ['light', 'rgb(0, 0, 0)'],
    ['dark', 'rgb(255, 255, 255)'],
  ] as const)(
    'is %s when the reader prefers that, without an accessibility barrier that axe knows of',
    async (colorScheme, colour) => {
      const { page } = await opened(await sampleRun([SETUP, SOURCE, FAILED]));
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate('getComputedStyle(document.body).color')).toBe(colour);
      for (const width of [1_012, 360]) {
        await page.setViewportSize({ width, height: 700 });
        expect(await barriers(page)).toEqual([]);
      }
    },
  );

  it('finds lines in all logs, or in one', async () => {
    const text = Array.from({ length: 3_000 }, (_, n) => `Output ${n + 1}\n`).join('');
    const run = await sampleRun([
      SETUP,
      { ...SOURCE, text: 'output of another\n' },
      { name: 'update', seconds: 1, text },
    ]);
    const watched = await opened(run);
    const { page } = watched;
    await page.locator('#search').fill('output 299');
    await expectHits(page, '11 lines found');
    expect(await shownLines(watched, 2)).toEqual([
      'Output 299',
      ...Array.from({ length: 10 }, (_, n) => `Output ${2_990 + n}`),
    ]);
    expect(await page.locator('#step-2 mark').allTextContents()).toEqual(
      Array.from({ length: 11 }, () => 'Output 299'),
    );
    expect(await page.locator('details.step:visible').count()).toBe(1);
    await page.locator('#search').fill('output');
    await expectHits(page, '3001 lines found');
    await page.locator('#step').selectOption('1');
    await expectHits(page, '1 line found');
    expect(await page.locator('details.step:visible').count()).toBe(1);
    await page.locator('#search').fill('nowhere');
    await expectHits(page, '0 lines found');
    await page.locator('#search').fill('');
    await expectHits(page, '');
    expect(watched.complaints).toEqual([]);
  });

  it('shows hostile text as plain text', async () => {
    const lines = [
      ...HOSTILE_NAMES,
      ']]></script><script>alert(1)</script>',
      '<!--<script>',
      '\\u003c/script>',
      '"]}];alert(1)//',
    ];
    const steps = HOSTILE_NAMES.map((name, index) => ({
      name,
      seconds: index,
      text: `${lines.join('\n')}\n`,
    }));
    const run = await sampleRun([SETUP, ...steps], {
      message: lines.join('\n'),
      notices: lines,
      forwarded: lines,
      deploymentId: lines.join(''),
      image: lines.join(''),
      consoleUrl: 'javascript:alert(1)',
    });
    const watched = await opened(run);
    const { page } = watched;
    expect(await page.locator('script').count()).toBe(steps.length + 2);
    expect(await page.locator('img, h3, iframe, a[href^="javascript"]').count()).toBe(0);
    await page.locator('#search').fill('<script>');
    await expectHits(page, `${steps.length * 3} lines found`);
    expect((await shownLines(watched, 1)).at(1)).toBe(']]></script><script>alert(1)</script>');
    expect(watched.complaints).toEqual([]);
    expect(watched.requests).toEqual([]);
  });

  it('runs no script but its own, whatever gets into it', async () => {
    const run = await sampleRun([SETUP]);
    const watched = await opened(run);
    await appendFile(
      join(run.directory, PAGE_FILE),
      '<script>document.title = "forged"</script><img src="https://example.com/x.png"><b style="color:red">x</b>',
    );
    await watched.page.reload();
    expect(await watched.page.title()).toBe('✅ Deployment 6f1c0f5e-7d0e-4a55-8e57-9b1f4d1c0a11 · 13 s');
    const refused = () => watched.complaints.filter((text) => text.includes('Content Security Policy'));
    await expect.poll(refused, { timeout: 20_000 }).toHaveLength(3);
    expect(watched.requests).toEqual([]);
  });

  it('cuts what a browser cannot hold, and says where the rest is', async () => {
    const run = await sampleRun([SETUP, { name: 'loud', seconds: 1, over: { lines: 12_000_001 } }]);
    const log = join(run.directory, 'steps/01-loud.log');
    const file = await open(log, 'w');
    await file.write('0123456789abcdef 0123456789abcdef 0123456789abcdef\n'.repeat(40_000));
    // Nothing reads the gap, so the file may be sparse.
    await file.write(`${'0123456789abcdef\n'.repeat(100_000)}the last line\n`, 1_000_000_000);
    await file.close();
    expect((await stat(log)).size).toBeGreaterThan(1_000_000_000);
    const before = process.resourceUsage().maxRSS;
    const watched = await opened(run);
    expect(process.resourceUsage().maxRSS - before).toBeLessThan(150_000); // KiB
    expect((await readFile(join(run.directory, PAGE_FILE))).length).toBeLessThan(4_000_000);
    const { page } = watched;
    await page.locator('#step-1 summary').click();
    expect((await shownLines(watched, 1))[0]).toMatch(/^0123456789abcdef /);
    await page.locator('#search').fill('the last');
    await expectHits(page, '1 line found in the part that this page holds');
    expect(await page.locator('#step-1 .gap').innerText()).toMatch(
      /MiB in the middle are omitted here: see steps\/01-loud\.log$/,
    );
    expect(await page.locator('#step-1 .lines i').allInnerTexts()).toEqual(['12000001']);
    expect(watched.complaints).toEqual([]);
  });
});
