import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { HEIGHT, showPictures, WIDTH } from './pages.ts';
import { makeRuns } from './runs.ts';
import { hashesOf, SOURCES_FILE } from './sources.ts';

/**
 * Makes the runs and takes the documents' pictures, in light and dark. scripts/pictures makes the images, joins the
 * animation's frames and shrinks the pictures. The folder WORK gets the runs, the frames, a list of them with the
 * hundredths of a second for which each is shown, and the text that is hashed.
 */

const { values } = parseArgs({
  options: { chromium: { type: 'string' }, work: { type: 'string' }, pictures: { type: 'string' } },
});
const { chromium, work, pictures } = values;
if (chromium === undefined || work === undefined || pictures === undefined) {
  console.error('usage: take.ts --chromium PROGRAM --work FOLDER --pictures FOLDER');
  process.exit(2);
}

const [runs, frames, shown] = [join(work, 'runs'), join(work, 'frames'), join(work, 'shown')];
for (const folder of [frames, shown, pictures]) await mkdir(folder, { recursive: true });
await makeRuns(runs);
const delays: string[] = [];
const sources = await showPictures({ chromium, runs }, async ({ page, file, seconds }) => {
  if (seconds === undefined) return await takeScreen(page, join(pictures, file));
  const frame = `${String(delays.length).padStart(3, '0')}.png`;
  delays.push(`${frame} ${Math.round(seconds * 100)}\n`);
  await page.screenshot({ path: join(frames, frame) });
});
await writeFile(join(work, 'frames.txt'), delays.join(''));
for (const [file, text] of sources) await writeFile(join(shown, `${file}.html`), text);
await writeFile(join(pictures, SOURCES_FILE), `${JSON.stringify(hashesOf(sources), undefined, 2)}\n`);

/** Takes a screenshot, cropped if the page is shorter than the screen. */
async function takeScreen(page: Page, path: string): Promise<void> {
  const bottom = await page.evaluate<number>('document.body.getBoundingClientRect().bottom');
  const height = Math.min(HEIGHT, Math.ceil(bottom));
  await page.screenshot({ path, clip: { x: 0, y: 0, width: WIDTH, height } });
}
