import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OUTCOMES } from '../../src/outcome.ts';

const ROOT = join(import.meta.dirname, '../..');
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const manifest: { inputs: Record<string, { default?: string }>; outputs: Record<string, object> } = parse(
  readFileSync(join(ROOT, 'action.yml'), 'utf8'),
);

/** The table between `<!-- name -->` and `<!-- /name -->`: each row's cells, the header left out. */
function table(name: string): string[][] {
  const text = readme.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '';
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const names = (rows: string[][]) => rows.map(([first = '']) => /^`([^`]+)`/.exec(first)?.[1] ?? first);

describe('the README', () => {
  it('lists every input of action.yml, in its order, with the default that action.yml gives', () => {
    const rows = table('inputs');
    expect(names(rows)).toEqual(Object.keys(manifest.inputs));
    for (const [index, { default: given }] of Object.values(manifest.inputs).entries()) {
      if (given !== undefined) expect(rows[index]?.[1]).toContain(`\`${given}\``);
    }
  });

  it('lists every output of action.yml', () => {
    expect(names(table('outputs'))).toEqual(Object.keys(manifest.outputs));
  });

  it('lists every outcome with its exit code', () => {
    const rows = table('outcomes');
    expect(names(rows)).toEqual(Object.keys(OUTCOMES));
    for (const [index, { exitCode }] of Object.values(OUTCOMES).entries())
      expect(rows[index]?.[1]).toMatch(new RegExp(`^${exitCode}\\b`));
  });

  it('shows pictures that are there, each with a text for those who see none, sharp and small', () => {
    const markdown = [...readme.matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', path = '']) => ({
      alt,
      path,
    }));
    const html = [...readme.matchAll(/<img src="([^"]+)" alt="([^"]+)">/g)].map(([, path = '', alt = '']) => ({
      alt,
      path,
    }));
    const dark = [...readme.matchAll(/srcset="([^"]+)"/g)].map(([, path = '']) => path);
    for (const { alt } of [...markdown, ...html]) expect(alt.length).toBeGreaterThan(40);
    const paths = [...[...markdown, ...html].map(({ path }) => path), ...dark];
    expect(paths.toSorted()).toEqual(
      readdirSync(join(ROOT, 'docs/pictures'))
        .map((name) => `docs/pictures/${name}`)
        .toSorted(),
    );
    expect(paths).toContain('docs/pictures/summary.png');
    expect(paths).toContain('docs/pictures/report.png');
    for (const path of paths) {
      const file = readFileSync(join(ROOT, path));
      expect(file.subarray(0, 8).toString('latin1')).toBe('\x89PNG\r\n\x1a\n');
      expect(file.subarray(-8, -4).toString('latin1')).toBe('IEND');
      // Twice the width of what it shows, in the header (PNG specification, 11.2.2).
      expect(file.readUInt32BE(16)).toBe(2_024);
      expect(file.readUInt32BE(20)).toBeGreaterThan(1_200);
      expect(file.readUInt32BE(20)).toBeLessThan(4_000);
      expect(file.length).toBeLessThan(200_000);
    }
  });
});
