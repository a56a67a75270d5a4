import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findPipeHolders, listProcesses } from '../../emulators/github/process-tree.ts';
import { JobRunner, type JobRunnerOptions } from '../../emulators/github/runner.ts';
import { type ThrowawayAction, writeAction } from '../../emulators/github/throwaway-action.ts';

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

async function newRunner(action: ThrowawayAction, options: Partial<JobRunnerOptions> = {}): Promise<JobRunner> {
  const runner = new JobRunner({
    repository: 'acme/infra',
    actionDirectory: await writeAction(join(directory, 'action'), action),
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

/** Heeds neither SIGINT nor SIGTERM. */
const STUBBORN = `
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
  setInterval(() => {}, 1000);
  console.log('up');
`;

/** Cancels a step that prints its child's pid, and finds the child alive until the job's end. */
async function expectSurvivor(runner: JobRunner): Promise<void> {
  const handle = await runner.startMain();
  const pid = Number((await handle.waitForConsole(/child (\d+)/u, 5_000))[1]);
  await handle.waitForConsole(/^up$/u, 5_000);
  await handle.cancel();
  expect((await handle.exited).signal).toBe('SIGKILL');
  expect(await isRunning(pid)).toBe(true);
  expect((await runner.cleanUpOrphans()).map((one) => one.pid)).toEqual([pid]);
  expect(await isRunning(pid)).toBe(false);
}

describe("a step's environment", () => {
  it('is what GitHub gives, and nothing of the host', async () => {
    const runner = await newRunner(
      {
        main: 'console.log(JSON.stringify({ env: process.env, cwd: process.cwd(), version: process.version }))',
        inputs: { 'max-wait': '5m', 'a b': undefined, given: 'x' },
      },
      { inputs: { GIVEN: 'y' }, env: { DOCKER_HOST: 'tcp://x' }, job: 'build', attempt: 3, event: { action: 'run' } },
    );
    const result = await runner.main();
    const { env, cwd, version } = JSON.parse(result.console[0] ?? '');
    expect(version).toMatch(/^v24\./u);
    expect(cwd).toBe(join(directory, 'work', 'infra', 'infra'));
    expect(env).toMatchObject({
      'INPUT_MAX-WAIT': '5m',
      INPUT_A_B: '',
      INPUT_GIVEN: 'y',
      DOCKER_HOST: 'tcp://x',
      GITHUB_REPOSITORY: 'acme/infra',
      GITHUB_RUN_ATTEMPT: '3',
      GITHUB_JOB: 'build',
      GITHUB_REF_NAME: 'main',
      GITHUB_WORKSPACE: cwd,
      RUNNER_TRACKING_ID: runner.trackingId,
      ACTIONS_RUNTIME_TOKEN: '***',
    });
    expect(JSON.parse(await readFile(env.GITHUB_EVENT_PATH, 'utf8'))).toEqual({ action: 'run' });
    expect(env).not.toHaveProperty('ACTIONS_ID_TOKEN_REQUEST_URL');
    expect(Object.keys(env).filter((name) => /^(?:VITEST|NODE_|npm_)/u.test(name))).toEqual([]);
    expect(result).toMatchObject({ exitCode: 0, conclusion: 'success', annotations: [] });
    expect(runner.violations).toEqual([]);
  });

  it('warns of inputs the action does not declare', async () => {
    const runner = await newRunner({ main: '', inputs: { a: '' } }, { inputs: { b: '1' } });
    const result = await runner.main();
    expect(result.annotations).toMatchObject([
      { level: 'warning', message: "Unexpected input(s) 'b', valid inputs are ['a']" },
    ]);
    expect(runner.violations).toMatchObject([{ rule: 'unexpected-inputs' }]);
  });
});

describe('what a step leaves', () => {
  it('comes through @actions/core: outputs, state, environment, path, summary, annotations', async () => {
    const runner = await newRunner({
      main: `
        import * as core from '@actions/core';
        core.setOutput('multi', 'a\\nb');
        core.saveState('pid', '42');
        core.exportVariable('LATER', 'yes');
        core.addPath('/opt/first');
        core.addPath('/opt/second');
        core.setSecret('s3cret-value');
        await core.summary.addRaw('# Done with s3cret-value', true).write();
        core.info('input ' + core.getInput('max-wait') + ' s3cret-value');
        core.error('broken\\nbadly', { title: 'T', file: 'a.ts', startLine: 3 });
        await core.group('G', async () => core.info('inside'));
        process.stderr.write('::warning::from stderr\\n');
      `,
      post: `
        import * as core from '@actions/core';
        core.info([core.getState('pid'), process.env.LATER, process.env.PATH.split(':').slice(0, 2), 's3cret-value'].join(' '));
        core.setOutput('late', '1');
      `,
      inputs: { 'max-wait': '5m' },
    });
    const main = await runner.main();
    expect(main).toMatchObject({
      conclusion: 'success',
      outputs: { multi: 'a\nb' },
      state: { pid: '42' },
      env: { LATER: 'yes' },
      path: ['/opt/first', '/opt/second'],
      summary: '# Done with ***\n',
      summaryDropped: false,
    });
    expect(main.annotations).toContainEqual({ level: 'warning', message: 'from stderr', properties: {} });
    expect(main.annotations).toContainEqual({
      level: 'error',
      message: 'broken\nbadly',
      properties: { title: 'T', file: 'a.ts', line: '3' },
    });
    expect(main.console).toContain('input 5m ***');
    expect(main.reading.groups).toMatchObject([{ title: 'G' }]);
    expect(main.reading.forged).toEqual([]);
    expect(main.raw.stderr.toString()).toBe('::warning::from stderr\n');
    const post = await runner.post();
    expect(post).toMatchObject({ phase: 'post', conclusion: 'success', outputs: { late: '1' } });
    expect(post?.console).toEqual(['42 yes /opt/second,/opt/first ***']);
    expect(runner.violations).toEqual([]);
  });

  it('tells a failure by the exit code and a signal', async () => {
    const failed = await (
      await newRunner({ main: `import * as core from '@actions/core'; core.setFailed('no');`, post: '' })
    ).main();
    expect(failed).toMatchObject({ exitCode: 1, signal: null, conclusion: 'failure' });
    expect(failed.annotations).toMatchObject([{ level: 'error', message: 'no' }]);
    const runner = await newRunner({ main: 'setInterval(() => {}, 1000); console.log("up");' });
    const handle = await runner.startMain();
    await handle.waitForConsole(/^up$/u, 5_000);
    handle.kill('SIGKILL');
    expect(await handle.exited).toMatchObject({ exitCode: null, signal: 'SIGKILL', conclusion: 'failure' });
  });

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

  it('loses a summary over 1 MiB and NODE_OPTIONS', async () => {
    const result = await (
      await newRunner({
        main: `
          import { appendFileSync } from 'node:fs';
          appendFileSync(process.env.GITHUB_STEP_SUMMARY, 'x'.repeat(1024 * 1024 + 1));
          appendFileSync(process.env.GITHUB_ENV, 'NODE_OPTIONS=--inspect\\nOK=1\\n');`,
      })
    ).main();
    expect(result).toMatchObject({ summary: '', summaryDropped: true, env: { OK: '1' }, conclusion: 'success' });
    expect(result.annotations.map((one) => one.message)).toEqual([
      "Can't store NODE_OPTIONS output parameter using '$GITHUB_ENV' command.",
      '$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k, got 1024k.',
    ]);
  });

  it('records a console line that would cost the runner minutes', async () => {
    const runner = await newRunner({ main: `console.log('x'.repeat(100_000))` });
    await runner.main();
    expect(runner.violations).toMatchObject([{ rule: 'long-console-line' }]);
  });
});

describe('waitForConsole', () => {
  it('finds lines that came before and after, and fails with the tail', async () => {
    const runner = await newRunner({
      main: `console.log('one 1'); process.on('SIGTERM', () => { console.log('two 2'); process.exit(0); }); setInterval(() => {}, 1000);`,
    });
    const handle = await runner.startMain();
    expect((await handle.waitForConsole(/one (\d)/u, 5_000))[1]).toBe('1');
    expect((await handle.waitForConsole(/one/u, 5_000))[0]).toBe('one');
    await expect(handle.waitForConsole(/never/u, 50)).rejects.toThrow(/not within 50 ms.*\none 1$/su);
    const two = handle.waitForConsole(/two/u, 5_000);
    const three = handle.waitForConsole(/three/u, 5_000);
    handle.kill('SIGTERM');
    await two;
    await expect(three).rejects.toThrow('the step ended');
    expect((await handle.exited).exitCode).toBe(0);
  });
});

describe('cancellation', () => {
  it('of a job with a container ends the step at once, and its process goes on beside post', async () => {
    const runner = await newRunner(
      {
        main: `
          import * as core from '@actions/core';
          process.on('SIGINT', () => process.exit(3));
          core.setOutput('early', '1'); core.saveState('pid', process.pid);
          setInterval(() => console.log('still here'), 20); console.log('up');`,
        post: `process.kill(Number(process.env.STATE_pid), 'SIGINT'); console.log('told')`,
      },
      { container: true },
    );
    const handle = await runner.startMain();
    await handle.waitForConsole(/^up$/u, 5_000);
    await handle.cancel();
    const main = await handle.exited;
    expect(main).toMatchObject({ exitCode: 130, conclusion: 'cancelled', outputs: { early: '1' } });
    expect(await isRunning(handle.pid)).toBe(true);
    expect((await runner.post())?.console).toEqual(['told']);
    await expect.poll(() => isRunning(handle.pid), { timeout: 5_000 }).toBe(false);
    expect(await runner.cleanUpOrphans()).toEqual([]);
  });

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
    const at = (text: string) => main.raw.chunks.find((one) => one.bytes.toString().includes(text))?.at ?? Number.NaN;
    // As their output was read: that of the first may be read late.
    expect(at('SIGTERM') - at('SIGINT')).toBeGreaterThanOrEqual(timings.interruptMs / 2);
    expect(took).toBeGreaterThanOrEqual(timings.interruptMs + timings.terminateMs - 5);
    // Its parent was alive, so the walk by parent ids found the child, although it had a session of its own.
    expect(await isRunning(pid)).toBe(false);
  });

  it('leaves a re-parented process alone', async () => {
    const runner = await newRunner({
      main: `
        import { spawnSync } from 'node:child_process';
        console.log('child ' + spawnSync('sh', ['-c', 'setsid sleep 60 >/dev/null 2>&1 </dev/null & echo $!']).stdout);
        ${STUBBORN}`,
    });
    await expectSurvivor(runner);
  });

  it("leaves the children of a step alone when only the step's process is killed, as on Linux", async () => {
    await expectSurvivor(
      await newRunner({ main: `${child("'ignore'", false)} ${STUBBORN}` }, { killScope: 'process' }),
    );
  });
});

describe('processes a step leaves behind', () => {
  it('do not hold the runner up without its pipes, and end with the job', async () => {
    const runner = await newRunner({ main: child("'ignore'"), post: 'console.log("post")' });
    const began = performance.now();
    const main = await runner.main();
    expect(performance.now() - began).toBeLessThan(main.durationMs + 3_000);
    const pid = Number(/child (\d+)/u.exec(main.console[0] ?? '')?.[1]);
    expect((await runner.post())?.console).toEqual(['post']);
    expect(await isRunning(pid)).toBe(true);
    expect(runner.violations).toEqual([]);
    expect(await runner.cleanUpOrphans()).toEqual([{ pid, command: ['sleep', '60'] }]);
    expect(await isRunning(pid)).toBe(false);
    expect(await runner.cleanUpOrphans()).toEqual([]);
  });

  it('are no orphans of the job without its tracking id', async () => {
    const runner = await newRunner({ main: child("'ignore'", true, '{ PATH: process.env.PATH }') });
    const main = await runner.main();
    const pid = Number(/child (\d+)/u.exec(main.console[0] ?? '')?.[1]);
    try {
      expect(await runner.cleanUpOrphans()).toEqual([]);
      expect(await isRunning(pid)).toBe(true);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  });

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

  it('are a violation even when they let go of the pipes in time', async () => {
    const gate = join(directory, 'gate');
    const script = `until [ -e ${gate} ]; do sleep 0.05; done; echo late`;
    const runner = await newRunner(
      {
        main: `
        import { spawn } from 'node:child_process';
        spawn('sh', ['-c', ${JSON.stringify(script)}], { detached: true, stdio: 'inherit' }).unref();`,
      },
      { timings: { ...QUICK, pipeGraceMs: 30_000 } },
    );
    const handle = await runner.startMain();
    await expect.poll(() => existsSync(`/proc/${handle.pid}`), { timeout: 20_000 }).toBe(false);
    // The runner looks who holds the pipes, and has looked before those who begin behind it.
    for (let look = 0; look < 2; look += 1) await findPipeHolders(['none']);
    await writeFile(gate, '');
    const main = await handle.exited;
    expect(main.console).toEqual(['late']);
    expect(runner.violations[0]?.detail).toContain('closed in time');
  });
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

  it('needs main to have been started, once', async () => {
    const runner = await newRunner({ main: '', post: '' });
    await expect(runner.post()).rejects.toThrow('never started');
    await runner.main();
    await expect(runner.startMain()).rejects.toThrow('started before');
  });
});
