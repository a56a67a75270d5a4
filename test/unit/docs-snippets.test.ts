import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { runScript } from '../images/script.ts';

const ROOT = join(import.meta.dirname, '../..');
/** What this action is called wherever it is used, with a folder below it for its other actions. */
const OWN = /^(?<name>[\w-]+\/pulumi-runner-action)(?<folder>\/[\w/-]+)?@(?<ref>.+)$/;

type Map = Readonly<Record<string, unknown>>;
const isMap = (value: unknown): value is Map => typeof value === 'object' && value !== null && !Array.isArray(value);
const mapOf = (value: unknown): Map => (isMap(value) ? value : {});

interface Step {
  readonly uses: string;
  readonly inputs: Map;
  /** Of the job, or of the workflow; undefined in a snippet that shows neither. */
  readonly permissions: unknown;
}

/** Every step of a workflow, or of a piece of one, that uses an action. */
function stepsIn(value: unknown, permissions?: unknown): Step[] {
  if (Array.isArray(value)) return value.flatMap((one) => stepsIn(one, permissions));
  if (!isMap(value)) return [];
  const own = value['permissions'] ?? permissions;
  const isWorkflow = 'jobs' in value;
  const below = Object.values(value).flatMap((one) => stepsIn(one, own ?? (isWorkflow ? {} : undefined)));
  const { uses } = value;
  return typeof uses === 'string' ? [{ uses, inputs: mapOf(value['with']), permissions }, ...below] : below;
}

/** The inputs of the action in a folder of this repository; undefined when there is none. */
function inputsOf(folder: string): readonly string[] | undefined {
  const file = join(ROOT, folder, 'action.yml');
  return existsSync(file) ? Object.keys(mapOf(parse(readFileSync(file, 'utf8')).inputs)) : undefined;
}

/** What is wrong with a snippet, a sentence each. */
function faultsOf(snippet: string): string[] {
  const documents = parseAllDocuments(snippet);
  const errors = documents.flatMap((document) => ('errors' in document ? document.errors : []));
  if (errors.length > 0) return errors.map(({ message }) => `is no YAML: ${message}`);
  return documents.flatMap((document) => stepsIn(document.toJS())).flatMap(stepFaults);
}

function stepFaults({ uses, inputs, permissions }: Step): string[] {
  const { name, folder = '', ref } = OWN.exec(uses)?.groups ?? {};
  if (name === undefined) return [];
  const known = inputsOf(folder);
  if (known === undefined) return [`${uses}: there is no such action`];
  const byToken = 'token' in inputs || 'config-file' in inputs || 'access-token' in inputs;
  return [
    ...(name === 'org/pulumi-runner-action' && ref === 'v1'
      ? []
      : [`${uses}: elsewhere it is org/pulumi-runner-action@v1`]),
    ...Object.keys(inputs)
      .filter((input) => !known.includes(input))
      .map((input) => `${uses} has no input ${input}`),
    ...(byToken || ('organization' in inputs && 'runner-pool-id' in inputs)
      ? []
      : [`${uses}: OIDC needs organization and runner-pool-id`]),
    ...(byToken ||
    permissions === undefined ||
    permissions === 'write-all' ||
    mapOf(permissions)['id-token'] === 'write'
      ? []
      : [`${uses}: the job may not have an ID token`]),
  ];
}

const pages = ['.', 'docs'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name)),
);
const snippets = pages.flatMap((page) =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^( *)```ya?ml\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', text = ''], index): [string, string] => [
      `${page}, number ${index + 1}`,
      text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    ],
  ),
);

describe('YAML in the documents', () => {
  it('is found', () => {
    expect(snippets.map(([name]) => name)).toEqual(
      expect.arrayContaining(['README.md, number 1', 'docs/matrix.md, number 1', 'docs/runners.md, number 1']),
    );
  });

  it.each(snippets)('is right in %s', (_name, snippet) => {
    expect(faultsOf(snippet)).toEqual([]);
  });

  it('names one version of each other action', () => {
    const steps = snippets.flatMap(([, text]) =>
      parseAllDocuments(text).flatMap((document) => stepsIn(document.toJS())),
    );
    const used = new Set(steps.map(({ uses }) => uses));
    expect(used.size).toBe(new Set([...used].map((uses) => uses.split('@')[0])).size);
  });

  it('are workflows that actionlint finds nothing wrong with, where they are whole', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'snippets-'));
    try {
      const whole = snippets.filter(([, text]) => /^on:/m.test(text) && /^jobs:/m.test(text));
      expect(whole.length).toBeGreaterThanOrEqual(2);
      const files = whole.map(([name, text]) => ({
        file: join(folder, name.replaceAll(/\W+/g, '-').concat('.yml')),
        text,
      }));
      for (const { file, text } of files) await writeFile(file, text);
      // The reader's own runners have labels that nobody else knows.
      const unknownLabels = ['-ignore', 'label ".+" is unknown'];
      const { code, stdout, stderr } = await runScript('actionlint', [
        ...unknownLabels,
        ...files.map(({ file }) => file),
      ]);
      expect([code, stdout], stderr).toEqual([0, '']);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    // Built where it is missing.
  }, 300_000);

  const right = snippets.find(([name]) => name === 'README.md, number 1')?.[1] ?? '';
  it.each([
    ['an input that does not exist', 'organization:', 'organisation:', 'has no input organisation'],
    ['another version', 'pulumi-runner-action@v1', 'pulumi-runner-action@v0', 'elsewhere it is'],
    ['another action', 'pulumi-runner-action@v1', 'pulumi-runner-action/none@v1', 'there is no such action'],
    ['no right to an ID token', 'id-token: write', 'id-token: none', 'may not have an ID token'],
    ['no pool', 'runner-pool-id:', 'oidc-scope:', 'OIDC needs'],
    ['broken YAML', 'jobs:', 'jobs: [', 'is no YAML'],
  ])('would be found out with %s', (_what, from, to, sentence) => {
    expect(right).toContain(from);
    expect(faultsOf(right.replace(from, to))).toContainEqual(expect.stringContaining(sentence));
  });
});

describe('commands in the documents', () => {
  const texts = pages.map((page): [string, string] => [page, readFileSync(join(ROOT, page), 'utf8')]);

  it.each(texts)('are there, as %s names them', (_page, text) => {
    const scripts: string[] = Object.keys(parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts);
    const files = text.match(/(?<![\w./-])(?:scripts|test|demo|bench|src)\/[\w./-]*\w/g) ?? [];
    expect(files.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const runs = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
    expect(runs.filter((name) => !scripts.includes(name))).toEqual([]);
  });
});
