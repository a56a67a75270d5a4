import { expect, it } from 'vitest';
import { showPictures } from '../../demo/pictures/pages.ts';
import { makeRuns } from '../../demo/pictures/runs.ts';
import { hashesOf, SOURCES_FILE } from '../../demo/pictures/sources.ts';
import { read } from '../support/documents/pages.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';
import { programPath } from '../support/script.ts';

it('the documents’ pictures show what the program shows now', async () => {
  const runs = await temporaryDirectory();
  await makeRuns(runs);
  const now = hashesOf(await showPictures({ chromium: await programPath('chromium'), runs }));
  const then = JSON.parse(read(`docs/pictures/${SOURCES_FILE}`)) as Record<string, string>;
  const stale = Object.keys({ ...then, ...now }).filter((file) => now[file] !== then[file]);
  expect(stale.map((file) => `docs/pictures/${file} is stale: run scripts/pictures`)).toEqual([]);
}, 300_000);
