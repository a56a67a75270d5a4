import { existsSync, globSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { VERSION } from '../../src/base/version.ts';
import { anchorsOf, linksOf } from '../support/documents/markdown.ts';
import { codesOf, manifestOf, PAGES, ROOT, read, rowsOf, yamlOf } from '../support/documents/pages.ts';
import { SECURITY_EVIDENCE } from './security-evidence.ts';

/** Every Markdown file of the repository, including those next to code. */
const MARKDOWN = readdirSync(ROOT, { withFileTypes: true })
  .filter((entry) => !['.git', '.cache', 'dist', 'node_modules'].includes(entry.name))
  .flatMap((entry) =>
    entry.isDirectory()
      ? readdirSync(join(ROOT, entry.name), { recursive: true, encoding: 'utf8' }).map((name) =>
          join(entry.name, name),
        )
      : [entry.name],
  )
  .filter((name) => name.endsWith('.md'));

/** The target of `link` on `page`: a path from the root, and an anchor. */
function targetOf(page: string, link: string): { path: string; anchor: string | undefined } {
  const [file = '', anchor] = link.split('#');
  const path = file === '' ? page : relative(ROOT, join(ROOT, dirname(page), decodeURIComponent(file)));
  return { path, anchor };
}

function isBroken(page: string, link: string): boolean {
  // The repository's own workflows on GitHub, whoever owns the copy: /OWNER/NAME/blob/BRANCH/../../actions/….
  const [, workflow] = /^\.\.\/\.\.\/actions\/workflows\/([\w-]+\.yml)(?:\/badge\.svg)?$/.exec(link) ?? [];
  if (workflow !== undefined && page === 'README.md')
    return !existsSync(join(ROOT, '.github/workflows', workflow));
  const { path, anchor } = targetOf(page, link);
  if (path.startsWith('..') || !existsSync(join(ROOT, path))) return true;
  return (
    anchor !== undefined &&
    (statSync(join(ROOT, path)).isDirectory() || !anchorsOf(read(path)).includes(anchor))
  );
}

describe('the links of the documents', () => {
  it('lead to files and headings that exist', () => {
    expect(MARKDOWN).toEqual(expect.arrayContaining([...PAGES, '.github/SECURITY.md', 'test/README.md']));
    const broken = MARKDOWN.flatMap((page) =>
      linksOf(read(page))
        .filter((link) => isBroken(page, link))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
    const wrong = [
      'docs/none.md',
      'README.md#no-such-heading',
      '#no-such-heading',
      'docs/none.png',
      '../else.md',
    ];
    const text = wrong.map((target) => `[x](${target})`).join(' ');
    expect(linksOf(text).filter((link) => isBroken('README.md', link))).toEqual(wrong);
  });

  it('lead from the README to every page, through at most two others', () => {
    const reached = new Set(['README.md']);
    for (let links = 0; links < 3; links += 1)
      for (const page of [...reached].filter((path) => MARKDOWN.includes(path)))
        for (const link of linksOf(read(page))) reached.add(targetOf(page, link).path);
    expect(PAGES.filter((page) => !reached.has(page))).toEqual([]);
  });

  it('use the anchors that GitHub generates', () => {
    const headings =
      "## Try it, `a_b` and [c](d.md)\n### Failed to get this job's ID (…)\n# A\n```sh\n# no\n```\n\n# A\n";
    expect(anchorsOf(headings)).toEqual(['try-it-a_b-and-c', 'failed-to-get-this-jobs-id-', 'a', 'a-1']);
  });
});

type Fields = Readonly<Record<string, unknown>>;
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

interface Step {
  readonly uses: string;
  readonly inputs: Fields;
  /** The CI job's or the workflow's; undefined in a snippet that shows neither. */
  readonly permissions: unknown;
}

/** The steps of a workflow, or of part of one, that use an action. */
function stepsIn(value: unknown, permissions?: unknown): Step[] {
  if (Array.isArray(value)) return value.flatMap((one) => stepsIn(one, permissions));
  if (!isFields(value)) return [];
  const own = value['permissions'] ?? permissions;
  const inherited = own ?? ('jobs' in value ? {} : undefined);
  const below = Object.values(value).flatMap((one) => stepsIn(one, inherited));
  const { uses } = value;
  return typeof uses === 'string'
    ? [{ uses, inputs: fieldsOf(value['with']), permissions }, ...below]
    : below;
}

/** The faults of a snippet, a sentence each. */
function faultsOf(snippet: string): string[] {
  const documents = parseAllDocuments(snippet);
  const errors = documents.flatMap((document) => ('errors' in document ? document.errors : []));
  if (errors.length > 0) return errors.map(({ message }) => `is no YAML: ${message}`);
  return documents.flatMap((document) => stepsIn(document.toJS())).flatMap(stepFaults);
}

/** A reference to this action, or to another action of ours in a folder below it. */
const OWN = /^(?<name>[\w-]+\/pulumi-runner-action)(?<folder>\/[\w/-]+)?@(?<ref>.+)$/;

function stepFaults({ uses, inputs, permissions }: Step): string[] {
  const { name, folder = '.', ref } = OWN.exec(uses)?.groups ?? {};
  if (name === undefined) return [];
  if (!existsSync(join(ROOT, folder, 'action.yml'))) return [`${uses}: there is no such action`];
  const known = Object.keys(manifestOf(folder).inputs);
  const byToken = 'token' in inputs || 'config-file' in inputs || 'access-token' in inputs;
  const named = byToken || ('organization' in inputs && 'runner-pool-id' in inputs);
  const mayAsk = permissions === 'write-all' || fieldsOf(permissions)['id-token'] === 'write';
  return [
    ...(name === 'org/pulumi-runner-action' && ref === '<commit>'
      ? []
      : [`${uses}: elsewhere it is …@<commit>`]),
    ...Object.keys(inputs)
      .filter((input) => !known.includes(input))
      .map((input) => `${uses} has no input ${input}`),
    ...(named ? [] : [`${uses}: OIDC needs organization and runner-pool-id`]),
    ...(byToken || permissions === undefined || mayAsk ? [] : [`${uses}: the job may not have an ID token`]),
  ];
}

describe('the documents', () => {
  it('break no code span across lines, as a copied command would break too', () => {
    const broken = PAGES.flatMap((page) => {
      const text = read(page).replaceAll(/^ *```.*?^ *```/gms, '');
      return [...text.matchAll(/`([^`]*)`/g)]
        .filter(([span]) => span.includes('\n'))
        .map(([span]) => `${page}: ${span}`);
    });
    expect(broken).toEqual([]);
  });

  const examples = globSync('examples/{workflows,arc}/*.yml', { cwd: ROOT });
  const snippets = [
    ...PAGES.flatMap((page) => yamlOf(read(page)).map((text) => ({ page, text }))),
    ...examples.map((page) => ({ page, text: read(page) })),
  ];

  it('show YAML that the actions accept, with one version of each other action', () => {
    expect(snippets.length).toBeGreaterThan(30);
    expect(snippets.flatMap(({ page, text }) => faultsOf(text).map((fault) => `${page}: ${fault}`))).toEqual(
      [],
    );
    const steps = snippets.flatMap(({ text }) =>
      parseAllDocuments(text).flatMap((one) => stepsIn(one.toJS())),
    );
    const used = new Set(steps.map(({ uses }) => uses));
    expect(used.size).toBe(new Set([...used].map((uses) => uses.split('@')[0])).size);
  });

  it('pin each action by its commit, with the version behind it, and say that org is a placeholder, as the examples do', () => {
    const { version } = JSON.parse(read('package.json'));
    const files = readdirSync(join(ROOT, 'examples'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.ya?ml$/.test(name))
      .map((name) => join('examples', name));
    const lines = [...MARKDOWN, ...files].flatMap((path) =>
      (read(path).match(/^[ -]*uses: .*$/gm) ?? []).map((line) => ({
        path,
        line: line.replace(/^[ -]*/, ''),
      })),
    );
    expect(lines.length).toBeGreaterThan(25);
    const own = new RegExp(
      `^uses: org/pulumi-runner-action(?:/plan)?@<commit> # v${version.replaceAll('.', '\\.')}; replace org with your copy's owner$`,
    );
    const other = /^uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+(?:-\w+)?$/;
    // The reader's own called workflow, of the caller's commit.
    const called = /^uses: \.\/\.github\/workflows\/[\w-]+\.yml$/;
    expect(lines.filter(({ line }) => ![own, other, called].some((form) => form.test(line)))).toEqual([]);
  });

  it('are caught when a snippet is wrong', () => {
    const [right = ''] = yamlOf(read('README.md'));
    for (const [from, to, sentence] of [
      ['organization:', 'organisation:', 'has no input organisation'],
      ['pulumi-runner-action@<commit>', 'pulumi-runner-action@v1', 'elsewhere it is'],
      ['pulumi-runner-action@<commit>', 'pulumi-runner-action/none@<commit>', 'there is no such action'],
      ['id-token: write', 'id-token: none', 'may not have an ID token'],
      ['runner-pool-id:', 'oidc-scope:', 'OIDC needs'],
      ['jobs:', 'jobs: [', 'is no YAML'],
    ] as const) {
      expect(right).toContain(from);
      expect(faultsOf(right.replace(from, to))).toContainEqual(expect.stringContaining(sentence));
    }
  });

  it('ask for the Go version that the scripts need', () => {
    const [, needed = ''] = /^go_version=(.+)$/m.exec(read('scripts/go.bash')) ?? [];
    const named = MARKDOWN.flatMap((page) => read(page).match(/Go [\d.]+(?= or newer)/g) ?? []);
    expect([...new Set(named)]).toEqual([`Go ${needed}`]);
  });

  it('name files and commands that exist', () => {
    const scripts = Object.keys(parse(read('package.json')).scripts);
    for (const page of MARKDOWN) {
      const text = read(page);
      const files = text.match(/(?<![\w./-])(?:scripts|test|demo|bench|src)\/[\w./-]*\w/g) ?? [];
      const runs = [...text.matchAll(/npm run ([\w:-]+)/g)].map(([, name = '']) => name);
      const missing = [
        // NAME stands for a file that the reader creates.
        ...files.filter((path) => !existsSync(join(ROOT, path.replace(/\/NAME.*$/, '')))),
        ...runs.filter((name) => !scripts.includes(name)),
      ];
      expect(missing, page).toEqual([]);
    }
  });
});

const isTest = (name: string) => name.endsWith('.test.ts');

it('every test file, and every quoted title, that the documents rely on exists', () => {
  const pages = ['docs/verification.md', ...['calls', 'endings'].map((name) => `docs/internals/${name}.md`)];
  const named = pages.flatMap((page) => codesOf(read(page)).filter(isTest));
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);

  const unheld = rowsOf(read('docs/verification.md'))
    .slice(2)
    .filter(([, , , tests = '']) => tests !== '–' && !codesOf(tests).some(isTest));
  expect(unheld).toEqual([]);

  const quoted = Object.entries(SECURITY_EVIDENCE).flatMap(([path, claims]) =>
    claims.map(([, title]) => ({ path, title })),
  );
  expect(quoted.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
  expect(quoted.length).toBeGreaterThan(30);
  const missing = quoted.filter(({ path, title }) => {
    const words = title.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll("'", "\\\\?'");
    return !new RegExp(`\\(\\s*(['"\`])${words}\\1`).test(read(path));
  });
  expect(missing).toEqual([]);
});

it('the changelog lists versions newest first, each with a date once released, in Keep a Changelog’s groups', () => {
  const headings = read('CHANGELOG.md').match(/^#{2,} .*$/gm) ?? [];
  const [first, ...versions] = headings.filter((heading) => heading.startsWith('## '));
  expect(first).toMatch(/^## (?:\[Unreleased\]|\[\d+\.\d+\.\d+\] - (?:Unreleased|\d{4}-\d\d-\d\d))$/);
  const older = versions.map(
    (heading) => /^## \[(\d+\.\d+\.\d+)\] - \d{4}-\d\d-\d\d$/.exec(heading)?.[1] ?? heading,
  );
  expect(older).toEqual(older.toSorted((one, other) => other.localeCompare(one, 'en', { numeric: true })));
  const groups = headings.filter((heading) => !heading.startsWith('## '));
  expect(
    groups.filter((group) => !/^### (?:Added|Changed|Deprecated|Removed|Fixed|Security)$/.test(group)),
  ).toEqual([]);
});

it('the version matches the package’s', () => {
  expect(JSON.parse(read('package.json'))).toMatchObject({ version: VERSION });
});
