import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { startIssuer } from '../github/issuer.ts';
import { AgentApi, REGISTRATION_TOKEN } from './agent-api.ts';
import type { BuildkiteJob, JobOptions } from './job.ts';

const run = promisify(execFile);

/** Milliseconds for an agent to end after the last job, before it is killed. */
const END_MS = 20_000;

export interface AgentOptions {
  /** The program, as `scripts/programs buildkite-agent` prints it. */
  readonly program: string;
  /** The seconds between the agent's SIGTERM and its SIGKILL. */
  readonly signalGraceSeconds?: number;
  /** The files of the repository that jobs check out, all of them executable. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Buildkite, with one real agent. */
export type Buildkite = Awaited<ReturnType<typeof startBuildkite>>;

/** Starts the API on loopback, and an agent that is connected to it and takes one job. */
export async function startBuildkite({ program, files = {}, signalGraceSeconds = 9 }: AgentOptions) {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'buildkite-emulator-'));
  starting.defer(() => rm(directory, { recursive: true, force: true }));
  const issuer = await startIssuer();
  starting.defer(() => issuer.close());
  const api = await AgentApi.start(issuer);
  starting.defer(() => api.close());

  const repository = await makeRepository(join(directory, 'repository'), files);
  for (const each of ['builds', 'hooks', 'plugins', 'home', 'tmp']) await mkdir(join(directory, each));

  const options = {
    name: 'test',
    token: REGISTRATION_TOKEN,
    endpoint: api.endpoint,
    'build-path': join(directory, 'builds'),
    'hooks-path': join(directory, 'hooks'),
    'plugins-path': join(directory, 'plugins'),
    'sockets-path': join(directory, 'sockets'),
    'ping-mode': 'poll-only',
    'cancel-grace-period': String(signalGraceSeconds + 1),
    'signal-grace-period-seconds': String(signalGraceSeconds),
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const agent = spawn(program, ['start', '--disconnect-after-job', '--no-color', ...flags], {
    env: {
      HOME: join(directory, 'home'),
      TMPDIR: join(directory, 'tmp'),
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  const said = text(agent.stderr);
  const ended = once(agent, 'exit').then(() => undefined);
  starting.defer(async () => {
    const timer = setTimeout(() => agent.kill('SIGKILL'), END_MS);
    await ended;
    clearTimeout(timer);
  });
  const resources = starting.move();

  return {
    issuer,
    api,
    /** Runs a job to its end. */
    run: async (job: Omit<JobOptions, 'repository'>): Promise<BuildkiteJob> => {
      const queued = api.enqueue({ ...job, repository });
      await ended;
      return queued;
    },
    /** Queues a job, for a test that acts while it runs. */
    start: (job: Omit<JobOptions, 'repository'>): BuildkiteJob => api.enqueue({ ...job, repository }),
    /** Resolves once the agent's process has ended, which it does after its job. */
    ended,
    /** What the agent and its jobs left in the temporary folder. */
    leftovers: (): Promise<string[]> => readdir(join(directory, 'tmp')),
    /** Stops all of it and removes the files. @throws Error for violations of the API's rules. */
    stop: async (): Promise<void> => {
      if (resources.disposed) return;
      if (api.jobs.length === 0) agent.kill('SIGTERM');
      await resources.disposeAsync();
      const texts = api.violations.map(({ detail }) => detail);
      if (texts.length > 0)
        throw new Error(`Buildkite's rules were broken:\n${texts.join('\n')}\n${await said}`);
    },
  };
}

/** Makes a repository with one commit of these files; returns its address for `git clone`. */
async function makeRepository(directory: string, files: Readonly<Record<string, string>>): Promise<string> {
  const git = (...flags: string[]) =>
    run('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...flags], { cwd: directory });
  await mkdir(directory);
  await git('init', '--quiet', '--initial-branch', 'main');
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), content, { mode: 0o755 });
  }
  await git('add', '--all');
  await git('commit', '--quiet', '--allow-empty', '--message', 'test');
  return directory;
}
