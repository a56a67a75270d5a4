import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { showMarkdown } from '../test/support/browser/github-markdown.ts';

/** Takes the documents' pictures, in light and dark. scripts/pictures makes the runs and shrinks the pictures. */

/** In CSS pixels: GitHub's width for a summary, with margins, and the most that a reader sees at once. */
const WIDTH = 1_012;
const HEIGHT = 1_080;
/** Device pixels per CSS pixel, as on a high-density screen. */
const SCALE = 2;

interface Shown {
  readonly from: Browser;
  readonly colorScheme: 'light' | 'dark';
}

const { values } = parseArgs({
  options: { chromium: { type: 'string' }, runs: { type: 'string' }, pictures: { type: 'string' } },
});
const { chromium: executablePath, runs, pictures } = values;
if (executablePath === undefined || runs === undefined || pictures === undefined) {
  console.error('usage: pictures.ts --chromium PROGRAM --runs FOLDER --pictures FOLDER');
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath,
  // A container has neither the namespaces nor the second user that the sandbox needs.
  chromiumSandbox: false,
  args: ['--no-first-run', '--disable-background-networking', '--disable-gpu', '--hide-scrollbars'],
});
try {
  for (const colorScheme of ['light', 'dark'] as const) {
    const shown = { from: browser, colorScheme };
    const path = (name: string) =>
      join(pictures, colorScheme === 'dark' ? `${name}-dark.png` : `${name}.png`);
    await takeSummary(shown, join(runs, 'demo/summary.md'), path('summary'));
    await takeSummary(shown, join(runs, 'failed/summary.md'), path('summary-failed'));
    await takeSummary(shown, join(runs, 'drift/summary.md'), path('summary-drift'));
    await takeSummary(shown, join(runs, 'refused/summary.md'), path('summary-refused'));
    await takeReport(shown, join(runs, 'failed/artifact/report.html'), path('report'));
  }
} finally {
  await browser.close();
}

async function takeSummary(shown: Shown, file: string, path: string): Promise<void> {
  const page = await newPage(shown);
  await showMarkdown(
    { page },
    await readFile(file, 'utf8'),
    shown.colorScheme === 'dark' ? 'dark' : 'default',
  );
  await takeScreen(page, path);
}

async function takeReport(shown: Shown, file: string, path: string): Promise<void> {
  const page = await newPage(shown);
  await page.goto(pathToFileURL(resolve(file)).href);
  await takeScreen(page, path);
}

/** Takes a screenshot, cropped if the page is shorter than the screen. */
async function takeScreen(page: Page, path: string): Promise<void> {
  const height = Math.min(
    HEIGHT,
    await page.evaluate<number>('document.body.getBoundingClientRect().bottom'),
  );
  await page.screenshot({ path, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(height) } });
}

async function newPage({ from, colorScheme }: Shown): Promise<Page> {
  const page = await from.newPage({
    viewport: { width: WIDTH, height: HEIGHT },
    deviceScaleFactor: SCALE,
    colorScheme,
    timezoneId: 'UTC',
  });
  page.setDefaultTimeout(30_000);
  return page;
}
