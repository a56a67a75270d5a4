import { spawn } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { z } from 'zod';
import { type GitHub, startGitHub } from '../../emulators/github/github.ts';
import { completeIdentity } from '../../emulators/github/job-environment.ts';
import { findByEnvironment, killQuietly } from '../../emulators/github/process-tree.ts';
import { programPath } from '../script.ts';
import { makeWorkflowTree } from './workflow-tree.ts';

/** A line that act prints with `--json`; its other fields are ignored. */
const lineSchema = z.object({
  jobID: z.string().default(''),
  matrix: z.record(z.string(), z.unknown()).nullish(),
  msg: z.string().default(''),
  stepID: z.array(z.string()).default([]),
  stage: z.string().default(''),
  stepResult: z.string().optional(),
  jobResult: z.string().optional(),
  command: z.string().optional(),
  content: z.string().optional(),
});
export type ActLine = z.infer<typeof lineSchema>;

/** The result of a workflow. */
export interface ActRun {
  readonly code: number | null;
  readonly lines: readonly ActLine[];
  /** All output, for diagnosing a failure. */
  readonly transcript: string;
}

export interface ActOptions {
  /** The name of a folder below the scene's: HOME of act and the jobs, and the place of all they keep. */
  readonly home: string;
  /** The workflow file in the clone. */
  readonly workflow: string;
  /** The event that starts it; `push` by default. */
  readonly event?: 'push' | 'schedule' | 'workflow_dispatch';
  /** The only job to run; all by default. */
  readonly job?: string;
  /** Folders that stand in for actions of other repositories, by `OWNER/REPO@REF`. */
  readonly repositories?: Readonly<Record<string, string>>;
  /** Variables for every job besides the runner's own. */
  readonly env?: Readonly<Record<string, string>>;
  /** The repository's variables, `vars.…`. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** Milliseconds until a run is killed. */
const DEADLINE_MS = 300_000;

/** A clone of this repository for the tests of one file; act runs its workflows with emulated GitHub services. */
export function useAct(name: string) {
  // act numbers every run of a repository 1: a unique name tells this one's containers from others'.
  const repository = `acme/${name}-${randomInt(1_000_000_000)}`;
  const homes: string[] = [];
  let directory: string;
  let program: string;
  let github: GitHub;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), `${name}-`));
    program = await programPath('act');
    await makeWorkflowTree(join(directory, 'tree'), repository);
    github = await startGitHub({ repository });
  }, 300_000);
  afterAll(async () => {
    for (const home of homes) for (const { pid } of await processesOf(home)) killQuietly(pid);
    await rm(directory, { recursive: true, force: true });
    await github?.stop();
  });
  return {
    repository,
    get directory() {
      return directory;
    },
    get tree() {
      return join(directory, 'tree');
    },
    get github() {
      return github;
    },
    /** Every process started with this home: what a workflow left running. */
    processesOf: (home: string) => processesOf(join(directory, home)),
    async run(options: ActOptions): Promise<ActRun> {
      const home = join(directory, options.home);
      homes.push(home);
      const env = { ...(await runnerEnvironment(github, repository)), ...options.env };
      return await runWorkflow(program, join(directory, 'tree'), { ...options, home, env });
    },
  };
}

/** Runs a workflow on the default branch, its jobs in parallel on this machine, without containers. */
async function runWorkflow(program: string, tree: string, options: ActOptions): Promise<ActRun> {
  const { home, env = {}, variables = {} } = options;
  await mkdir(home, { recursive: true });
  // Without a settings file, act would ask which images to use.
  await writeFile(join(home, '.actrc'), '');
  const pairs = (flag: string, values: Readonly<Record<string, string>>) =>
    Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const args = [
    ...[options.event ?? 'push', '--json', '--workflows', join(tree, options.workflow)],
    ...['ubuntu-24.04', 'self-hosted'].flatMap((label) => ['--platform', `${label}=-self-hosted`]),
    // git ignores the packages of a tree that is already set up, but its jobs need them.
    ...['--use-gitignore=false', '--no-cache-server', '--rm', '--concurrent-jobs', '8'],
    ...(options.job === undefined ? [] : ['--job', options.job]),
    ...pairs('--local-repository', options.repositories ?? {}),
    ...pairs('--env', env),
    ...pairs('--var', variables),
  ];
  const { PATH = '', DOCKER_HOST } = process.env;
  const child = spawn(program, args, {
    cwd: tree,
    // GitHub's runner ships the Node 24 that runs actions.
    env: {
      PATH: `${dirname(process.execPath)}:${PATH}`,
      HOME: home,
      LANG: 'C.UTF-8',
      ...(DOCKER_HOST !== undefined && { DOCKER_HOST }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
  });
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const [[code], lines, errors] = await Promise.all([ended, readLines(child.stdout), text(child.stderr)]);
  const transcript = lines.map(({ jobID, msg }) => `${jobID}: ${msg}`).join('\n');
  return { code, lines, transcript: `${transcript}\n${errors}` };
}

/** How the jobs of a run ended, as `<job> success`, sorted by name. */
export function jobResults({ lines }: ActRun): string[] {
  return lines
    .flatMap(({ jobID, jobResult }) => (jobResult === undefined ? [] : [`${jobID} ${jobResult}`]))
    .sort();
}

/** What a runner gives each job of a run; here, unlike in the emulator's own runner, all jobs share one grant. */
async function runnerEnvironment(github: GitHub, repository: string): Promise<Record<string, string>> {
  // act gives every run this number.
  const granted = github.idTokens.register(completeIdentity({ repository, runId: '1' }));
  return {
    ACTIONS_ID_TOKEN_REQUEST_URL: granted.url,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: granted.token,
    ACTIONS_RESULTS_URL: github.artifacts.url,
    ACTIONS_RUNTIME_TOKEN: await github.artifacts.runtimeToken(randomUUID(), randomUUID()),
  };
}

const processesOf = (home: string) => findByEnvironment('HOME', home);

async function readLines(input: Readable): Promise<ActLine[]> {
  const lines: ActLine[] = [];
  for await (const line of createInterface({ input })) {
    lines.push(lineSchema.parse(line.startsWith('{') ? JSON.parse(line) : { msg: line }));
  }
  return lines;
}
