import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { type Browser, chromium, type Page } from 'playwright-core';
import { showMarkdown } from '../test/support/browser/github-markdown.ts';

/** The pictures that the README shows. scripts/pictures makes the runs and shrinks the pictures. */

/** CSS pixels: what GitHub gives a summary, with room at its sides, and what a reader sees at once. */
const WIDTH = 1_012;
const HEIGHT = 1_080;
/** As on a screen of fine dots. */
const SCALE = 2;

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
  // A container has neither the namespaces for it nor a second user.
  chromiumSandbox: false,
  args: ['--no-first-run', '--disable-background-networking', '--disable-gpu', '--hide-scrollbars'],
});
try {
  await takeSummary(browser, join(runs, 'demo/summary.md'), join(pictures, 'summary.png'));
  await takeSummary(browser, join(runs, 'failed/summary.md'), join(pictures, 'summary-failed.png'));
  await takeSummary(browser, join(runs, 'drift/summary.md'), join(pictures, 'summary-drift.png'));
  await takeReport(browser, join(runs, 'failed/artifact/report.html'), 'light', join(pictures, 'report.png'));
  await takeReport(browser, join(runs, 'failed/artifact/report.html'), 'dark', join(pictures, 'report-dark.png'));
} finally {
  await browser.close();
}

async function takeSummary(from: Browser, file: string, path: string): Promise<void> {
  const page = await newPage(from, 'light');
  await showMarkdown({ page }, await readFile(file, 'utf8'));
  await takeScreen(page, path);
}

async function takeReport(from: Browser, file: string, colorScheme: 'light' | 'dark', path: string): Promise<void> {
  const page = await newPage(from, colorScheme);
  await page.goto(pathToFileURL(resolve(file)).href);
  await takeScreen(page, path);
}

/** A page that is shorter than a screen has no empty rest. */
async function takeScreen(page: Page, path: string): Promise<void> {
  const height = Math.min(HEIGHT, await page.evaluate<number>('document.body.getBoundingClientRect().bottom'));
  await page.screenshot({ path, clip: { x: 0, y: 0, width: WIDTH, height: Math.ceil(height) } });
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
