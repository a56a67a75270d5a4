import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import type { Questions } from '../questions.ts';
import {
  type Answers,
  actionProblem,
  branchProblem,
  CI_NAMES,
  CLOUDS,
  nameProblem,
  packageProblem,
  type Repository,
  repositoryOf,
  stacksIn,
} from './answers.ts';
import { CI_SYSTEMS } from './ci-systems.ts';
import { UNRELEASED_ACTION } from './github-workflow.ts';
import { UNRELEASED_PACKAGE } from './pipelines.ts';

/** The answers that flags and settings give, unchecked. */
export interface SetUpInput {
  readonly organization: string | undefined;
  /** The pool's ID or, with a token, its name. */
  readonly pool: string | undefined;
  readonly stacks: readonly string[];
  readonly ci: string | undefined;
  readonly cloud: string | undefined;
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly environment: string | undefined;
  readonly action: string | undefined;
  readonly agentPackage: string | undefined;
}

const CLOUD_WORDS = {
  aws: 'AWS',
  google: 'Google Cloud',
  azure: 'Azure',
  none: 'none, or Pulumi ESC',
} as const;

/** Servers that run one CI system. */
const SERVERS: Readonly<Record<string, string>> = {
  'github.com': 'github',
  'gitlab.com': 'gitlab',
  'bitbucket.org': 'bitbucket',
};

/** Systems whose rules name the repository. */
const NAMING_REPOSITORY = ['github', 'gitlab', 'buildkite', 'azure-pipelines', 'circleci'];

/**
 * Checks the given answers, and asks for those that are missing; without `questions`, they are
 * named. The pool can still be a name. Throws OutcomeError `config-error` with all that is wrong.
 */
export async function gatherAnswers(
  input: SetUpInput,
  workingDirectory: string,
  { questions, findsPool }: { readonly questions: Questions | undefined; readonly findsPool: boolean },
): Promise<Answers> {
  const problems = problemsWith(input);
  if (problems.length > 0) throw unusable(problems.join('; '));

  const origin = originOf(workingDirectory);
  const namesRepository = input.ci === undefined || NAMING_REPOSITORY.includes(input.ci);
  const lacksRepository =
    namesRepository && input.repository === undefined && remoteFor(input.ci, origin) === undefined;

  const missing = [
    input.organization === undefined && '--organization-name',
    input.pool === undefined && '--runner-pool-id',
    input.stacks.length === 0 && '--stack',
    input.ci === undefined && '--ci',
    input.cloud === undefined && '--cloud',
    lacksRepository && '--repository',
  ].filter((flag) => flag !== false);

  if (questions === undefined && missing.length > 0)
    throw unusable(`without a terminal it needs ${missing.join(', ')}`);

  const text = (question: string, problem: (text: string) => string | undefined) =>
    questions?.text(question, problem) ?? '';
  const chosen = <T extends string>(question: string, options: readonly (readonly [T, string])[]) =>
    questions?.choice(question, options);

  const organization = input.organization ?? (await text('Pulumi organization', nameProblem));
  const poolQuestion = findsPool
    ? 'Runner pool, by its ID or its name'
    : 'ID of the runner pool (Settings → Organization → Workflow runner pools)';
  const pool = input.pool ?? (await text(poolQuestion, nameProblem));

  const stacksText =
    input.stacks.length > 0
      ? input.stacks.join(' ')
      : await text('Stacks that the pool deploys, as project/stack (* is any name)', (stacks) => {
          const problem = problemOf(() => stacksIn(stacks, organization));
          return problem && `names no stack: ${problem}`;
        });

  const ci =
    CI_NAMES.find((name) => name === input.ci) ??
    (await chosen(
      'Which CI system serves the pool?',
      CI_NAMES.map((name) => [name, CI_SYSTEMS[name].title] as const),
    )) ??
    'github';

  const cloud =
    CLOUDS.find((name) => name === input.cloud) ??
    (await chosen(
      'Which cloud do the stacks need keys for?',
      CLOUDS.map((name) => [name, CLOUD_WORDS[name]] as const),
    )) ??
    'none';

  const remote = remoteFor(ci, origin);
  const repositoryText =
    input.repository ??
    (remote !== undefined || !NAMING_REPOSITORY.includes(ci)
      ? undefined
      : await text('Repository of the workflow, as OWNER/NAME', repositoryProblem));

  const host = ci === 'gitlab' ? 'gitlab.com' : undefined;
  const repository =
    repositoryText === undefined ? remote : repositoryOf(repositoryText, remote?.host ?? host);

  return {
    organization,
    pool,
    stacks: stacksIn(stacksText, organization),
    ci,
    cloud,
    repository: repository ?? { host: '', path: '' },
    branch: input.branch ?? 'main',
    environment: input.environment,
    action: input.action ?? UNRELEASED_ACTION,
    agentPackage: input.agentPackage ?? UNRELEASED_PACKAGE,
  };
}

/** All that is wrong with the given answers, each with its flag. */
function problemsWith(input: SetUpInput): string[] {
  const { organization, pool, stacks, ci, cloud, repository, branch, environment, action, agentPackage } =
    input;

  const checks: [flag: string, text: string | undefined, problem: (text: string) => string | undefined][] = [
    ['--organization-name', organization, nameProblem],
    ['--runner-pool-id', pool, nameProblem],
    ['--ci', ci, (text) => notAmong(CI_NAMES, text)],
    ['--cloud', cloud, (text) => notAmong(CLOUDS, text)],
    ['--repository', repository, repositoryProblem],
    ['--branch', branch, branchProblem],
    ['--environment', environment, nameProblem],
    ['--action', action, actionProblem],
    ['--package', agentPackage, packageProblem],
  ];

  const found = checks.flatMap(([flag, text, problem]) => {
    const clause = text === undefined ? undefined : problem(text);
    return clause === undefined ? [] : [`${flag} ${JSON.stringify(text)} ${clause}`];
  });

  if (environment !== undefined && ci !== undefined && ci !== 'github')
    found.push('--environment is an environment of GitHub, for --ci github');

  const ofStacks =
    organization === undefined ? undefined : problemOf(() => stacksIn(stacks.join(' '), organization));
  return ofStacks === undefined ? found : [...found, `--stack ${ofStacks}`];
}

/** The checkout's remote, unless it is another CI system's own server. */
function remoteFor(ci: string | undefined, remote: Repository | undefined): Repository | undefined {
  const server = remote && SERVERS[remote.host];
  const isElsewhere = server !== undefined && server !== ci && (ci === 'github' || ci === 'gitlab');
  return isElsewhere ? undefined : remote;
}

function notAmong(names: readonly string[], text: string): string | undefined {
  return names.includes(text) ? undefined : `is not one of ${names.join(', ')}`;
}

function repositoryProblem(text: string): string | undefined {
  return repositoryOf(text) === undefined ? 'is not OWNER/NAME' : undefined;
}

/** The message of what `work` throws, a clause. */
function problemOf(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** The repository of the checkout's remote `origin`; undefined without one. */
function originOf(workingDirectory: string): Repository | undefined {
  let folder = workingDirectory;
  while (!existsSync(join(folder, '.git'))) {
    if (dirname(folder) === folder) return undefined;
    folder = dirname(folder);
  }

  try {
    // A submodule and a linked worktree have a file there: the folders above belong to another repository.
    const config = readFileSync(join(folder, '.git/config'), 'utf8');
    const [, section = ''] = config.split(/^\[remote "origin"\]$/m);
    const [, url = ''] = /^\s*url\s*=\s*(\S+)\s*$/m.exec(section.split(/^\[/m, 1).join()) ?? [];
    // A local path names no repository of a server.
    return /^[./]/.test(url) ? undefined : repositoryOf(url);
  } catch {
    return undefined;
  }
}

/** The error for answers that no workflow can be made of. */
export function unusable(reason: string): OutcomeError {
  const message = `Failed to set up the workflow: ${reason}. See pulumi-runner-agent set-up --help.`;
  return new OutcomeError('config-error', message, { code: 'PRA-SETUP-01' });
}
