import { globSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT, read } from '../../../support/documents/pages.ts';

it('serializers and spans are loaded only when a trace is asked for', () => {
  const files = globSync('src/**/*.ts', { cwd: ROOT }).map((path) => ({ path, text: read(path) }));
  const importers = files.filter(({ text }) => /import\('\S+telemetry\/export\.ts'\)/.test(text));
  expect(importers.map(({ path }) => path).sort()).toEqual([
    'src/ci-step/trace.ts',
    'src/cli/run-tracing.ts',
    'src/cli/trace.ts',
  ]);

  const outside = files.filter(({ path }) => !path.startsWith(join('src', 'record/telemetry')));
  const eager = outside.flatMap(({ path, text }) =>
    [...text.matchAll(/^import .*from '\S*telemetry\/(\S+)';$/gm)].map(([, file]) => `${path}: ${file}`),
  );
  expect(eager.filter((line) => !/: (?:ids|settings)\.ts$/.test(line))).toEqual([]);
});
