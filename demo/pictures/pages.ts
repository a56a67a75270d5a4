import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Page } from 'playwright-core';
import { showMarkdown } from '../../test/support/browser/github-markdown.ts';
import { SET_UP } from './runs.ts';
import { shownHtml } from './shown-html.ts';
import { terminalHeight, terminalHtml } from './terminal.ts';
import { consoleOf, momentsOf, type Printed, since } from './transcript.ts';

/** In CSS pixels: GitHub's width for a summary, with margins, and the most that a reader sees at once. */
export const WIDTH = 1_012;
export const HEIGHT = 1_080;
/** Device pixels per CSS pixel, as on a high-density screen. */
export const SCALE = 2;

/** The titles of terminals. */
const JOB_LOG = "The job's log";
const DEMO = '$ scripts/demo';

type ColorScheme = 'light' | 'dark';

type Show = (page: Page, runs: string, colorScheme: ColorScheme) => Promise<void>;

/** The pictures by name, and how each gets its page from the runs' folder. */
const PICTURES: Readonly<Record<string, Show>> = {
  summary: summaryOf('demo'),
  'summary-failed': summaryOf('failed'),
  'summary-drift': summaryOf('drift'),
  'summary-refused': summaryOf('refused'),
  'summary-preview': summaryOf('preview'),
  'summary-locked': summaryOf('locked'),
  report: async (page, runs) => {
    await page.goto(pathToFileURL(resolve(runs, 'failed/artifact/report.html')).href);
  },
  'set-up': async (page, runs) => {
    const printed = (await readFile(join(runs, 'set-up.txt'), 'utf8')).trimEnd().split('\n');
    const command = SET_UP.join(' ').replace('--stack', '\\\n$&');
    const lines = [`$ pulumi-runner-agent ${command}`, ...printed];
    await page.setContent(terminalHtml({ title: 'In a checkout of acme/infrastructure', lines }));
  },
  console: async (page, runs) => {
    const lines = consoleOf(await transcriptOf(runs));
    await page.setContent(terminalHtml({ title: JOB_LOG, lines }));
  },
  demo: async (page, runs) => {
    const lines = since(await transcriptOf(runs), 'Steps in Pulumi Cloud:');
    await page.setContent(terminalHtml({ title: DEMO, lines }));
  },
};

/** The demo's terminal as an animation, which ends on its summary; dark, as terminals are. */
const ANIMATION = {
  file: 'demo.gif',
  rows: 24,
  colorScheme: 'dark',
  checksSeconds: 2.5,
  summarySeconds: 4.5,
} as const;

async function transcriptOf(runs: string): Promise<Printed[]> {
  return JSON.parse(await readFile(join(runs, 'transcript.json'), 'utf8')) as Printed[];
}

function summaryOf(run: string): Show {
  return async (page, runs, colorScheme) => {
    const markdown = await readFile(join(runs, run, 'summary.md'), 'utf8');
    await showMarkdown({ page }, markdown, colorScheme === 'dark' ? 'dark' : 'default');
  };
}

/** A page that shows a picture, or a frame of an animation. */
export interface Shown {
  readonly page: Page;
  /** The name of the picture's file. */
  readonly file: string;
  /** For how long an animation shows the frame. */
  readonly seconds?: number;
}

/** What a picture shows, as text: that of an animation is its end. */
export type Sources = ReadonlyMap<string, string>;

/**
 * Shows each picture's page in Chromium, in light and dark, and calls `each` while it is shown.
 * @returns what the pictures show, by the names of their files
 */
export async function showPictures(
  { chromium: executablePath, runs }: { readonly chromium: string; readonly runs: string },
  each: (shown: Shown) => Promise<void> = async () => {},
): Promise<Sources> {
  const browser = await chromium.launch({
    executablePath,
    // A container has neither the namespaces nor the second user that the sandbox needs.
    chromiumSandbox: false,
    args: ['--no-first-run', '--disable-background-networking', '--disable-gpu', '--hide-scrollbars'],
  });
  try {
    const sources = new Map<string, string>();
    const open = async (colorScheme: ColorScheme, deviceScaleFactor: number, height = HEIGHT) => {
      const viewport = { width: WIDTH, height };
      const page = await browser.newPage({ viewport, deviceScaleFactor, colorScheme, timezoneId: 'UTC' });
      page.setDefaultTimeout(30_000);
      return page;
    };
    for (const [name, show] of Object.entries(PICTURES)) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const file = colorScheme === 'dark' ? `${name}-dark.png` : `${name}.png`;
        const page = await open(colorScheme, SCALE);
        await show(page, runs, colorScheme);
        sources.set(file, await shownHtml(page));
        await each({ page, file });
        await page.close();
      }
    }
    const { file, colorScheme, rows } = ANIMATION;
    const page = await open(colorScheme, 1, terminalHeight(rows));
    sources.set(file, await animate(page, runs, (seconds) => each({ page, file, seconds })));
    return sources;
  } finally {
    await browser.close();
  }
}

/** The first line on the screen: it moves up by many lines at once, as reading takes longer than printing. */
function firstLine(count: number, all: number, rows: number): number {
  const step = rows - 10;
  const first = count === all ? count - rows : Math.ceil((count - rows) / step) * step;
  return Math.max(0, first);
}

/** Shows the demo's output as it comes, then its summary, and returns what it shows in the end. */
async function animate(page: Page, runs: string, frame: (seconds: number) => Promise<void>): Promise<string> {
  const { rows, colorScheme, checksSeconds, summarySeconds } = ANIMATION;
  const printed = await transcriptOf(runs);
  const lines = printed.map(({ line }) => line);
  for (const { lines: count, seconds } of momentsOf(printed)) {
    const screen = lines.slice(firstLine(count, lines.length, rows), count);
    await page.setContent(terminalHtml({ title: DEMO, lines: screen, rows }));
    await page.evaluate("document.querySelector('pre').scrollTop = 1e6");
    await frame(count === lines.length ? checksSeconds : seconds);
  }
  const terminal = await shownHtml(page);
  await summaryOf('demo')(page, runs, colorScheme);
  await frame(summarySeconds);
  return `${terminal}${await shownHtml(page)}`;
}
