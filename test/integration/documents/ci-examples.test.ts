import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseCommand } from '../../../src/cli/command-line.ts';
import { environmentNames, KEY_NAMES } from '../../../src/config/schema.ts';
import { ROOT, read } from '../../support/documents/pages.ts';

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
