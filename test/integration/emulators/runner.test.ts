import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listProcesses } from '../../emulators/github/process-tree.ts';
import { JobRunner, type JobRunnerOptions } from '../../emulators/github/runner.ts';

const QUICK = { interruptMs: 300, terminateMs: 200, pipeGraceMs: 300, postWindowMs: 20_000 };

let directory: string;
let runners: JobRunner[];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'github-runner-'));
  runners = [];
});
afterEach(async () => {
  for (const runner of runners) await runner.dispose();
  await rm(directory, { recursive: true, force: true });
});

/** Scripts of an action, ES modules, and an input it declares. */
interface Scripts {
  readonly main: string;
  readonly post?: string;
  readonly input?: string;
}

async function written({ main, post, input }: Scripts): Promise<string> {
  const action = await mkdtemp(join(directory, 'action-'));
  const runs = { using: 'node24', main: 'main.mjs', ...(post !== undefined && { post: 'post.mjs' }) };
  const manifest = { name: 'Throwaway', inputs: input === undefined ? {} : { [input]: {} }, runs };
  await writeFile(join(action, 'action.yml'), JSON.stringify(manifest));
  await writeFile(join(action, 'main.mjs'), main);
  await writeFile(join(action, 'post.mjs'), post ?? '');
  return action;
}

async function newRunner(scripts: Scripts, options: Partial<JobRunnerOptions> = {}): Promise<JobRunner> {
  const runner = new JobRunner({
    repository: 'acme/infra',
    actionDirectory: await written(scripts),
    workDirectory: join(directory, 'work', 'infra', 'infra'),
    tempDirectory: join(directory, 'job'),
    services: { resultsUrl: 'http://127.0.0.1:9/', runtimeToken: 'runtime-token-value' },
    timings: QUICK,
    ...options,
  });
  runners.push(runner);
  return runner;
}

async function isRunning(pid: number): Promise<boolean> {
  return (await listProcesses()).some((one) => one.pid === pid && !one.zombie);
}

/** A script that starts a sleeping child and prints its pid. */
const child = (stdio: string, detached = true, env = 'process.env') => `
  import { spawn } from 'node:child_process';
  const child = spawn('sleep', ['60'], { detached: ${detached}, stdio: ${stdio}, env: ${env} });
  child.unref();
  console.log('child ' + child.pid);
`;

describe('what a step leaves', () => {
  it('fails the step when a refused command or a broken command file is in it', async () => {
    const refused = await (await newRunner({ main: `console.log('x ##[set-env name=A]b')` })).main();
    expect(refused).toMatchObject({ exitCode: 0, conclusion: 'failure' });
    const broken = await (
      await newRunner({
        main: `import { appendFileSync } from 'node:fs'; appendFileSync(process.env.GITHUB_OUTPUT, 'a<<E\\n1\\n');`,
      })
    ).main();
    expect(broken).toMatchObject({ exitCode: 0, conclusion: 'failure', outputs: {} });
    expect(broken.annotations.map((one) => one.message)).toEqual([
      "Unable to process file command 'output' successfully.",
      "Invalid value. Matching delimiter not found 'E'",
    ]);
  });
});

describe('cancellation', () => {
  it('goes from SIGINT to SIGTERM to a kill, at its times, the children too', async () => {
    const timings = { ...QUICK, interruptMs: 500, terminateMs: 500 };
    const action = {
      main: `${child("'ignore'", true)}
        for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log(signal));
        setInterval(() => {}, 1000); console.log('up');`,
    };
    const runner = await newRunner(action, { timings });
    const handle = await runner.startMain();
    const pid = Number((await handle.waitForConsole(/child (\d+)/u, 5_000))[1]);
    await handle.waitForConsole(/^up$/u, 5_000);
    const asked = performance.now();
    await handle.cancel();
    const main = await handle.exited;
    const took = performance.now() - asked;
    expect(main).toMatchObject({ exitCode: null, signal: 'SIGKILL', conclusion: 'cancelled' });
    expect(main.console.filter((line) => line.startsWith('SIG'))).toEqual(['SIGINT', 'SIGTERM']);
    expect(took).toBeGreaterThanOrEqual(timings.interruptMs + timings.terminateMs - 5);
    // Its parent was alive, so the walk by parent ids found the child, although it had a session of its own.
    expect(await isRunning(pid)).toBe(false);
  });
});

describe('processes a step leaves behind', () => {
  it.each(["['ignore', 'inherit', 'ignore']", "['ignore', 'ignore', 'inherit']"])(
    'are a violation with its pipes: %s',
    async (stdio) => {
      const runner = await newRunner({ main: child(stdio) });
      const main = await runner.main();
      expect(main).toMatchObject({ exitCode: 0, conclusion: 'success' });
      expect(runner.violations).toMatchObject([{ rule: 'pipes-held-open' }]);
      expect(runner.violations[0]?.detail).toMatch(/\d+ \(sleep 60\); given up after 300 ms/u);
    },
  );
});

describe('post', () => {
  it('is killed with its children when its window closes', async () => {
    const runner = await newRunner(
      { main: '', post: `${child("'ignore'", false)} setInterval(() => {}, 1000);` },
      { timings: { ...QUICK, postWindowMs: 1_500 } },
    );
    await runner.main();
    const post = await runner.post();
    expect(post).toMatchObject({ signal: 'SIGKILL', conclusion: 'failure' });
    const [, pid] = /child (\d+)/u.exec(post?.console[0] ?? '') ?? [];
    expect(pid).toBeDefined();
    expect(await isRunning(Number(pid))).toBe(false);
    expect(runner.violations).toMatchObject([{ rule: 'post-window-exceeded' }]);
  });
});
