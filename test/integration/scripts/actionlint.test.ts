import { globSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES, ROOT, read, yamlOf } from '../../support/documents/pages.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { runScript } from '../../support/script.ts';

it('actionlint finds nothing wrong with the complete workflows in the documents and the examples', async () => {
  const folder = await temporaryDirectory();
  const examples = globSync('examples/{workflows,arc}/*.yml', { cwd: ROOT }).map(read);
  const whole = [...PAGES.flatMap((page) => yamlOf(read(page))), ...examples].filter(
    (text) => /^on:/m.test(text) && /^jobs:/m.test(text),
  );
  expect(whole.length).toBeGreaterThanOrEqual(6);
  const files = whole.map((_, index) => join(folder, `${index}.yml`));
  for (const [index, file] of files.entries()) await writeFile(file, whole[index] ?? '');
  // Only the readers know the labels of their own runners.
  const { code, stdout, stderr } = await runScript('actionlint', [
    '-ignore',
    'label ".+" is unknown',
    ...files,
  ]);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
});
