import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stripControl } from '../../../../src/base/log/plain-text.ts';
import { NAMED_RESOURCES } from '../../../../src/record/changed-resources.ts';
import { changesInLogs, changesInOutput } from '../../../../src/record/output/changes.ts';
import { runs } from '../../../support/property-runs.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

/** Outputs that Pulumi's CLI 3.274.1 printed, with the tests' own provider. */
const OUTPUTS = new URL('../../../support/pulumi-output/', import.meta.url);
const output = (name: string) => readFile(new URL(`${name}.txt`, OUTPUTS), 'utf8');

/** The changes in an output as `replace done first`. */
const changesOf = async (name: string) => {
  const read = changesInOutput((await output(name)).split('\n'));
  const resources = read?.resources.map(({ operation, state, name }) => `${operation} ${state} ${name}`);
  return { ...read, resources };
};

const LONG =
  'a-very-long-name-of-a-resource-that-no-terminal-of-eighty-columns-shows-in-one-line-without-cutting-it';
const CHANGED = { create: 1, update: 1, replace: 1, delete: 1 };

describe('the changes that Pulumi’s CLI printed', () => {
  it.each(['preview-change', 'preview-change-diff', 'preview-change-color'])(
    'are those of %s, replacements and deletions first',
    async (name) => {
      expect(await changesOf(name)).toEqual({
        source: 'output',
        preview: true,
        resources: [
          'replace planned first',
          'delete planned gone',
          'create planned new',
          'update planned second',
        ],
        counts: CHANGED,
      });
    },
  );

  it('are those of the update, not of the preview before it', async () => {
    expect(await changesOf('up-change')).toEqual({
      source: 'output',
      preview: false,
      resources: ['replace done first', 'delete done gone', 'create done new', 'update done second'],
      counts: CHANGED,
    });
  });

  it('have types, and long names in full', async () => {
    const { resources = [], counts } = changesInOutput((await output('up-create')).split('\n')) ?? {};
    expect(resources).toContainEqual({
      operation: 'create',
      resourceType: 'tempo:index:Work',
      name: LONG,
      state: 'done',
    });
    expect(resources[0]).toMatchObject({ resourceType: 'pulumi:pulumi:Stack', name: 'network-prod' });
    expect(counts).toEqual({ create: 6 });
  });

  it('tell failed from done, failures first', async () => {
    expect(await changesOf('up-failed')).toEqual({
      source: 'output',
      preview: false,
      resources: ['create failed fails', 'create done new2', 'update done second'],
      counts: { create: 1, update: 1 },
      failed: 1,
    });
  });

  it('tell a failure of a preview', async () => {
    expect(await changesOf('up-import')).toMatchObject({
      preview: true,
      resources: ['import failed imported'],
      counts: {},
      failed: 1,
    });
  });

  it('tell what an interrupt ended', async () => {
    expect(await changesOf('up-interrupted')).toMatchObject({ resources: ['create failed slow'], failed: 1 });
  });

  it('are read from an update with --diff', async () => {
    expect(await changesOf('up-diff')).toMatchObject({
      preview: false,
      resources: ['replace done first', 'delete done second', 'create done imported'],
      counts: { create: 1, delete: 1, replace: 1 },
    });
  });

  it('are none of a refresh that found none', async () => {
    expect(await changesOf('refresh')).toEqual({
      source: 'output',
      preview: false,
      resources: [],
      counts: {},
    });
  });

  it('are all of a destroy', async () => {
    expect(await changesOf('destroy')).toMatchObject({ preview: false, counts: { delete: 3 } });
  });

  it('are unknown if an update could not begin', async () => {
    expect(changesInOutput((await output('up-conflict')).split('\n'))).toBeUndefined();
    expect(changesInOutput(['error: no stack selected'])).toBeUndefined();
  });

  it('are unfinished if the output ends before they do', async () => {
    const lines = (await output('up-change')).split('\n');
    const cut = lines.slice(
      0,
      lines.findIndex((line) => line.includes('replaced')),
    );
    expect(changesInOutput(cut)?.resources).toContainEqual({
      operation: 'replace',
      resourceType: 'tempo:index:Work',
      name: 'first',
      state: 'unfinished',
    });
  });

  it('are those of the update if the output’s start is missing', async () => {
    const lines = (await output('up-change')).split('\n');
    const end = lines.slice(lines.indexOf('Updating (prod)') + 1);
    expect(changesInOutput(end)).toMatchObject({ preview: false, counts: CHANGED });
    const later = lines.slice(lines.findIndex((line) => line.includes(' replaced')));
    expect(changesInOutput(later)).toMatchObject({ preview: false, counts: CHANGED });
  });

  it('take the last update of each kind, as a deployment repeats one', async () => {
    const both = await Promise.all(['up-failed', 'up-change', 'destroy'].map(output));
    expect(changesInOutput(both.join('').split('\n'))?.counts).toEqual({ ...CHANGED, delete: 4 });
  });

  it.each(['my first bucket', 'my\u2028bucket'])('may have any blank in their names: %j', (name) => {
    const lines = ['Updating (prod)', ` +  a:b:C ${name} created (1s) `];
    expect(changesInOutput(lines)?.resources).toMatchObject([{ name, state: 'done' }]);
  });

  it('are counted by the summary if they are not printed', async () => {
    const lines = (await output('up-change'))
      .split('\n')
      .filter((line) => !line.includes('tempo:index:Work'));
    expect(changesInOutput(lines)).toEqual({
      source: 'output',
      preview: false,
      resources: [],
      counts: CHANGED,
    });
  });

  it(`name ${NAMED_RESOURCES} resources and count all, with bounded names`, () => {
    const created = Array.from(
      { length: 500 },
      (_, index) => ` +  a:b:C ${'n'.repeat(900)}${index} created (1s) `,
    );
    const ends = [' -  a:b:C old deleted (1s) ', ' ~  a:b:C last **updating failed**'];
    const lines = ['Updating (prod)', ...created, ...ends];
    const { resources = [], counts } = changesInOutput(lines) ?? {};
    expect(resources).toHaveLength(NAMED_RESOURCES);
    expect(resources[0]).toMatchObject({ operation: 'update', name: 'last', state: 'failed' });
    expect(resources[1]).toMatchObject({ operation: 'delete', name: 'old' });
    expect(Math.max(...resources.map(({ name }) => name.length))).toBe(300);
    expect(counts).toEqual({ create: 500, delete: 1 });
  });

  it('never break on other output', () => {
    const words = [
      'Updating (x)',
      'Resources:',
      ' +  a:b:C ',
      '**',
      'creating failed',
      ' +- ',
      '\n',
      '    error: ',
    ];
    const piece = fc.oneof(fc.constantFrom(...words), fc.string({ unit: 'binary', maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const read = changesInOutput(pieces.join('').split('\n'));
        for (const { name } of read?.resources ?? []) expect(stripControl(name)).toBe(name);
      }),
      { numRuns: runs(2_000) },
    );
  });

  it('are read fast from lines that look like a tree', () => {
    const lines = Array.from(
      { length: 350 },
      (_, index) => ` +  ${'│'.repeat(1_000 + (index % 2) * 990)}:a:b`,
    );
    const began = process.cpuUsage();
    expect(changesInOutput(['Updating (prod)', ...lines, ' +  │  └─ a:b:C deep created'])).toMatchObject({
      resources: [{ name: 'deep' }],
    });
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(2_000);
  });

  it('are none of an operation that is only named like what every object has', () => {
    const lines = [
      'Updating (prod)',
      '    + a:b:C: (constructor)',
      '        [urn=urn:pulumi:x::y::a:b:C::z]',
    ];
    expect(changesInOutput([...lines, 'Resources:'])).toMatchObject({ resources: [], counts: {} });
  });

  it('are those of all steps of a job but its preparation', async () => {
    const directory = await temporaryDirectory();
    await mkdir(join(directory, 'steps'));
    await writeFile(join(directory, 'steps/00.log'), await output('destroy'));
    await writeFile(join(directory, 'steps/01.log'), await output('preview-change'));
    await writeFile(join(directory, 'steps/02.log'), await output('up-change'));
    const steps = [0, 1, 2].map((index) => ({ index, log: `steps/0${index}.log` }));
    expect(await changesInLogs(directory, steps)).toMatchObject({ preview: false, counts: CHANGED });
    expect(await changesInLogs(directory, [{ index: 0, log: 'steps/00.log' }])).toBeUndefined();
  });
});
