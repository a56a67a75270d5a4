import { isGlob } from '../../base/config/stack-pattern.ts';
import { type Answers, type CiName, ownerOf } from './answers.ts';
import { forwardsKeys, githubText, UNRELEASED_ACTION } from './github-workflow.ts';
import {
  azurePipelinesText,
  bitbucketText,
  buildkiteText,
  circleciText,
  gitlabText,
  jenkinsText,
  UNRELEASED_PACKAGE,
} from './pipelines.ts';

/** A CI system: its workflow, and the policy that lets the workflow's jobs sign in. */
export interface CiSystem {
  /** Its name for a reader. */
  readonly title: string;
  /** The place of its workflow in a repository. */
  readonly file: string;
  readonly text: (answers: Answers) => string;
  /** The OIDC issuer to register; words in `<…>` are to be replaced. */
  readonly issuer: (answers: Answers) => string;
  /** The claims that a token must have; words in `<…>` are to be replaced. */
  readonly rules: (answers: Answers) => Readonly<Record<string, string>>;
  /** What else keeps others than those who may deploy from getting such a token. */
  readonly cautions: (answers: Answers) => readonly string[];
}

const audienceOf = ({ organization }: Answers) => `urn:pulumi:org:${organization}`;

export const CI_SYSTEMS: Readonly<Record<CiName, CiSystem>> = {
  github: {
    title: 'GitHub Actions',
    file: '.github/workflows/deploy.yml',
    text: githubText,
    issuer: ({ repository: { host } }) =>
      host === 'github.com'
        ? 'https://token.actions.githubusercontent.com'
        : `https://${host}/_services/token`,
    rules: (answers) => {
      const { repository, branch, environment } = answers;
      const context = environment === undefined ? `ref:refs/heads/${branch}` : `environment:${environment}`;
      return { aud: audienceOf(answers), sub: `repo:${repository.path}:${context}` };
    },
    cautions: ({ repository: { path }, branch, environment, cloud, stacks }) => [
      `A repository created, renamed or transferred since 15 July 2026, or that opted in, has IDs in its subject: repo:${path.replace('/', '@<ID>/')}@<ID>:… The workflow's doctor prints yours.`,
      environment === undefined
        ? `Everyone who can push to ${branch} can deploy: protect it.`
        : `A workflow on any branch can name the environment: allow only ${branch} to deploy to ${environment}.`,
      ...(forwardsKeys(cloud) ? stacks.filter(isGlob) : []).map(
        (pattern) =>
          `Everyone who can create a stack that ${pattern} matches gets the keys: name each stack in allowed-stacks instead.`,
      ),
    ],
  },
  gitlab: {
    title: 'GitLab CI',
    file: '.gitlab-ci.yml',
    text: gitlabText,
    issuer: ({ repository: { host } }) => `https://${host}`,
    rules: (answers) => ({
      aud: audienceOf(answers),
      sub: `project_path:${answers.repository.path}:ref_type:branch:ref:${answers.branch}`,
      ref_protected: 'true',
    }),
    cautions: ({ branch }) => [
      `Everyone who can push to ${branch} can deploy: protect it.`,
      `Everyone who can run a pipeline of ${branch} can give it variables, such as another address of Pulumi Cloud that then gets the ID token: set "Minimum role to use pipeline variables" to "No one allowed".`,
      `Protect the runner too. Otherwise a job of any branch can change the programs that later jobs run.`,
    ],
  },
  buildkite: {
    title: 'Buildkite',
    file: '.buildkite/pipeline.yml',
    text: buildkiteText,
    issuer: () => 'https://agent.buildkite.com',
    rules: (answers) => {
      const [owner = '', ...pipeline] = answers.repository.path.split('/');
      return {
        aud: audienceOf(answers),
        sub: `organization:${owner}:pipeline:${pipeline.join('-')}:ref:refs/heads/${answers.branch}:commit:*:step:pulumi`,
      };
    },
    cautions: ({ branch }) => [
      'The subject names the organization and the pipeline of Buildkite: correct them if they are not those of the repository.',
      `Anyone who creates a build can claim that any commit is on ${branch}. A trigger step in a build of any branch can do so too. So keep the pipeline in a repository of its own, to which only people who may deploy can push.`,
      `In the pipeline's settings, give "Build & Read" only to those people, in a team that has no other pipeline. Limit builds to ${branch}, and build no pull requests from forks.`,
      'A cancelled job ends 9 seconds later, which is little for an update: raise cancel-grace-period and signal-grace-period-seconds in the agent.',
    ],
  },
  'azure-pipelines': {
    title: 'Azure Pipelines',
    file: 'azure-pipelines.yml',
    text: azurePipelinesText,
    issuer: () => 'https://vstoken.dev.azure.com/<organization ID>',
    rules: ({ repository }) => ({
      aud: 'api://AzureADTokenExchange',
      sub: `p://${repository.path}/pulumi-deployment`,
    }),
    cautions: () => [
      'The subject names the organization, the project and the pipeline of Azure DevOps: correct them if they have other names.',
      "The token doesn't name a branch, so the pipeline gets it on every branch. Keep the pipeline in a repository of its own, to which only people who may deploy can push.",
      'Anywhere else, override the YAML triggers for continuous integration and for pull requests, and disable both. Under Scheduled, add a schedule of your branch: without one, the "schedules" of each branch start runs.',
      'Take "Queue builds", "Edit build pipeline" and "Create build pipeline" from Contributors, and allow them to people who may deploy.',
    ],
  },
  jenkins: {
    title: 'Jenkins',
    file: 'Jenkinsfile',
    text: jenkinsText,
    issuer: () => "<the issuer's address that the plugin OpenID Connect Provider shows>",
    rules: (answers) => ({ aud: audienceOf(answers), sub: '<the URL of the job of one branch>' }),
    cautions: ({ branch, organization }) => [
      'The plugin OpenID Connect Provider must be 111.v29fd614b_3617 or newer: older ones let a build choose its subject (SECURITY-3574).',
      `The credential pulumi-id-token is an "OpenID Connect id token" with the audience urn:pulumi:org:${organization}.`,
      `The subject is the URL of a job: use a multibranch pipeline, which discovers no tags, and its job of ${branch}. A plain pipeline that takes its branch from a parameter has one subject for all branches.`,
      `Anyone with the permission Run/Replay, which Job/Configure includes, can run a build of ${branch} again with another script: give both only to people who may deploy.`,
    ],
  },
  circleci: {
    title: 'CircleCI',
    file: '.circleci/config.yml',
    text: circleciText,
    issuer: () => 'https://oidc.circleci.com/org/<organization ID>',
    rules: (answers) => ({
      aud: audienceOf(answers),
      'oidc.circleci.com/project-id': '<project ID>',
      'oidc.circleci.com/vcs-origin': `${answers.repository.host}/${answers.repository.path}`,
      'oidc.circleci.com/vcs-ref': `refs/heads/${answers.branch}`,
      'oidc.circleci.com/context-ids': '<ID of the context pulumi>',
    }),
    cautions: ({ branch, repository }) => [
      `The resource class ${ownerOf(repository)}/private-network is your runner's.`,
      "There is no rule on sub: it needs a * for the user, which a branch's name can fill too.",
      `Restrict the context pulumi to: pipeline.git.branch == "${branch}" and not job.ssh.enabled and not (pipeline.config_source starts-with "api"). Otherwise, anyone who reruns a job of ${branch} with SSH is in it, and the API runs ${branch} with any configuration.`,
      `A project of CircleCI's GitHub App can take its configuration from another branch: there, add: and pipeline.config.ref == "refs/heads/${branch}"`,
    ],
  },
  bitbucket: {
    title: 'Bitbucket Pipelines',
    file: 'bitbucket-pipelines.yml',
    text: bitbucketText,
    issuer: () => '<the issuer of the repository\'s page "OpenID Connect">',
    rules: () => ({
      aud: '<audience>',
      repositoryUuid: '{<repository UUID>}',
      deploymentEnvironmentUuid: '{<UUID of the environment production>}',
    }),
    cautions: ({ branch }) => [
      `Any branch's pipeline can name the environment production: let it deploy only ${branch} ("Deployment permissions", in Bitbucket Premium).`,
      `Everyone who can run a custom pipeline on ${branch} can give it variables through the API, such as another address of Pulumi Cloud that then gets the ID token: let only admins deploy.`,
      'There is no rule on sub, which ends in another step UUID each time.',
    ],
  },
};

/** The policy of the issuer that lets the workflow's jobs claim the pool's deployments. */
export function policyOf(answers: Answers) {
  const rules = CI_SYSTEMS[answers.ci].rules(answers);
  return { decision: 'allow', tokenType: 'runner', runnerID: answers.pool, rules } as const;
}

/** The remaining steps once the workflow is written, first things first. */
export function nextSteps(answers: Answers, file: string): string[] {
  const { ci, cloud, branch, action, agentPackage } = answers;
  const isGithub = ci === 'github';
  const esc = 'take its keys from Pulumi ESC: docs/recipes.md#pulumi-esc';
  const role = 'a role that trusts the subject above';

  const keys = {
    aws: isGithub ? `in ${file}, write your region and the ARN of ${role}` : esc,
    google: isGithub
      ? `in ${file}, write the provider and the service account of the step google: docs/recipes.md#google-cloud`
      : esc,
    azure: esc,
    none: undefined,
  }[cloud];

  const placeholder = isGithub
    ? action === UNRELEASED_ACTION &&
      "replace org with your copy's owner, and <commit> with its latest commit"
    : agentPackage === UNRELEASED_PACKAGE &&
      "replace org with a scope that you control, and <version> with the package's version";

  const check = isGithub
    ? 'run the workflow with "Only check the set-up" ticked. Then start a deployment, and run it without'
    : 'run it once with --doctor after the command ci. Then start a deployment, and run it without';

  return [placeholder && `In ${file}, ${placeholder}.`, keys, `Commit ${file} to ${branch}.`, check]
    .filter((step) => typeof step === 'string')
    .map((step) => `${step[0]?.toUpperCase()}${step.slice(1)}`.replace(/\.?$/, '.'));
}
