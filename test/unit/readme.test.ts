import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OUTCOMES } from '../../src/outcome.ts';
import { codesOf, manifestOf, ROOT, read, tableOf } from '../support/documents/pages.ts';

const readme = read('README.md');
const names = (rows: string[][]) => rows.map(([first = '']) => codesOf(first)[0] ?? first);

describe('the README', () => {
  it('lists every input of action.yml with its default, every output, and every outcome with its exit code', () => {
    const { inputs, outputs } = manifestOf('.');
    const rows = tableOf(readme, 'inputs');
    expect(names(rows)).toEqual(Object.keys(inputs));
    for (const [index, { default: given }] of Object.values(inputs).entries())
      if (given !== undefined) expect(rows[index]?.[1]).toContain(`\`${given}\``);
    expect(names(tableOf(readme, 'outputs'))).toEqual(Object.keys(outputs));
    const exits = tableOf(readme, 'outcomes').map(([outcome = '', exit = '']) => [
      codesOf(outcome)[0],
      /^\d+/.exec(exit)?.[0],
    ]);
    expect(exits).toEqual(Object.entries(OUTCOMES).map(([outcome, { exitCode }]) => [outcome, String(exitCode)]));
  });

  it('shows every picture, each with a text for those who see none, sharp and small', () => {
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
    const pictures = readdirSync(join(ROOT, 'docs/pictures')).map((name) => `docs/pictures/${name}`);
    expect(paths.toSorted()).toEqual(pictures.toSorted());
    expect(pictures.length).toBeGreaterThan(1);
    for (const path of paths) {
      const file = readFileSync(join(ROOT, path));
      // A PNG from its first to its last chunk; width and height stand in the header (PNG specification, 11.2.2).
      expect([file.toString('latin1', 1, 4), file.subarray(-8, -4).toString('latin1')]).toEqual(['PNG', 'IEND']);
      expect(file.readUInt32BE(16)).toBe(2_024);
      expect(file.readUInt32BE(20)).toBeLessThan(4_000);
      expect(file.length).toBeLessThan(200_000);
    }
  });
});
