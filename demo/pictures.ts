import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { showMarkdown } from '../test/support/browser/github-markdown.ts';

/** The pictures of a demo's run that the README shows. scripts/pictures makes the run and shrinks the pictures. */

/** CSS pixels: what GitHub gives a summary, with room at its sides. */
const WIDTH = 1_012;
/** Of the window; an open log takes two thirds of it at most. */
const HEIGHT = 420;
/** As on a screen of fine dots. */
const SCALE = 2;
/** The step whose log stands open in the picture of the report. */
const SHOWN_STEP = /apply|update/u;

const { values } = parseArgs({
  options: { chromium: { type: 'string' }, run: { type: 'string' }, pictures: { type: 'string' } },
});
const { chromium: executablePath, run, pictures } = values;
if (executablePath === undefined || run === undefined || pictures === undefined) {
  console.error('usage: pictures.ts --chromium PROGRAM --run FOLDER --pictures FOLDER');
  process.exit(2);
}

const browser = await chromium.launch({
  executablePath,
  // A container has neither the namespaces for it nor a second user.
  chromiumSandbox: false,
  args: ['--no-first-run', '--disable-background-networking', '--disable-gpu', '--hide-scrollbars'],
});
try {
  await takeSummary(browser, join(run, 'summary.md'), join(pictures, 'summary.png'));
  await takeReport(browser, join(run, 'artifact/report.html'), 'light', join(pictures, 'report.png'));
  await takeReport(browser, join(run, 'artifact/report.html'), 'dark', join(pictures, 'report-dark.png'));
} finally {
  await browser.close();
}

async function takeSummary(from: Browser, file: string, path: string): Promise<void> {
  const page = await newPage(from, 'light');
  await showMarkdown({ page }, await readFile(file, 'utf8'));
  await page.screenshot({ path, fullPage: true });
}

async function takeReport(from: Browser, file: string, colorScheme: 'light' | 'dark', path: string): Promise<void> {
  const page = await newPage(from, colorScheme);
  await page.goto(pathToFileURL(resolve(file)).href);
  await page.locator('details.step', { hasText: SHOWN_STEP }).last().locator('summary').click();
  await page.locator('details.step[open] .lines span').first().waitFor();
  // The search field sticks to the window's edge: at the page's beginning it is in its place.
  await page.evaluate('document.activeElement.blur(), scrollTo(0, 0)');
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width: WIDTH, height: await logEnd(page) } });
}

/** Where the log ends on the page, in CSS pixels: what is below it tells less than it takes room. */
async function logEnd(page: Page): Promise<number> {
  const box = await page.locator('details.step').last().boundingBox();
  return box === null ? HEIGHT : Math.ceil(box.y + box.height + 16);
}

async function newPage(from: Browser, colorScheme: 'light' | 'dark'): Promise<Page> {
  const page = await from.newPage({
    viewport: { width: WIDTH, height: HEIGHT },
    deviceScaleFactor: SCALE,
    colorScheme,
    timezoneId: 'UTC',
  });
  page.setDefaultTimeout(30_000);
  return page;
}
