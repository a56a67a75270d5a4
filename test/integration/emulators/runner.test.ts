import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listProcesses } from '../../emulators/github/process-tree.ts';
import { JobRunner } from '../../emulators/github/runner.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const QUICK = { interruptMs: 300, terminateMs: 200, pipeGraceMs: 300, postWindowMs: 20_000 };

/** A runner for an action with these scripts, which are ES modules. */
async function newRunner(
  main: string,
  post?: string,
  timings: Partial<typeof QUICK> = {},
): Promise<JobRunner> {
  const directory = await temporaryDirectory();
  const runs = { using: 'node24', main: 'main.mjs', ...(post !== undefined && { post: 'post.mjs' }) };
  await writeFile(join(directory, 'action.yml'), JSON.stringify({ runs }));
  await writeFile(join(directory, 'main.mjs'), main);
  await writeFile(join(directory, 'post.mjs'), post ?? '');
  const runner = new JobRunner({
    repository: 'acme/infra',
    actionDirectory: directory,
    directory: join(directory, 'job'),
    services: { resultsUrl: 'http://127.0.0.1:9/', runtimeToken: 'runtime-token-value' },
    timings: { ...QUICK, ...timings },
  });
  onTestFinished(() => runner.dispose());
  return runner;
}

async function isRunning(pid: number): Promise<boolean> {
  return (await listProcesses()).some((one) => one.pid === pid && !one.zombie);
}

/** A script that starts a sleeping child and prints its pid. */
const child = (stdio: string, detached = true) => `
  import { spawn } from 'node:child_process';
  const child = spawn('sleep', ['60'], { detached: ${detached}, stdio: ${stdio} });
  child.unref();
  console.log('child ' + child.pid);
`;

describe('what a step leaves', () => {
  it('is a violation when it would change later steps', async () => {
    const script = `import { appendFileSync } from 'node:fs'; appendFileSync(process.env.GITHUB_PATH, '/tmp');`;
    const runner = await newRunner(script);
    await runner.main();
    expect(runner.violations).toMatchObject([{ rule: 'environment-changed' }]);
  });

  it('fails the step when a refused command or a broken command file is in it', async () => {
    const refused = await (await newRunner(`console.log('x ##[set-env name=A]b')`)).main();
    expect(refused).toMatchObject({ exitCode: 0, conclusion: 'failure' });
    const append = `import { appendFileSync } from 'node:fs'; appendFileSync(process.env.GITHUB_OUTPUT, 'a<<E\\n1\\n');`;
    const broken = await (await newRunner(append)).main();
    expect(broken).toMatchObject({ exitCode: 0, conclusion: 'failure', outputs: {} });
    expect(broken.annotations.map((one) => one.message)).toEqual([
      "Unable to process file command 'output' successfully.",
      "Invalid value. Matching delimiter not found 'E'",
    ]);
  });
});

describe('cancellation', () => {
  it('goes from SIGINT to SIGTERM to SIGKILL, each in its time, and leaves children', async () => {
    // Long enough for the script to print each signal on a busy machine.
    const timings = { interruptMs: 2_000, terminateMs: 2_000 };
    const script = `${child("'ignore'")}
      for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => console.log(signal));
      setInterval(() => {}, 1000); console.log('up');`;
    const handle = await (await newRunner(script, undefined, timings)).startMain();
    const pid = Number((await handle.waitForConsole(/child (\d+)/u, 5_000))[1]);
    await handle.waitForConsole(/^up$/u, 5_000);
    const asked = performance.now();
    await handle.cancel();
    const main = await handle.exited;
    const took = performance.now() - asked;
    expect(main).toMatchObject({ exitCode: null, signal: 'SIGKILL', conclusion: 'cancelled' });
    expect(main.console.filter((line) => line.startsWith('SIG'))).toEqual(['SIGINT', 'SIGTERM']);
    expect(took).toBeGreaterThanOrEqual(timings.interruptMs + timings.terminateMs - 5);
    expect(await isRunning(pid)).toBe(true);
  });
});

describe('processes a step leaves behind', () => {
  it.each(["['ignore', 'inherit', 'ignore']", "['ignore', 'ignore', 'inherit']"])(
    'are a violation when they hold its pipes open: %s',
    async (stdio) => {
      const runner = await newRunner(child(stdio));
      const main = await runner.main();
      expect(main).toMatchObject({ exitCode: 0, conclusion: 'success' });
      expect(runner.violations).toMatchObject([{ rule: 'pipes-held-open' }]);
      expect(runner.violations[0]?.detail).toMatch(/\d+ \(sleep 60\); given up after 300 ms/u);
    },
  );
});

describe('post', () => {
  it('is killed with its children when its window closes', async () => {
    const script = `${child("'ignore'", false)} setInterval(() => {}, 1000);`;
    const runner = await newRunner('', script, { postWindowMs: 4_000 });
    await runner.main();
    const post = await runner.post();
    expect(post).toMatchObject({ signal: 'SIGKILL', conclusion: 'failure' });
    const [, pid] = /child (\d+)/u.exec(post?.console[0] ?? '') ?? [];
    expect(pid).toBeDefined();
    await expect.poll(() => isRunning(Number(pid)), { timeout: 10_000 }).toBe(false);
    expect(runner.violations).toMatchObject([{ rule: 'post-window-exceeded' }]);
  });
});
