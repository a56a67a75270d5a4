import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Answers, CI_NAMES, CLOUDS, repositoryOf, stacksIn } from '../../../src/cli/set-up/answers.ts';
import { CI_SYSTEMS, nextSteps, policyOf } from '../../../src/cli/set-up/ci-systems.ts';
import { UNRELEASED_ACTION } from '../../../src/cli/set-up/github-workflow.ts';
import { scalar, UNRELEASED_PACKAGE } from '../../../src/cli/set-up/pipelines.ts';
import { read, yamlOf } from '../../support/documents/pages.ts';

const ANSWERS: Answers = {
  organization: 'acme',
  pool: '<pool ID>',
  stacks: ['acme/network/prod'],
  ci: 'github',
  cloud: 'aws',
  repository: { host: 'github.com', path: 'acme/network' },
  branch: 'main',
  environment: undefined,
  action: UNRELEASED_ACTION,
  agentPackage: UNRELEASED_PACKAGE,
};

/** A file of examples/ci: the comment at its beginning, and the rest. */
function exampleOf(name: string) {
  const lines = read(`examples/ci/${name}`).split('\n');
  const first = lines.findIndex((line) => !/^(#|\/\/)/.test(line));
  const comment = lines.slice(0, first).map((line) => line.replace(/^(#|\/\/) ?/, ''));
  return { comment: comment.join('\n'), text: lines.slice(first).join('\n') };
}

const EXAMPLES = {
  gitlab: 'gitlab.yml',
  buildkite: 'buildkite.yml',
  'azure-pipelines': 'azure-pipelines.yml',
  jenkins: 'Jenkinsfile',
  circleci: 'circleci.yml',
  bitbucket: 'bitbucket-pipelines.yml',
} as const;

/** Values that an example shows for one user, and `set-up` leaves open. */
const OPEN: Readonly<Record<string, string>> = {
  'https://jenkins.example.com/job/network/job/main/': '<the URL of the job of one branch>',
};

describe('set-up writes', () => {
  it("the README's complete workflow for AWS", () => {
    expect(CI_SYSTEMS.github.text(ANSWERS)).toBe(read('examples/workflows/deploy.yml'));
  });

  it('the steps of docs/recipes.md for Google Cloud', () => {
    const [google = '', wanted] = yamlOf(read('docs/recipes.md')).filter((text) =>
      /google-github-actions/.test(text),
    );
    expect(wanted).toBeUndefined();
    const [auth, step] = parse(google);
    const [ownAuth, ownStep] = parse(CI_SYSTEMS.github.text({ ...ANSWERS, cloud: 'google' })).jobs.deploy
      .steps;
    expect(ownAuth).toMatchObject({ id: auth.id, uses: auth.uses });
    expect(Object.keys(ownAuth.with)).toEqual(Object.keys(auth.with));
    expect(ownStep.env).toEqual(step.env);
    expect(ownStep.with['env-forward-allowlist']).toBe(step.with['env-forward-allowlist']);
    expect(ownStep.with['soft-timeout']).toBe(step.with['soft-timeout']);
  });

  it.each(['azure', 'none'] as const)('for %s a workflow without keys', (cloud) => {
    const { permissions, jobs } = parse(CI_SYSTEMS.github.text({ ...ANSWERS, cloud }));
    expect(permissions).toEqual({});
    expect(jobs.deploy.permissions).toEqual({ 'id-token': 'write', contents: 'read' });
    expect(jobs.deploy.steps).toHaveLength(1);
    expect(jobs.deploy.steps[0].with).not.toHaveProperty('env-forward-allowlist');
  });

  it('an environment where one is named, and its subject', () => {
    const answers = {
      ...ANSWERS,
      environment: 'prod',
      repository: { host: 'ghe.acme.com', path: 'acme/network' },
    };
    expect(parse(CI_SYSTEMS.github.text(answers)).jobs.deploy.environment).toBe('prod');
    expect(policyOf(answers).rules['sub']).toBe('repo:acme/network:environment:prod');
    expect(CI_SYSTEMS.github.issuer(answers)).toBe('https://ghe.acme.com/_services/token');
  });

  it('a copy of the action at its commit', () => {
    const action = `acme/pulumi-runner-action@${'0123456789'.repeat(4)}`;
    const text = CI_SYSTEMS.github.text({ ...ANSWERS, action });
    expect(text).toContain(`- uses: ${action}\n`);
    expect(text).not.toContain('org/');
    expect(nextSteps({ ...ANSWERS, action }, 'f').join('\n')).not.toContain('<commit>');
  });

  it.each(Object.entries(EXAMPLES))('the pipeline of examples/ci for %s, and its policy', (name, file) => {
    const ci = CI_NAMES.find((each) => each === name) ?? 'github';
    const answers: Answers = { ...ANSWERS, ci };
    const { comment, text } = exampleOf(file);
    expect(CI_SYSTEMS[ci].text(answers)).toBe(text);

    const json = /\{ "decision"[\s\S]*?\} \}/.exec(comment)?.[0] ?? '';
    const { rules, ...policy } = JSON.parse(json);
    const { rules: own, ...ownPolicy } = policyOf(answers);
    expect(ownPolicy).toEqual(policy);
    const open = Object.entries(rules).map(([claim, value]) => [claim, OPEN[String(value)] ?? value]);
    expect(own).toEqual(Object.fromEntries(open));
  });

  it('text that YAML reads as text', () => {
    for (const name of ['acme', '7a1c0e52-0000-4000-8000-000000000000', '1e10', '007', 'no', 'acme.dev'])
      expect(parse(scalar(name))).toBe(name);
  });

  it.each(['0x10', '0o17', '0b101', '1_000', '.inf', '-.INF', '.nan', '0xE_1', '-', '---', '.'])(
    'the name %s as text for YAML 1.1 and 1.2, however a CI system reads it',
    (name) => {
      for (const version of ['1.1', '1.2'] as const) expect(parse(scalar(name), { version })).toBe(name);
    },
  );
});

it('set-up warns of a pattern that decides who gets keys', () => {
  const stacks = ['acme/network/*', 'acme/web/prod'];
  const warnings = CLOUDS.map((cloud) =>
    CI_SYSTEMS.github
      .cautions({ ...ANSWERS, stacks, cloud })
      .filter((each) => each.includes('allowed-stacks')),
  );
  const warning =
    'Everyone who can create a stack that acme/network/* matches gets the keys: name each stack in allowed-stacks instead.';
  expect(warnings).toEqual([[warning], [warning], [], []]);
  expect(CI_SYSTEMS.github.cautions(ANSWERS).join()).not.toContain('allowed-stacks');
});

describe('set-up says what is next', () => {
  it.each(CI_NAMES.flatMap((ci) => CLOUDS.map((cloud) => [ci, cloud] as const)))(
    'on %s for %s',
    (ci, cloud) => {
      const steps = nextSteps({ ...ANSWERS, ci, cloud }, 'FILE');
      expect(steps.length).toBe(cloud === 'none' ? 3 : 4);
      for (const step of steps) expect(step).toMatch(/^[A-Z].*\.$/);
    },
  );
});

describe('the answers', () => {
  it.each([
    ['acme/network', { host: 'github.com', path: 'acme/network' }],
    ['git@github.com:acme/network.git', { host: 'github.com', path: 'acme/network' }],
    [
      'https://user@gitlab.acme.com/group/sub/network.git',
      { host: 'gitlab.acme.com', path: 'group/sub/network' },
    ],
    ['ssh://git@git.acme.com:2222/acme/network', { host: 'git.acme.com', path: 'acme/network' }],
    ['network', undefined],
    ['acme/*', undefined],
    ['acme/net work', undefined],
    ['/srv/git/network', undefined],
  ])('read the repository %s', (text, repository) => {
    expect(repositoryOf(text)).toEqual(repository);
  });

  it('name stacks with their organization, and no other organization', () => {
    expect(stacksIn('network/prod, acme/web/*', 'acme')).toEqual(['acme/network/prod', 'acme/web/*']);
    expect(() => stacksIn('other/web/prod', 'acme')).toThrow('"other/web/prod" is not in acme');
    expect(() => stacksIn('prod', 'acme')).toThrow('"prod" is not of the form org/project/stack');
  });
});

describe('the program of examples/set-up', () => {
  const programOf = (cloud: string) => parse(read(`examples/set-up/${cloud}/Pulumi.yaml`));

  it.each(['google', 'azure'])('for %s refers to nothing that it does not have', (cloud) => {
    const { config, resources, variables = {}, outputs } = programOf(cloud);
    const named = Object.keys({ ...config, ...resources, ...variables });
    const text = JSON.stringify({ resources, variables, outputs });
    const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !named.includes(name))).toEqual([]);
    expect(Object.keys(config).filter((name) => !used.includes(name))).toEqual([]);
  });

  it('for Google Cloud trusts one subject, and outputs the open settings of the workflow', () => {
    const { resources, outputs } = programOf('google');
    expect(resources.github.properties.attributeCondition).toBe("assertion.sub == '${subject}'");
    expect(resources.workflow.properties.member).toMatch(/\/subject\/\$\{subject\}$/);
    const [auth] = parse(CI_SYSTEMS.github.text({ ...ANSWERS, cloud: 'google' })).jobs.deploy.steps;
    const open = Object.keys(auth.with).filter((name) => /^<.*>$/.test(auth.with[name]));
    expect(Object.keys(outputs)).toEqual(open);
  });

  it('for Azure trusts one environment of Pulumi ESC', () => {
    const { properties } = programOf('azure').resources.trust;
    expect(properties).toMatchObject({
      issuer: 'https://api.pulumi.com/oidc',
      audiences: ['azure:${organization}'],
      subject: 'pulumi:environments:org:${organization}:env:${environment}',
    });
  });
});
