import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(import.meta.dirname, '../../..');
export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The path of every documentation page: at the root, and anywhere in docs/. */
export const PAGES: readonly string[] = [
  ...readdirSync(ROOT),
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => join('docs', name)),
].filter((name) => name.endsWith('.md'));

/** An action's manifest; `folder` is `.` or `plan`. */
export function manifestOf(folder: string): {
  readonly inputs: Readonly<Record<string, { description?: string; default?: string }>>;
  readonly outputs: Readonly<Record<string, { description?: string }>>;
} {
  return parse(read(join(folder, 'action.yml')));
}

/** The cells of every table row on a page, headers included. */
export function rowsOf(page: string): string[][] {
  const rows = page.split('\n').filter((line) => line.startsWith('|'));
  return rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** The cells of the table between `<!-- name -->` and `<!-- /name -->` on a page, without its header. */
export function tableOf(page: string, name: string): string[][] {
  return rowsOf(page.split(`<!-- ${name} -->`)[1]?.split(`<!-- /${name} -->`)[0] ?? '').slice(2);
}

/** The texts between backticks. */
export function codesOf(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
}

/** A page's snippets in a language, without the indent of a surrounding list. */
export function snippetsOf(page: string, language: string): string[] {
  const snippet = new RegExp(`^( *)\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm');
  return [...page.matchAll(snippet)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

export const yamlOf = (page: string): string[] => snippetsOf(page, 'ya?ml');
