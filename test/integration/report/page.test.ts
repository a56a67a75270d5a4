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

/** The page of a run, opened at `place` in it. */
async function opened({ directory, report }: Run, place = ''): Promise<WatchedPage> {
  await writeReportPage(directory, report, new AbortController().signal);
  const watched = await browser.open();
  await watched.page.goto(pathToFileURL(join(directory, PAGE_FILE)).href + place);
  return watched;
}

const shownLines = ({ page }: WatchedPage, step: number) =>
  page.locator(`#step-${step} .lines .text`).allTextContents();

const numbered = (count: number) => Array.from({ length: count }, (_, n) => `line ${n + 1}\n`).join('');

const sections = (page: Page) => page.locator('section > h2').allInnerTexts();

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
    expect(await page.locator('h1').innerText()).toBe('Deployment 6f1c0f5e-7d0e-4a55-8e57-9b1f4d1c0a11');
    expect(await page.locator('.facts li').allInnerTexts()).toEqual([
      'failed',
      '1 min 20 s',
      '1 replaced, 3 created, 1 updated, according to its output',
    ]);
    expect(await page.locator('svg.timeline text:not(.tick)').allTextContents()).toEqual([
      'Waiting for a deployment · 42 s',
      '0 Setup · 11 s',
      '1 Get source · 4 s',
      '2 pulumi update · 1 min 3 s',
      'Last reports and cleanup · 1.2 s',
    ]);
    expect(await page.locator('svg.timeline rect.failed').count()).toBe(1);
    expect(await page.locator('#step-2').innerText()).toContain(
      'Resources, according to its output: 3 created, 1 updated, 1 replaced, 12 unchanged',
    );
    // The failed step is open and shows its last lines.
    const lines = await shownLines(watched, 2);
    expect(lines).toHaveLength(2_000);
    expect(lines.at(-1)).toBe('Duration: 1m3s');
    expect(await page.locator('#step-2 .lines .number').last().innerText()).toBe(String(count));
    await page.getByRole('button', { name: '2000 lines before' }).click();
    await page.getByRole('button', { name: `${count - 4_000} lines before` }).click();
    expect((await shownLines(watched, 2))[0]).toBe('red');
    await page.getByText('Technical details').click();
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
    const table = page.getByRole('region', { name: 'Deployments' });
    expect(
      (await table.locator('td:last-child').allInnerTexts()).filter((text) => text === 'report'),
    ).toHaveLength(3);
    await table.getByRole('link', { name: 'report' }).first().click();
    expect(await page.locator('h1').innerText()).toBe('acme/web/prod');
    expect(await page.locator('.facts li').allInnerTexts()).toEqual([
      'failed',
      'update',
      '#7',
      '59 s',
      '5 created',
    ]);
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
    ['light', 'rgb(27, 31, 39)'],
    ['dark', 'rgb(231, 234, 240)'],
  ] as const)(
    'is %s when the reader prefers that, without an accessibility barrier that axe knows of',
    async (colorScheme, colour) => {
      // Each colour that a log can have, in each weight.
      const looks = [0, 1, 2].flatMap((weight) =>
        Array.from({ length: 16 }, (_, colour) => `\u001b[${weight};38;5;${colour}mcolour ${colour}\n`),
      );
      const run = await sampleRun([SETUP, SOURCE, { ...FAILED, text: looks.join('') }]);
      const { page } = await opened(run, '#step-2-L3');
      await page.emulateMedia({ colorScheme });
      await page.locator('#step-2 .number').nth(20).hover();
      expect(await page.evaluate('getComputedStyle(document.body).color')).toBe(colour);
      await page.evaluate('for (const each of document.querySelectorAll("details")) each.open = true');
      for (const width of [1_012, 360]) {
        await page.setViewportSize({ width, height: 700 });
        expect(await barriers(page)).toEqual([]);
      }
      await page.locator('#search').fill('colour');
      await expectHits(page, '48 lines found');
      expect(await barriers(page)).toEqual([]);
    },
  );

  it('puts the log first after a failure, the changes first after a success, and the rest below', async () => {
    const resources = {
      preview: false,
      source: 'pulumi-cloud' as const,
      counts: { create: 1 },
      resources: [
        {
          operation: 'create' as const,
          state: 'done' as const,
          name: 'bucket',
          resourceType: 'aws:s3/bucket:Bucket',
        },
      ],
    };
    const failed = await opened(await sampleRun([SETUP, FAILED], { outcome: 'failed', resources }));
    expect(await sections(failed.page)).toEqual(['Log', 'Resources', 'Timeline']);
    const succeeded = await opened(await sampleRun([SETUP, SOURCE], { resources, notices: ['One notice.'] }));
    expect(await sections(succeeded.page)).toEqual(['Resources', 'Log', 'Timeline', 'Notices']);
    expect(await succeeded.page.locator('details[open]').count()).toBe(0);
    expect(await succeeded.page.locator('main > :last-child > summary').innerText()).toBe(
      'Technical details',
    );
  });

  it('needs no font with emoji', async () => {
    const run = await reportedOwnRun();
    const { page } = await opened(run);
    expect(await page.locator('body').innerText()).not.toMatch(/\p{Extended_Pictographic}/u);
    expect(await page.locator('td svg.sign.failure').count()).toBeGreaterThan(0);
  });

  it.each(['#step-1-L2500', '#step-1'])('opens a step at %s', async (place) => {
    const run = await sampleRun([SETUP, { name: 'update', seconds: 1, text: numbered(6_000) }]);
    const watched = await opened(run, place);
    const { page } = watched;
    await expect.poll(() => page.locator('#step-1 .lines .text').count(), { timeout: 20_000 }).toBe(2_000);
    const line = page.locator('#step-1 .target');
    if (place === '#step-1') return expect(await line.count()).toBe(0);
    expect(await line.innerText()).toMatch(/^2500\s+line 2500$/);
    expect(await line.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(700);
    // A found line leads to its place among the others.
    await page.locator('#search').fill('line 42');
    await expectHits(page, '111 lines found');
    await page.getByRole('link', { name: '4299', exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#step-1-L4299');
    await expect.poll(() => line.innerText(), { timeout: 20_000 }).toMatch(/^4299\s+line 4299$/);
    expect(await page.locator('#search').inputValue()).toBe('');
    // The next line, in view, moves nothing.
    const top = () => page.locator('#step-1 .lines').evaluate((element) => element.scrollTop);
    const before = await top();
    await page.getByRole('link', { name: '4300', exact: true }).click();
    await expect.poll(() => line.innerText(), { timeout: 20_000 }).toMatch(/^4300\s/);
    expect(await top()).toBe(before);
    expect(watched.complaints).toEqual([]);
  });

  it.each([
    ['from the list of steps', 'nav a[href="#step-1"]'],
    ['by hand', '#step-1 summary'],
  ])('shows a closed step whole, opened %s after a search without hits in it', async (_, opener) => {
    const { page } = await opened(await sampleRun([SETUP, { ...FAILED, text: 'only here\n' }]));
    await page.locator('#step-1 summary').click();
    await page.locator('#search').fill('Started container');
    await expectHits(page, '1 line found');
    await page.locator('#search').fill('');
    await expectHits(page, '');
    await page.locator(opener).click();
    const lines = page.locator('#step-1 .lines .text');
    await expect.poll(() => lines.allInnerTexts(), { timeout: 20_000 }).toEqual(['only here']);
    await page.locator('#step-1 .number').click();
    await expect.poll(() => page.locator('#step-1 .target').count(), { timeout: 20_000 }).toBe(1);
    expect(await lines.allInnerTexts()).toEqual(['only here']);
  });

  it('ignores a place that it does not have', async () => {
    const { page, complaints } = await opened(await sampleRun([SETUP]), '#step-0-L99');
    await expect.poll(() => page.locator('#step-0 .lines .text').count(), { timeout: 20_000 }).toBe(2);
    for (const hash of ['#step-7', '#step-0-L0', '#main', '#step-0"]'])
      await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
    expect(await page.locator('.target').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows the colours of a log, and finds text across them', async () => {
    const text = 'plain \u001b[38;5;9merror:\u001b[0m it \u001b[1mexists\u001b[0m\n';
    const watched = await opened(await sampleRun([SETUP, { ...FAILED, text }]));
    const { page } = watched;
    expect(await shownLines(watched, 1)).toEqual(['plain error: it exists']);
    expect(await page.locator('#step-1 .c9').innerText()).toBe('error:');
    expect(await page.locator('#step-1 .bold').innerText()).toBe('exists');
    await page.locator('#search').fill('n error: it e');
    await expectHits(page, '1 line found');
    expect((await page.locator('mark').allTextContents()).join('')).toBe('n error: it e');
    expect(await shownLines(watched, 1)).toEqual(['plain error: it exists']);
    expect(watched.complaints).toEqual([]);
  });

  it('gives a log away as a file or by copying', async () => {
    const watched = await opened(
      await sampleRun([SETUP, { ...FAILED, text: 'a \u001b[31mred\u001b[0m\nb\n' }]),
    );
    const { page } = watched;
    const download = page.waitForEvent('download');
    await page.locator('#step-1').getByRole('button', { name: 'Download' }).click();
    expect((await download).suggestedFilename()).toBe('01-pulumi-update.log');
    expect(await readFile(await (await download).path(), 'utf8')).toBe('a red\nb\n');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.locator('#step-1').getByRole('button', { name: 'Copy' }).click();
    await page.locator('#step-1').getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('a red\nb\n');
    expect(watched.complaints).toEqual([]);
  });

  it('cuts no table in a window of 400 pixels', async () => {
    const resourceType = `aws:${'long'.repeat(30)}/securityGroupRule:SecurityGroupRule`;
    const { page } = await opened(await reportedOwnRun());
    const changed = await opened(
      await sampleRun([SETUP], {
        resources: {
          source: 'pulumi-cloud',
          preview: true,
          counts: { create: 1 },
          resources: [{ operation: 'create', state: 'planned', name: 'rule', resourceType }],
        },
      }),
    );
    for (const each of [page, changed.page]) {
      await each.setViewportSize({ width: 400, height: 700 });
      expect(await each.evaluate('document.documentElement.scrollWidth')).toBe(400);
      const cut = `[...document.querySelectorAll('table, td')].filter((each) => each.scrollWidth > each.clientWidth + 1).length`;
      expect(await each.evaluate(cut)).toBe(0);
    }
    expect(await page.getByRole('region', { name: 'Deployments' }).innerText()).toContain('acme/web/prod');
  });

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
    expect(await page.locator('#step-1 .lines .number').allInnerTexts()).toEqual(['12000001']);
    expect(watched.complaints).toEqual([]);
  });
});
