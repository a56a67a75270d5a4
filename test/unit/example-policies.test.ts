import { globSync } from 'node:fs';
import type { JWTPayload } from 'jose';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { matches, type Policy } from '../emulators/pulumi-cloud/exchange.ts';
import { PAGES, ROOT, read, snippetsOf, yamlOf } from '../support/documents/pages.ts';

/** A CI job for which a system issues an ID token. */
interface Job {
  /** The repository that runs it; `acme/network` or `acme/infrastructure` is ours. */
  readonly repository: string;
  /** Its whole name, such as `refs/heads/main`. */
  readonly ref: string;
  /** The environment that it names; a system lets main, or reviewers, use ours. */
  readonly environment?: string;
  readonly isPullRequest?: boolean;
  /** On GitHub: the called workflow and its ref. */
  readonly called?: string;
}

const short = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '');
const isTag = (ref: string) => ref.startsWith('refs/tags/');

/** The claims of each system's ID tokens, by its documentation (docs/verification.md). */
const CLAIMS = {
  // docs.github.com, "OpenID Connect reference" and "Using OpenID Connect with reusable workflows".
  github: ({ repository, ref, environment, isPullRequest, called }) => {
    const what = isPullRequest === true ? 'pull_request' : `ref:${ref}`;
    return {
      aud: 'urn:pulumi:org:acme',
      sub: `repo:${repository}:${environment === undefined ? what : `environment:${environment}`}`,
      repository,
      ref,
      job_workflow_ref: called ?? `${repository}/.github/workflows/pulumi-deployment.yml@${ref}`,
    };
  },
  // buildkite.com/docs/agent/v3/cli-oidc
  buildkite: ({ repository, ref }) => ({
    aud: 'urn:pulumi:org:acme',
    sub: `organization:acme:pipeline:${short(repository.replace('acme/', ''))}:ref:${ref}:commit:0123abcd:step:pulumi`,
    build_branch: short(ref),
  }),
  // circleci.com/docs/openid-connect-tokens
  circleci: ({ repository, ref, environment }) => ({
    aud: 'urn:pulumi:org:acme',
    sub: `org/<organization ID>/project/${projectOf(repository)}/user/u-1/vcs-origin/github.com/${repository}/vcs-ref/${ref}`,
    'oidc.circleci.com/project-id': projectOf(repository),
    'oidc.circleci.com/vcs-origin': `github.com/${repository}`,
    'oidc.circleci.com/vcs-ref': ref,
    'oidc.circleci.com/context-ids': environment === undefined ? [] : [`<ID of the context ${environment}>`],
  }),
  // docs.gitlab.com/ci/secrets/id_token_authentication; a tag is protected apart from branches.
  gitlab: ({ repository, ref }) => ({
    aud: 'urn:pulumi:org:acme',
    sub: `project_path:${repository}:ref_type:${isTag(ref) ? 'tag' : 'branch'}:ref:${short(ref)}`,
    project_path: repository,
    ref: short(ref),
    ref_protected: String(ref === 'refs/heads/main'),
  }),
  // support.atlassian.com, "Integrate Pipelines with resource servers using OIDC"
  bitbucket: ({ repository, environment }) => ({
    aud: '<audience>',
    sub: `${repositoryUuidOf(repository)}:{step}`,
    repositoryUuid: repositoryUuidOf(repository),
    ...(environment !== undefined && {
      deploymentEnvironmentUuid: `{<UUID of the environment ${environment}>}`,
    }),
  }),
  // learn.microsoft.com, "Oidctoken - Create", without a service connection
  azure: ({ repository }) => ({
    aud: 'api://AzureADTokenExchange',
    sub: `p://${repository}/pulumi-deployment`,
  }),
  // plugins.jenkins.io/oidc-provider: a job's URL; a multibranch pipeline has a job for each branch
  jenkins: ({ repository, ref, isPullRequest }) => ({
    aud: 'urn:pulumi:org:acme',
    sub: `https://jenkins.example.com/job/${short(repository.replace('acme/', '')).replaceAll('/', '/job/')}/job/${isPullRequest === true ? 'PR-7' : encodeURIComponent(short(ref)).replaceAll('%', '%25')}/`,
  }),
} satisfies Record<string, (job: Job) => JWTPayload>;

type System = keyof typeof CLAIMS;

const projectOf = (repository: string) => (repository === 'acme/network' ? '<project ID>' : 'p-2');
const repositoryUuidOf = (repository: string) =>
  repository === 'acme/network' ? '{<repository UUID>}' : '{r-2}';

/** The policies that a text shows as JSON, as it is or in a comment. */
function policiesIn(text: string): Policy[] {
  const bare = text.replaceAll(/^ *(?:#|\/\/)/gm, '');
  return [...bare.matchAll(/\{\s*"decision": "allow",[\s\S]*?\}\s*\}/g)].map(([json]) => JSON.parse(json));
}

/** What people who can only push a branch, open a pull request or fork can run, of a repository's name. */
function jobsOfBranches(repository: string): Job[] {
  const own = { repository };
  const called = `${repository}/.github/workflows/pulumi-deployment.yml`;
  const main = `${called}@refs/heads/main`;
  return [
    { ...own, ref: 'refs/heads/feature' },
    { ...own, ref: 'refs/heads/main2' },
    { ...own, ref: 'refs/heads/x/main' },
    // A branch's name has most characters, a slash among them.
    { ...own, ref: `refs/heads/x/vcs-origin/github.com/${repository}/vcs-ref/refs/heads/main` },
    { ...own, ref: 'refs/heads/refs/heads/main' },
    { ...own, ref: 'refs/tags/main' },
    { ...own, ref: 'refs/pull/7/merge', isPullRequest: true },
    { ...own, ref: 'refs/heads/feature', environment: 'staging' },
    { repository: 'acme/other', ref: 'refs/heads/main', environment: 'production' },
    { repository: 'mallory/infrastructure', ref: 'refs/heads/main' },
    { repository: 'mallory/network', ref: 'refs/heads/main', environment: 'production' },
    // Another workflow of main, or the demanded one as a branch, a tag or a commit of its author has it.
    { ...own, ref: 'refs/heads/feature', called: `${repository}/.github/workflows/else.yml@refs/heads/main` },
    ...['refs/heads/feature', 'refs/tags/main', '0123456789012345678901234567890123456789'].map((at) => ({
      ...own,
      ref: 'refs/heads/feature',
      called: `${called}@${at}`,
    })),
    // The right workflow, called from elsewhere.
    { ...own, ref: 'refs/heads/feature', called: main },
    { repository: 'mallory/infrastructure', ref: 'refs/heads/main', called: main },
    { repository: 'acme/other', ref: 'refs/heads/main', called: main },
  ];
}

/** The jobs of branches that a policy lets in. */
function letIn(policy: Policy, system: System, repository: string): Job[] {
  return jobsOfBranches(repository).filter(
    // The example for Jenkins says that no tags are discovered, which have the URLs of branches.
    (job) => !(system === 'jenkins' && isTag(job.ref)) && matches(policy.rules, CLAIMS[system](job)),
  );
}

const main = { ref: 'refs/heads/main', environment: 'production' };

const EXAMPLES: readonly [path: string, system: System, reviewed: Job, policies: number][] = [
  ['examples/ci/buildkite.yml', 'buildkite', { ...main, repository: 'acme/network' }, 1],
  ['examples/ci/circleci.yml', 'circleci', { ...main, repository: 'acme/network', environment: 'pulumi' }, 1],
  ['examples/ci/gitlab.yml', 'gitlab', { ...main, repository: 'acme/network' }, 1],
  ['examples/ci/bitbucket-pipelines.yml', 'bitbucket', { ...main, repository: 'acme/network' }, 1],
  ['examples/ci/Jenkinsfile', 'jenkins', { ...main, repository: 'acme/network' }, 1],
  [
    'examples/workflows/pull-request.yml',
    'github',
    {
      repository: 'acme/infrastructure',
      ref: 'refs/pull/7/merge',
      isPullRequest: true,
      environment: 'preview',
    },
    2,
  ],
  [
    'examples/workflows/called.yml',
    'github',
    {
      repository: 'acme/infrastructure',
      ref: 'refs/heads/main',
      called: 'acme/infrastructure/.github/workflows/pulumi-deployment.yml@refs/heads/main',
    },
    1,
  ],
  ['README.md', 'github', { repository: 'acme/infrastructure', ref: 'refs/heads/main' }, 2],
];

describe('the policy beside an example', () => {
  it.each(EXAMPLES)(
    '%s lets in the reviewed job and no job that any branch can run',
    (path, system, reviewed, count) => {
      const policies = policiesIn(read(path));
      expect(policies).toHaveLength(count);
      for (const policy of policies) {
        expect(matches(policy.rules, CLAIMS[system](reviewed))).toBe(true);
        expect(letIn(policy, system, reviewed.repository)).toEqual([]);
        expect(Object.keys(policy.rules)).toContain('aud');
      }
    },
  );

  it('of Azure Pipelines can’t tell branches apart, so the example names the rights that do', () => {
    const text = read('examples/ci/azure-pipelines.yml');
    const [policy, ...more] = policiesIn(text);
    expect(more).toEqual([]);
    expect(letIn(policy!, 'azure', 'acme/network').map(({ ref }) => ref)).toContain('refs/heads/feature');
    expect(letIn(policy!, 'azure', 'acme/network').map(({ repository }) => repository)).not.toContain(
      'acme/other',
    );
    for (const words of [
      "doesn't name a branch",
      'a repository of its own',
      'override the YAML triggers',
      'add a schedule of main',
      '"Queue builds"',
      '"Create build pipeline"',
    ])
      expect(text).toContain(words);
  });

  it('of Buildkite and CircleCI can’t tell who started a build of main, so the example names the guards', () => {
    const buildkite = read('examples/ci/buildkite.yml');
    for (const words of ['a repository of its own', '"Build & Read"', 'Limit builds to main'])
      expect(buildkite).toContain(words);
    const circleci = read('examples/ci/circleci.yml');
    for (const words of [
      'not job.ssh.enabled and not (pipeline.config_source starts-with "api")',
      'pipeline.config.ref == "refs/heads/main"',
    ])
      expect(circleci).toContain(words);
  });

  it('of Jenkins needs a pipeline that discovers no tags, and a plugin whose subject a build can’t choose', () => {
    const text = read('examples/ci/Jenkinsfile');
    for (const words of ['that discovers no tags', '111.v29fd614b_3617 or newer', 'Run/Replay'])
      expect(text).toContain(words);
  });

  it('of GitLab and Bitbucket can’t tell who gave a pipeline of main its variables, so the example names the guards', () => {
    expect(read('examples/ci/gitlab.yml')).toContain(
      '"Minimum role to use pipeline variables" to "No one allowed"',
    );
    expect(read('examples/ci/bitbucket-pipelines.yml')).toContain('let only admins deploy');
  });

  it.each<[System, string, Record<string, string>]>([
    ['github', 'acme/infrastructure', { sub: 'repo:acme/infrastructure:pull_request' }],
    ['github', 'acme/infrastructure', { sub: 'repo:acme/infrastructure:*' }],
    ['github', 'acme/infrastructure', { sub: 'repo:*:ref:refs/heads/main' }],
    [
      'github',
      'acme/infrastructure',
      { job_workflow_ref: 'acme/infrastructure/.github/workflows/pulumi-deployment.yml@refs/heads/main' },
    ],
    [
      'github',
      'acme/infrastructure',
      {
        repository: 'acme/infrastructure',
        job_workflow_ref: 'acme/infrastructure/.github/workflows/pulumi-deployment.yml@*',
      },
    ],
    [
      'github',
      'acme/infrastructure',
      {
        repository: 'acme/infrastructure',
        job_workflow_ref: 'acme/infrastructure/.github/workflows/*@refs/heads/main',
      },
    ],
    ['buildkite', 'acme/network', { sub: 'organization:acme:pipeline:network:*' }],
    ['buildkite', 'acme/network', { build_branch: 'main' }],
    ['circleci', 'acme/network', { sub: 'org/<organization ID>/project/<project ID>/user/*' }],
    [
      'circleci',
      'acme/network',
      {
        sub: 'org/<organization ID>/project/<project ID>/user/*/vcs-origin/github.com/acme/network/vcs-ref/refs/heads/main',
      },
    ],
    ['gitlab', 'acme/network', { sub: 'project_path:acme/network:*' }],
    ['bitbucket', 'acme/network', { sub: '{<repository UUID>}:*' }],
    ['bitbucket', 'acme/network', { repositoryUuid: '{<repository UUID>}' }],
    ['jenkins', 'acme/network', { sub: 'https://jenkins.example.com/job/network/*' }],
  ])('of %s in %s would be caught with the rules %j', (system, repository, rules) => {
    const policy: Policy = { decision: 'allow', tokenType: 'runner', runnerID: 'p', rules };
    expect(letIn(policy, system, repository)).not.toEqual([]);
  });

  it('is the only one: no other page or example trusts pull requests, or has a * but for a commit', () => {
    const texts = [
      ...PAGES,
      ...globSync('examples/**/*.{yml,yaml,md}', { cwd: ROOT }),
      'examples/ci/Jenkinsfile',
    ].map((path): [string, string] => [path, read(path)]);
    const policies = texts.flatMap(([path, text]) => policiesIn(text).map((policy) => ({ path, ...policy })));
    expect(policies.length).toBeGreaterThanOrEqual(11);
    const open = policies.filter(({ rules }) =>
      /\*/.test(JSON.stringify(rules).replace(':commit:*:step:', '')),
    );
    expect(open).toEqual([]);
    const trusting = texts
      .filter(([, text]) => /repo:[\w./-]+:pull_request\b/.test(text))
      .map(([path]) => path);
    expect(trusting).toEqual([]);
    // A workflow on any branch can name an environment.
    const unguarded = texts.flatMap(([path, text]) =>
      [...text.matchAll(/repo:[\w./-]+:environment:/g)]
        .filter(({ index }) => !GUARDED.test(text.slice(Math.max(0, index - 900), index + 900)))
        .map(({ index }) => `${path}: ${text.slice(index, index + 80)}`),
    );
    expect(unguarded).toEqual([]);
  });
});

/** The words near a subject that names an environment: who can use that. */
const GUARDED = /only (?:`?main`?|one branch) (?:can|to)\s+deploy|as its only branch|reviewers/;

it('no example or page reads its settings from the repository’s variables, which anyone who can push a branch can change', () => {
  const texts = [...PAGES, ...globSync('examples/**/*.{yml,yaml,md}', { cwd: ROOT })];
  expect(texts.filter((path) => /\bvars\.[A-Z]/.test(read(path)))).toEqual([]);
});

it('each step that forwards keys names the stacks that get them in full: a member can create what a pattern matches', () => {
  interface Step {
    readonly with?: Readonly<Record<string, string>>;
  }
  interface Job {
    readonly steps?: Step[];
  }
  const texts = [
    ...globSync('examples/**/*.yml', { cwd: ROOT }).map((path) => [path, read(path)] as const),
    ...PAGES.flatMap((path) => yamlOf(read(path)).map((text) => [path, text] as const)),
  ];
  const steps = texts.flatMap(([path, text]) => {
    const document: ({ readonly jobs?: Readonly<Record<string, Job>> } & Job) | Step[] = parse(text) ?? {};
    const all = Array.isArray(document)
      ? document
      : [document, ...Object.values(document.jobs ?? {})].flatMap((job) => job.steps ?? []);
    return all
      .filter(
        ({ with: inputs }) =>
          /KEY|TOKEN|ARM_/.test(inputs?.['env-forward-allowlist'] ?? '') || inputs?.['allow-metadata'],
      )
      .map((step) => ({ path, stacks: step.with?.['allowed-stacks'] ?? '*' }));
  });
  expect(steps.length).toBeGreaterThan(9);
  expect(steps.filter(({ stacks }) => /[*?]/.test(stacks))).toEqual([]);
});

it('the values that give jobs a cloud identity name the stacks that get it in full', () => {
  const values = globSync('examples/helm/*.yaml', { cwd: ROOT })
    .map((path) => parse(read(path)))
    .filter(({ jobs }) => jobs.serviceAccount?.annotations !== undefined);
  expect(values).not.toEqual([]);
  for (const { settings } of values)
    expect(settings).toEqual(
      expect.objectContaining({ allowed_stacks: [expect.not.stringMatching(/[*?]/)] }),
    );
});

describe('the called workflow', () => {
  const text = read('examples/workflows/called.yml');
  const { on, permissions, jobs, env } = parse(text);
  const [step, ...others] = jobs.deploy.steps;

  it('fixes service, pool, organization, images and lists, in a job of one step', () => {
    expect(others).toEqual([]);
    expect(step.with).toMatchObject({
      'service-url': 'https://api.pulumi.com',
      organization: 'acme',
      'runner-pool-id': '<pool ID>',
      'allowed-stacks': expect.any(String),
      'allowed-images': expect.any(String),
    });
    expect({ permissions, own: jobs.deploy.permissions }).toEqual({
      permissions: {},
      own: { 'id-token': 'write', contents: 'read' },
    });
    expect({
      env,
      ofJob: jobs.deploy.env,
      container: jobs.deploy.container,
      secrets: on.workflow_call.secrets,
    }).toEqual({});
  });

  it('reads nothing that a branch can change but its inputs, and of each text only what a list has', () => {
    const read = [...text.matchAll(/\$\{\{(.*?)\}\}/g)].map(([, expression = '']) => expression);
    expect(read.length).toBeGreaterThan(4);
    for (const expression of read)
      expect(expression).not.toMatch(/\b(?:vars|secrets|env|github|needs|steps|matrix)\./);
    const texts = Object.entries<{ type: string }>(on.workflow_call.inputs).filter(
      ([, { type }]) => type === 'string',
    );
    expect(texts.map(([name]) => name)).toEqual(['max-wait', 'memory', 'stack']);
    for (const [name] of texts) {
      const uses = read.filter((expression) => expression.includes(`inputs.${name}`));
      const [chosen, ...rest] = uses;
      // Not `contains`, which lets another case through: the value is the list's own text.
      const [, list = ''] =
        new RegExp(`^ fromJSON\\('(\\{.*\\})'\\)\\[inputs\\.${name}\\] \\|\\| '[^']*' $`).exec(
          chosen ?? '',
        ) ?? [];
      const entries = Object.entries(JSON.parse(list));
      expect(entries.length).toBeGreaterThan(1);
      for (const [key, value] of entries) expect(value).toBe(key);
      // Whether a stack was named decides about the operation alone.
      for (const other of rest) expect(other).toBe(` inputs.${name} && 'preview' || '' `);
    }
  });

  it('is called with its inputs and the right to an ID token, as the caller’s own commit has it', () => {
    const caller = parse(read('examples/workflows/caller.yml'));
    const { uses, permissions: granted, with: given } = caller.jobs.deploy;
    const [policy] = policiesIn(text);
    // GitHub names the ref of the caller: only that of main is the policy's. By name, a tag would come before the branch.
    const ref = uses.replace('./', `${policy?.rules['repository']}/`);
    expect(`${ref}@refs/heads/main`).toBe(policy?.rules['job_workflow_ref']);
    expect(granted).toEqual({ 'id-token': 'write', contents: 'read' });
    expect(Object.keys(on.workflow_call.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
  });
});

it('docs/security.md shows the policy of the called workflow', () => {
  const shown = snippetsOf(read('docs/security.md'), 'json').map((json): unknown => JSON.parse(json));
  expect(shown).toEqual(policiesIn(read('examples/workflows/called.yml')));
});
