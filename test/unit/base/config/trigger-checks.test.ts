import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Purpose } from '../../../../src/base/config/findings.ts';
import { matchesStack, stackNamed } from '../../../../src/base/config/stack-pattern.ts';
import { read } from '../../../support/documents/pages.ts';
import { FILE, load, problems } from './sources.ts';

const problemsOf = (overrides: Record<string, string>, purpose: Purpose = 'run') =>
  problems({ overrides, purpose });
const isGood = (overrides: Record<string, string>, purpose: Purpose = 'run') =>
  expect(() => load({ overrides, purpose })).not.toThrow();

const OIDC = { oidc_token_file: '/t', organization_name: 'acme', runner_pool_id: 'pool-1' };

describe('a configuration that starts deployments', () => {
  it('needs an operation and more than a pool’s token', () => {
    expect(problemsOf({ token: 'pul-1', trigger: 'acme/web/prod' })).toEqual([
      'operation is required with --trigger; set it (or PULUMI_AGENT_OPERATION)',
      'access_token (PULUMI_AGENT_ACCESS_TOKEN) or oidc_token_file (PULUMI_AGENT_OIDC_TOKEN_FILE) is required ' +
        "with --trigger: a pool token can't do that",
    ]);
    const whole = { token: 'pul-1', trigger: 'acme/web/prod', operation: 'preview', access_token: 'pul-2' };
    isGood(whole);
    isGood({ ...OIDC, trigger: 'acme/*/prod', operation: 'detect-drift' });
  });

  it('destroys only stacks that are named in full', () => {
    const destroy = { ...OIDC, operation: 'destroy' };
    expect(problemsOf({ ...destroy, trigger: 'acme/web/review-1 acme/web/review-*' })).toEqual([
      '--operation is destroy, and "acme/web/review-*" is a pattern; name each stack in full',
    ]);
    isGood({ ...destroy, trigger: 'acme/web/review-1 acme/web/review-2' });
  });

  it('keeps to the organization of the OIDC token, unless another token is given', () => {
    const other = { ...OIDC, operation: 'refresh', trigger: 'acme/web/prod umbrella/web/prod' };
    expect(problemsOf(other)).toEqual([
      '--trigger "umbrella/web/prod" is not in acme, which the OIDC exchange gives a token for; set access_token for others',
    ]);
    isGood({ ...other, access_token: 'pul-2' });
  });

  it('needs no pool for the command trigger, but needs a stack', () => {
    const alone = { access_token: 'pul-2', operation: 'preview' };
    isGood({ ...alone, trigger: 'acme/web/dev' }, 'trigger');
    // Which engine runs the deployments doesn't matter to the command.
    isGood({ ...alone, trigger: 'acme/web/dev', engine: 'pulumi' }, 'trigger');
    expect(problemsOf(alone, 'trigger')).toEqual([
      'no stack is named: name one as org/project/stack, or set trigger',
    ]);
  });

  it('expects a version of a single stack alone, which is named in full', () => {
    const update = { ...OIDC, operation: 'update', expected_version: '12' };
    isGood({ ...update, trigger: 'acme/web/prod' });
    for (const trigger of ['acme/web/*', 'acme/web/prod acme/web/dev'])
      expect(problemsOf({ ...update, trigger })).toEqual([
        '--expected-version is the version of one stack; name that stack alone, and in full, in trigger',
      ]);
    // An approval's empty output, passed on as `|| 'none'`.
    expect(problemsOf({ ...update, trigger: 'acme/web/prod', expected_version: 'none' })).toEqual([
      expect.stringContaining('"none" is not a whole number'),
    ]);
  });

  it('refuses an expected version without a stack to start: whatever was claimed would run', () => {
    expect(problemsOf({ ...OIDC, expected_version: '12' })).toEqual([
      '--expected-version holds only a deployment that trigger starts to a version; name its stack in trigger',
    ]);
  });

  it('says that settings have no effect without a trigger', () => {
    const environment = { PULUMI_AGENT_TOKEN: 'pul-1', PULUMI_AGENT_TRIGGER_SETTINGS: 'tag: a' };
    expect(load({ environment }).notices).toEqual([
      'PULUMI_AGENT_TRIGGER_SETTINGS has no effect without trigger.',
    ]);
  });

  it('takes settings from a file as a mapping, with numbers as YAML reads them', () => {
    const text = 'token: pul-1\ntrigger_settings:\n  gitHub: {deployPullRequest: 7, deployTags: true}\n';
    expect(load({ text }).config.triggerSettings).toEqual({
      gitHub: { deployPullRequest: 7, deployTags: true },
    });
    expect(problems({ text: 'token: pul-1\ntrigger_settings: [hunter22]\n' })).toEqual([
      `${FILE}:2:1: trigger_settings must be one value, not a list`,
    ]);
  });

  it('reads a commit in the example for pull requests as text, even one of digits', () => {
    const workflow = parse(read('examples/workflows/pull-request.yml'));
    const { with: inputs } = workflow.jobs.preview.steps.at(-1);
    const commit = '0123456789'.repeat(4);
    const written = String(inputs['trigger-settings']).replace(/\$\{\{.*\}\}/, commit);
    const environment = { PULUMI_AGENT_TOKEN: 'pul-1', PULUMI_AGENT_TRIGGER_SETTINGS: written };
    expect(load({ environment }).config.triggerSettings).toEqual({ sourceContext: { git: { commit } } });
  });

  it('needs an organization and a pool to plan jobs, and names each once', () => {
    expect(problemsOf({ oidc_token_file: '/t' }, 'plan')).toEqual([
      'organization_name is required to plan jobs; set it (or PULUMI_AGENT_ORGANIZATION_NAME)',
      'runner_pool_id is required to plan jobs; set it (or PULUMI_AGENT_RUNNER_POOL_ID)',
    ]);
    expect(problemsOf({ token: 'pul-1', organization_name: 'acme', runner_pool_id: 'p' }, 'plan')).toEqual([
      expect.stringMatching(/^access_token \(.*\) or oidc_token_file \(.*\) is required to plan jobs: /),
    ]);
    isGood(OIDC, 'plan');
  });
});

describe('a stack pattern', () => {
  it.each([
    ['acme/web/prod', true],
    ['acme/*/prod', true],
    ['acme/w?b/*', true],
    ['acme/**/p*d', true],
    ['acme/*', false],
    ['acme/w.b/prod', false],
    ['acme/?/prod', false],
  ])('%s matches acme/web/prod: %s', (pattern, matches) => {
    expect(matchesStack(pattern, stackNamed('acme/web/prod'))).toBe(matches);
  });

  it('is matched quickly, however many wildcards it has', () => {
    const name = stackNamed(`acme/web/${'a'.repeat(100)}`);
    expect(matchesStack(`acme/web/${'*a'.repeat(30)}`, name)).toBe(true);
    expect(matchesStack(`acme/web/${'*a'.repeat(30)}*b`, name)).toBe(false);
  });
});
