import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = join(import.meta.dirname, '../../src');

/** Which rooms a room may import from, besides itself and the leaves below (docs/architecture.md draws the same). */
const ROOMS: Record<string, readonly string[]> = {
  cli: ['agent', 'cloud', 'config', 'job', 'log', 'network', 'record', 'executor'],
  hosts: ['config', 'engines', 'log', 'network', 'record', 'report', 'supervisor'],
  supervisor: ['engines', 'record', 'report'],
  report: ['log', 'record'],
  engines: [],
  agent: ['cloud', 'config', 'job', 'log', 'network', 'record', 'executor'],
  job: ['cloud', 'config', 'log', 'record', 'executor'],
  cloud: [],
  executor: [],
  log: [],
  config: [],
  network: [],
  record: [],
};
/** Files of no room, which everybody may import. */
const LEAVES = ['clock.ts', 'defined.ts', 'error-codes.ts', 'flush.ts', 'outcome.ts', 'quantity.ts', 'version.ts'];

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
const roomOf = (path: string) => path.split('/')[0] ?? '';
const textOf = (path: string) => readFileSync(join(SRC, path), 'utf8');

function importsOf(path: string): string[] {
  const found = textOf(path).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g);
  return [...found].map(([, specifier = '']) => relative(SRC, join(SRC, dirname(path), specifier)));
}

describe('the house', () => {
  it('has the rooms that the architecture names, and no other', () => {
    expect([...new Set(files.map(roomOf))].sort()).toEqual([...Object.keys(ROOMS), ...LEAVES].sort());
  });

  it.each(files)('%s imports only what its room may', (path) => {
    const room = roomOf(path);
    const allowed = LEAVES.includes(room) ? LEAVES : [room, ...(ROOMS[room] ?? []), ...LEAVES];
    expect(importsOf(path).filter((target) => !allowed.includes(roomOf(target)))).toEqual([]);
  });

  it.each(files)('%s stays under about 250 lines', (path) => {
    expect(textOf(path).split('\n').length).toBeLessThanOrEqual(260);
  });

  it('reads the environment and exits in the entries only', () => {
    const entries = ['cli/index.ts', 'hosts/github/main.ts', 'hosts/github/program.ts'];
    // Comments may speak of them.
    const code = (path: string) =>
      textOf(path)
        .replace(/\/\*[\s\S]*?\*\//g, '')
        .replace(/\/\/.*$/gm, '');
    const touching = files.filter((path) => /process\.env\b|process\.exit\(/.test(code(path)));
    expect(touching.sort()).toEqual(entries);
  });

  it('has neither a silenced checker nor work left for later', () => {
    const bad = /@ts-(?:ignore|nocheck|expect-error)|biome-ignore|\bTODO\b|\bFIXME\b/;
    expect(files.filter((path) => bad.test(textOf(path)))).toEqual([]);
  });
});
