import { enableCompileCache } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Job } from './job.ts';
import { flush } from './stdout.ts';

/** What action.yml names as the post phase's program. */
const POST_PROGRAM = 'action-post.mjs';
const FLUSH_MS = 500;

const environment = process.env;
const { RUNNER_TOOL_CACHE, RUNNER_TEMP = tmpdir() } = environment;
// A self-hosted runner's tool cache outlives its jobs: the next run finds everything compiled.
enableCompileCache(join(RUNNER_TOOL_CACHE ?? RUNNER_TEMP, 'pulumi-runner-action', 'compile-cache'));

const cancellation = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => cancellation.abort(new Error(`The CI job was cancelled (${signal}).`)));
}

const isPost = basename(process.argv[1] ?? '') === POST_PROGRAM;

const agentDirectory = join(dirname(fileURLToPath(import.meta.url)), '..', 'agent');
const job: Job = {
  environment,
  cancelled: cancellation.signal,
  stdout: process.stdout,
  checkoutDirectory: process.cwd(),
  workingDirectory: agentDirectory,
  homeDirectory: homedir(),
  temporaryDirectory: RUNNER_TEMP,
  nodePath: process.execPath,
  agentDirectory,
  agentScript: join(agentDirectory, 'index.js'),
  now: () => Date.now(),
};

// The runner is gone: what is left to do is to end the run in order.
process.stdout.on('error', () => undefined);
// A late failure of something that was given up already; main can't know what else is broken then, post goes on.
process.on('uncaughtException', (error) => {
  const sentence = error.message.replaceAll('%', '%25').replace(/\s+/g, ' ');
  process.stdout.write(`::${isPost ? 'warning' : 'error'}::Failed to go on with the action: ${sentence}\n`, () => {
    if (!isPost) process.exit(1);
  });
});

let exitCode = 0;
if (isPost) await (await import('./post.ts')).post(job);
else exitCode = await (await import('./main.ts')).main(job);
await flush(process.stdout, FLUSH_MS);
// An artifact upload that was given up keeps its sockets open: nothing ends this process but this.
process.exit(exitCode);
