import { organizationOf, stackPatternProblem } from '../../base/config/stack-pattern.ts';

export const CI_NAMES = [
  'github',
  'gitlab',
  'buildkite',
  'azure-pipelines',
  'jenkins',
  'circleci',
  'bitbucket',
] as const;

export type CiName = (typeof CI_NAMES)[number];

export const CLOUDS = ['aws', 'google', 'azure', 'none'] as const;

export type Cloud = (typeof CLOUDS)[number];

/** A repository: its server, and its path there, such as `acme/infrastructure`. */
export interface Repository {
  readonly host: string;
  readonly path: string;
}

/** All that the workflow and the policy are made of. Every text is safe in YAML, JSON and a shell. */
export interface Answers {
  readonly organization: string;
  /** The pool's ID. */
  readonly pool: string;
  /** Stacks, or patterns of them: org/project/stack. */
  readonly stacks: readonly string[];
  readonly ci: CiName;
  readonly cloud: Cloud;
  readonly repository: Repository;
  readonly branch: string;
  /** The GitHub environment of the job. */
  readonly environment: string | undefined;
  /** The action of the workflow, pinned: OWNER/NAME@COMMIT. */
  readonly action: string;
  /** The package of the pipeline, pinned: NAME@VERSION. */
  readonly agentPackage: string;
}

/** The first part of a repository's path. */
export function ownerOf({ path }: Repository): string {
  return path.split('/', 1).join();
}

/** A clause on what is wrong with the name of an organization or a pool. */
export function nameProblem(text: string): string | undefined {
  return /^[\w.-]+$/.test(text)
    ? undefined
    : 'has other characters than letters, digits, dots, dashes and underscores';
}

/** The stacks or patterns of a list, each with its organization. Throws Error with a clause. */
export function stacksIn(text: string, organization: string): string[] {
  const stacks = text
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .map((each) => (each.split('/').length === 2 ? `${organization}/${each}` : each));

  const problem = stacks.map(stackPatternProblem).find((each) => each !== undefined);
  if (problem !== undefined) throw new Error(problem);

  const other = stacks.find((each) => organizationOf(each) !== organization);
  if (other !== undefined) throw new Error(`${JSON.stringify(other)} is not in ${organization}`);
  return stacks;
}

/** A repository as OWNER/NAME, on github.com or `host`, or as the address of a remote; undefined for another text. */
export function repositoryOf(text: string, host = 'github.com'): Repository | undefined {
  const path = /^[\w-][\w.-]*(\/[\w-][\w.-]*)+$/;
  const plain = text.replace(/\.git$/, '');
  if (path.test(plain)) return { host, path: plain };

  const remote = /^(?:\w+:\/\/)?(?:[^@/\s]+@)?([\w.-]+)(?::\d+)?[:/](.+)$/.exec(plain);
  const [, server = '', rest = ''] = remote ?? [];
  return path.test(rest) ? { host: server, path: rest } : undefined;
}

/** A clause on what is wrong with a branch that may deploy: a wildcard would let any branch deploy. */
export function branchProblem(text: string): string | undefined {
  return /^[\w.-]+(\/[\w.-]+)*$/.test(text) ? undefined : 'is not the name of one branch';
}

/** A clause on what is wrong with an action: a branch or a tag could change under the job. */
export function actionProblem(text: string): string | undefined {
  return /^[\w.-]+\/[\w.-]+@[0-9a-f]{40}$/.test(text)
    ? undefined
    : 'is not OWNER/NAME@COMMIT with the 40 digits of a commit';
}

/** A clause on what is wrong with a package. */
export function packageProblem(text: string): string | undefined {
  return /^(@[\w.-]+\/)?[\w.-]+@\d+\.\d+\.\d+[\w.-]*$/.test(text) ? undefined : 'is not NAME@VERSION';
}
