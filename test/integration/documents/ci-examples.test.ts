import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { environmentNames, KEY_NAMES } from '../../../src/base/config/schema.ts';
import { parseCommand } from '../../../src/cli/command-line.ts';
import { manifestOf, ROOT, read } from '../../support/documents/pages.ts';

const FILES = globSync('examples/ci/*', { cwd: ROOT }).toSorted();
const VARIABLES = KEY_NAMES.flatMap(environmentNames);

/** The words of each call of the command in a pipeline, as a shell splits them. */
function callsIn(text: string): string[][] {
  const joined = text.replaceAll(/\\\n\s*/g, ' ');
  const calls = [...joined.matchAll(/pulumi-runner-agent"?(?:@<version>)? ((?:ci|finish)\b.*)$/gm)];
  return calls.map(([, words = '']) => {
    // The quote that ends Jenkins' own string.
    const shell = words.replace(/'$/, (quote) => (words.split("'").length % 2 === 0 ? '' : quote));
    const printed = execFileSync('sh', ['-c', `printf '%s\\n' ${shell}`], { encoding: 'utf8' });
    return printed.trimEnd().split('\n');
  });
}

describe.each(FILES)('%s', (file) => {
  const text = read(file);

  it('starts ci once, with flags that it has, and finish where the system has a last step', () => {
    const names = callsIn(text).map((words) => parseCommand(words).name);
    expect(names).toEqual(file.endsWith('buildkite.yml') ? ['ci'] : ['ci', 'finish']);
  });

  it('sets only variables that the agent reads', () => {
    const named = [...text.matchAll(/PULUMI_AGENT_\w+/g)].map(([name]) => name);
    expect(named).toContain('PULUMI_AGENT_RUNNER_POOL_ID');
    expect(named.filter((name) => !VARIABLES.includes(name))).toEqual([]);
  });
});

it('no page and no pipeline installs a package whose name anyone can register', () => {
  const { name } = JSON.parse(read('package.json'));
  expect(name).toBe('@org/pulumi-runner-agent');
  const installs = [...FILES, ...globSync(['README.md', 'docs/**/*.md'], { cwd: ROOT })].flatMap((file) =>
    (read(file).match(/(?:npx|npm (?:install|exec)) [^`'\n]*pulumi-runner-agent[^`'\n]*/g) ?? []).map(
      (command) => [file, command] as const,
    ),
  );
  expect(installs.length).toBeGreaterThan(FILES.length);
  expect(installs.filter(([, command]) => !command.includes(` ${name}`))).toEqual([]);
  for (const file of FILES)
    expect(read(file)).toMatch(/ID token; replace org with a scope that you control$/m);
});

it.each(FILES.filter((file) => file.endsWith('.yml')))('%s is YAML without duplicate keys', (file) => {
  expect(parse(read(file), { strict: true, uniqueKeys: true })).toBeTypeOf('object');
});

it('there is a pipeline for each system that docs/ci.md names', () => {
  const systems = [
    'azure-pipelines.yml',
    'bitbucket-pipelines.yml',
    'buildkite.yml',
    'circleci.yml',
    'gitlab.yml',
  ];
  expect(FILES.map((file) => file.slice('examples/ci/'.length))).toEqual(['Jenkinsfile', ...systems]);
});

it.each([
  ['Jenkinsfile', { variable: 'PULUMI_ID_TOKEN' }],
  ['circleci.yml', { command: `circleci run oidc get --claims '{"aud": "urn:pulumi:org:acme"}'` }],
  ['bitbucket-pipelines.yml', { variable: 'BITBUCKET_STEP_OIDC_TOKEN' }],
])('%s names the source of the ID token', (name, identity) => {
  const [words = []] = callsIn(read(`examples/ci/${name}`));
  expect(parseCommand(words)).toMatchObject({ identity });
});

const isFinish = (text: unknown) =>
  typeof text === 'string' && /runner-agent(?:@<version>|")? finish$/.test(text);

describe('finish runs after a failure and a cancel too', () => {
  it('on Azure Pipelines, whose steps both have the access token', () => {
    const { steps } = parse(read('examples/ci/azure-pipelines.yml')).jobs[0];
    const [ci, finish] = steps.filter(({ bash }: { bash: string }) => bash.startsWith('exec '));
    const env = { SYSTEM_ACCESSTOKEN: '$(System.AccessToken)' };
    expect(ci).toMatchObject({ name: 'deployment', env });
    expect(finish).toMatchObject({ bash: expect.toSatisfy(isFinish), condition: 'always()', env });
  });

  it('on CircleCI', () => {
    const steps = parse(read('examples/ci/circleci.yml')).jobs['pulumi-deployment'].steps;
    expect(steps).toContainEqual({
      run: expect.objectContaining({ when: 'always', command: expect.toSatisfy(isFinish) }),
    });
  });

  it('on Bitbucket, in a step that asks for an ID token', () => {
    const { step } = parse(read('examples/ci/bitbucket-pipelines.yml')).pipelines.custom[
      'pulumi-deployment'
    ][0];
    expect(step).toMatchObject({ oidc: true, 'after-script': [expect.toSatisfy(isFinish)] });
  });

  it('on Jenkins', () => {
    expect(read('examples/ci/Jenkinsfile')).toMatch(
      /post \{\s+always \{\s+sh '[^']*pulumi-runner-agent finish'/,
    );
  });
});

it('the later step on Azure Pipelines reads output variables that ci sets', () => {
  const names = [...read('examples/ci/azure-pipelines.yml').matchAll(/\$\(deployment\.(\w+)\)/g)].map(
    ([, it]) => it,
  );
  const outputs = Object.keys(manifestOf('.').outputs).map((output) => output.replaceAll('-', '_'));
  expect(names.length).toBeGreaterThan(0);
  expect(outputs).toEqual(expect.arrayContaining(names));
});
