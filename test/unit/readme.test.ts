import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { OUTCOMES } from '../../src/base/outcome.ts';
import {
  codesOf,
  manifestOf,
  PAGES,
  ROOT,
  read,
  snippetsOf,
  tableOf,
  yamlOf,
} from '../support/documents/pages.ts';

const readme = read('README.md');
const reference = read('docs/configuration.md');
const names = (rows: string[][]) => rows.map(([first = '']) => codesOf(first)[0] ?? first);

it('docs/configuration.md lists every input and output of both actions, with the defaults that action.yml gives', () => {
  const { inputs, outputs } = manifestOf('.');
  const defaults = new Map(tableOf(reference, 'settings').map(([, input, preset]) => [input, preset]));
  for (const [input, { default: given }] of Object.entries(inputs)) {
    const told = defaults.get(`\`${input}\``);
    expect(told, input).toContain(given === undefined ? '' : `\`${given}\``);
  }
  expect(names(tableOf(reference, 'outputs'))).toEqual(Object.keys(outputs));
  const plan = manifestOf('plan');
  const [, shared = ''] = /<!-- plan-inputs -->([\s\S]*?)<!-- \/plan-inputs -->/.exec(reference) ?? [];
  expect([...codesOf(shared), 'max'].toSorted()).toEqual(Object.keys(plan.inputs).toSorted());
  expect(names(tableOf(reference, 'plan-outputs'))).toEqual(Object.keys(plan.outputs));
});

it('action.yml names every outcome, in the order of the table', () => {
  const { description = '' } = manifestOf('.').outputs['outcome'] ?? {};
  expect(codesOf(description)).toEqual(Object.keys(OUTCOMES));
});

it.each(['README.md', 'docs/what-you-see.md'])(
  '%s shows outputs that the action has, each with an example',
  (path) => {
    const rows = tableOf(read(path), 'some-outputs');
    expect(rows.length).toBeGreaterThan(5);
    for (const [name = '', example = ''] of rows) {
      expect(manifestOf('.').outputs).toHaveProperty(codesOf(name)[0] ?? '');
      expect(codesOf(example)).toHaveLength(1);
    }
  },
);

describe('the README', () => {
  it('lists eight of those inputs with the same defaults, and every outcome with its exit code', () => {
    const defaults = new Map(
      tableOf(reference, 'settings').map(([, input, given = '']) => [
        input,
        given.replace(/^.*; action: /, ''),
      ]),
    );
    const rows = tableOf(readme, 'some-inputs');
    expect(rows.length).toBe(8);
    for (const [name = '', given] of rows)
      expect({ name, given }).toEqual({ name, given: defaults.get(name) });
    const exits = tableOf(readme, 'outcomes').map(([outcome = '', exit = '']) => [
      codesOf(outcome)[0],
      /^\d+/.exec(exit)?.[0],
    ]);
    expect(exits).toEqual(
      Object.entries(OUTCOMES).map(([outcome, { exitCode }]) => [outcome, String(exitCode)]),
    );
  });

  it('shows ten lines first, then the workflow that test/e2e/examples.test.ts runs, which has the same step', () => {
    const [short = '', whole, ...others] = yamlOf(readme);
    expect({ whole, others }).toEqual({ whole: read('examples/workflows/deploy.yml'), others: [] });
    expect(short.trimEnd().split('\n')).toHaveLength(10);
    const [few, all] = [parse(short), parse(read('examples/workflows/deploy.yml'))];
    const step = all.jobs.deploy.steps.at(-1);
    expect(few.jobs.deploy.steps).toEqual([
      { uses: step.uses, with: { organization: expect.any(String), 'runner-pool-id': expect.any(String) } },
    ]);
    expect(few.jobs.deploy['runs-on']).toEqual(all.jobs.deploy['runs-on']);
    expect(few.jobs.deploy.permissions).toEqual(all.jobs.deploy.permissions);
    expect(few.jobs.deploy.steps[0].with['runner-pool-id']).toBe(
      JSON.parse(snippetsOf(readme, 'json')[0] ?? '').runnerID,
    );
  });

  it('says before its first workflow that it is a preview, and asks for what a set-up stops without', () => {
    const [first = ''] = readme.split('```yaml');
    expect(first).toMatch(/> \[!WARNING\]\n> \*\*This is a preview\. It has never run against Pulumi Cloud/);
    const asked = (readme.match(/^- \[ \] .*(?:\n {2}.*)*$/gm) ?? []).join('\n').replace(/\s+/g, ' ');
    for (const need of ['Pulumi GitHub App', 'within 30 days', 'group `docker`', 'organization admin'])
      expect(asked).toContain(need);
  });

  it('gives both OIDC policies as JSON, with the same rules', () => {
    const [runner, organization] = snippetsOf(readme, 'json').map((text): unknown => JSON.parse(text));
    expect(runner).toMatchObject({ decision: 'allow', tokenType: 'runner', runnerID: expect.any(String) });
    const { rules } = runner as { rules: unknown };
    expect(organization).toEqual({ decision: 'allow', tokenType: 'organization', rules });
  });
});

it('every picture is shown, with a text alternative, sharp and small', () => {
  const shown = PAGES.flatMap((page) => {
    const text = read(page);
    const found = [
      // Badges come from GitHub and shields.io.
      ...[...text.matchAll(/(?<!\[)!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', path = '']) => ({
        alt,
        path,
      })),
      ...[...text.matchAll(/<img src="([^"]+)" alt="([^"]+)"/g)].map(([, path = '', alt = '']) => ({
        alt,
        path,
      })),
    ];
    for (const { alt } of found) expect(alt.length).toBeGreaterThan(40);
    const dark = [...text.matchAll(/srcset="([^"]+)"/g)].map(([, path = '']) => path);
    return [...found.map(({ path }) => path), ...dark].map((path) => join(page, '..', path));
  });
  const { 'sources.json': _, ...hashes } = Object.fromEntries(
    readdirSync(join(ROOT, 'docs/pictures')).map((name) => [name, expect.stringMatching(/^[0-9a-f]{64}$/)]),
  );
  expect(JSON.parse(read('docs/pictures/sources.json'))).toEqual(hashes);
  const pictures = Object.keys(hashes).map((name) => `docs/pictures/${name}`);
  expect([...new Set(shown)].toSorted()).toEqual(pictures.toSorted());
  expect(pictures.length).toBeGreaterThan(1);
  for (const path of pictures) {
    const file = readFileSync(join(ROOT, path));
    if (path.endsWith('.gif')) {
      expect(file.toString('latin1', 0, 6)).toBe('GIF89a');
      expect(file.readUInt16LE(6)).toBe(1_012);
      expect(file.length).toBeLessThan(600_000);
      continue;
    }
    // A complete PNG, from signature to last chunk; its header has width and height (PNG specification, 11.2.2).
    expect({
      file: file.toString('latin1', 1, 4),
      subarray: file.subarray(-8, -4).toString('latin1'),
    }).toEqual({ file: 'PNG', subarray: 'IEND' });
    expect(file.readUInt32BE(16)).toBe(2_024);
    expect(file.readUInt32BE(20)).toBeLessThan(4_000);
    expect(file.length).toBeLessThan(200_000);
  }
});

it('the issue forms are valid for GitHub, and one asks for the artifact', () => {
  const folder = join(ROOT, '.github/ISSUE_TEMPLATE');
  const forms = readdirSync(folder).filter((name) => name !== 'config.yml');
  for (const name of forms) {
    const form = parse(readFileSync(join(folder, name), 'utf8'));
    expect(Object.keys(form).toSorted()).toEqual(['body', 'description', 'name']);
    const fields = form.body.filter(({ type }: { type: string }) => type !== 'markdown');
    for (const { type, id, attributes } of fields) {
      expect(['input', 'textarea', 'dropdown', 'checkboxes']).toContain(type);
      expect({ id, label: attributes.label }).toEqual({
        id: expect.stringMatching(/^[\w-]+$/),
        label: expect.any(String),
      });
    }
    expect(new Set(fields.map(({ id }: { id: string }) => id)).size).toBe(fields.length);
  }
  expect(readFileSync(join(folder, 'bug.yml'), 'utf8')).toContain('id: artifact');
  expect(existsSync(join(folder, 'bug.md'))).toBe(false);
});
