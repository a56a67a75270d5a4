import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { PAGES, read, yamlOf } from '../../support/documents/pages.ts';
import { runScript } from '../../support/script.ts';

// actionlint is built where it is missing.
it('finds nothing wrong with the workflows that the documents show whole', { timeout: 300_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const whole = PAGES.flatMap((page) => yamlOf(read(page))).filter(
    (text) => /^on:/m.test(text) && /^jobs:/m.test(text),
  );
  expect(whole.length).toBeGreaterThanOrEqual(2);
  const files = whole.map((_, index) => join(folder, `${index}.yml`));
  for (const [index, file] of files.entries()) await writeFile(file, whole[index] ?? '');
  // The reader's own runners have labels that nobody else knows.
  const { code, stdout, stderr } = await runScript('actionlint', ['-ignore', 'label ".+" is unknown', ...files]);
  expect([code, stdout], stderr).toEqual([0, '']);
});
