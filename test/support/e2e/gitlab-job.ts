import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { read } from '../documents/pages.ts';
import { ACTION, POOL } from './stage.ts';

const GITLAB_CI_LOCAL = fileURLToPath(import.meta.resolve('gitlab-ci-local'));

/** The example as it runs under a shell executor, with our command on PATH in place of npm's. */
const PIPELINE = read('examples/ci/gitlab.yml')
  .replaceAll(/^ +image:.*\n/gm, '')
  .replaceAll(/npx --yes pulumi-runner-agent@\S+/g, 'pulumi-runner-agent')
  .replaceAll('<pool ID>', POOL.id);

/** A pipeline that gitlab-ci-local has run, without GitLab and its runner. */
export interface GitlabPipeline {
  readonly code: number | null;
  readonly console: string;
  /** A job's log, as it was written. */
  log(job: string): string;
  /** A file in the checkout; empty if there is none. */
  file(path: string): string;
  /** A file among the artifacts of a job; empty if there is none. */
  artifact(job: string, path: string): string;
}

/** Runs the example in a new repository below `directory`, with more variables. */
export async function runGitlabExample(
  directory: string,
  variables: Readonly<Record<string, string>>,
): Promise<GitlabPipeline> {
  const checkout = join(directory, 'checkout');
  const home = join(directory, 'home');
  const bin = join(directory, 'bin');
  for (const folder of [checkout, home, bin]) await mkdir(folder, { recursive: true });

  const command = join(bin, 'pulumi-runner-agent');
  await writeFile(command, `#!/bin/sh\nexec node ${join(ACTION, 'bin/pulumi-runner-agent.cjs')} "$@"\n`);
  await chmod(command, 0o755);
  await symlink(join(ACTION, 'scripts/rsync'), join(bin, 'rsync'));
  await writeFile(join(checkout, '.gitlab-ci.yml'), PIPELINE);

  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: home, TMPDIR: home };
  const git = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
  const repository: string[][] = [
    ['init', '-q'],
    ['remote', 'add', 'origin', 'https://gitlab.example.com/acme/network.git'],
    ['add', '-A'],
    [...git, 'commit', '-qm', 'Pipeline'],
  ];
  for (const args of repository) await run('git', args, checkout, env);

  const given = { GITLAB_CI: 'true', CI_SHARED_ENVIRONMENT: 'true', ...variables };
  const flags = Object.entries(given).flatMap(([name, value]) => ['--variable', `${name}=${value}`]);
  const args = [GITLAB_CI_LOCAL, '--shell-executor-no-image', '--no-color', ...flags];
  const { code, console } = await run(process.execPath, args, checkout, env);

  const text = (...path: string[]) => {
    const file = join(checkout, ...path);
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  };
  return {
    code,
    console,
    log: (job) => text('.gitlab-ci-local/output', `${job}.log`),
    file: (path) => text(path),
    artifact: (job, path) => text('.gitlab-ci-local/artifacts', job, path),
  };
}

function run(program: string, args: readonly string[], cwd: string, env: Record<string, string>) {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let console = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      console += chunk;
    });
  return new Promise<{ code: number | null; console: string }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, console }));
  });
}
