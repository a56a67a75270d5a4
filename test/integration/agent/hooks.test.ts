import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { chmod, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import { claimed, folder, jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { holdTimer } from '../../support/job/held-timer.ts';
import { smallDisk } from '../../support/run/small-disk.ts';

const run = promisify(execFile);
const OUT_OF_FILES = join(import.meta.dirname, 'out-of-files.ts');

let place: string;
beforeEach(async () => {
  place = await folder();
});

async function hook(name: string, script: string): Promise<string> {
  const file = join(place, name);
  await writeFile(file, `#!/bin/bash\n${script}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Serves a job with a hook before it; resolves with its end and Pulumi Cloud's lines of step 0 and step 1. */
async function hooked(script: string, { run = 'echo ran', ...config }: Record<string, string> = {}) {
  const scene = await claimed({
    job: jobOf(run),
    config: { hook_before_job: await hook('before', script), ...config },
  });
  const end = await scene.serve();
  const lines = (index: number) => scene.deployment.steps[index]?.lines.map(({ l }) => l).join('') ?? '';
  return { ...scene, end, setup: lines(0), step: lines(1) };
}

describe('a hook before the job', () => {
  it('gives it variables, whose values no log shows, though the hook printed them first', async () => {
    const script = 'echo "lease of canary-42"; echo "LEASE=canary-42" >>"$PULUMI_RUNNER_ENV"';
    const { end, setup, step } = await hooked(script, { run: 'echo "[$LEASE]"; test "$LEASE" = canary-42' });
    expect(end).toMatchObject({ outcome: 'succeeded', forwarded: ['LEASE'] });
    expect(setup).toContain('[hook] lease of ***\n');
    expect(step).toBe('[***]\n');
  });

  it('learns of the job, and of none of the agent’s own settings', async () => {
    const file = join(place, 'seen');
    const scene = await claimed({
      job: { ...jobOf('true'), image: { reference: 'acme/image:1' } },
      config: { hook_before_job: await hook('before', `env >${file}; cat >${file}.json`) },
      environment: {
        PATH: process.env['PATH'] ?? '',
        INPUT_TOKEN: 'i',
        ACTIONS_RUNTIME_TOKEN: 'a',
        PULUMI_AGENT_TOKEN: 'p',
        OTEL_EXPORTER_OTLP_HEADERS: 'key=o',
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://user:o@collector',
        KEPT: 'k',
        PULUMI_RUNNER_WITHHELD: 'CI_JOB_TOKEN ID_TOKEN',
        CI_JOB_TOKEN: 'c',
        ID_TOKEN: 't',
        // As GitLab sets them from the dotenv report of the deployment before.
        PULUMI_RUNNER_STACK: 'acme/payments/prod',
        PULUMI_RUNNER_OUTCOME: 'succeeded',
      },
    });
    await scene.serve();
    const seen = await readFile(file, 'utf8');
    expect(seen).not.toMatch(/PULUMI_AGENT_|INPUT_|ACTIONS_|OTEL_EXPORTER_|_WITHHELD|_TOKEN/);
    expect(seen).not.toMatch(/_STACK|_OUTCOME/);
    expect(seen).toContain('\nKEPT=k\n');
    const { id, runId, jobId } = scene.deployment;
    for (const line of [
      `DEPLOYMENT_ID=${id}`,
      `RUN_ID=${runId}`,
      `JOB_ID=${jobId}`,
      `RUN_DIRECTORY=${scene.directory}`,
    ])
      expect(seen).toContain(`PULUMI_RUNNER_${line}\n`);
    expect(JSON.parse(await readFile(`${file}.json`, 'utf8'))).toMatchObject({
      deploymentId: id,
      image: 'acme/image:1',
    });
  });

  it('is passed no image that is none, however the deployment spells it', async () => {
    const file = join(place, 'seen');
    for (const reference of ['a'.repeat(140_000), 'acme/image\0']) {
      const scene = await claimed({
        job: { ...jobOf('true'), image: { reference } },
        config: { hook_before_job: await hook('before', `env >${file}`) },
      });
      expect(await scene.serve()).toMatchObject({ outcome: 'succeeded' });
      expect(await readFile(file, 'utf8')).not.toContain('PULUMI_RUNNER_IMAGE');
    }
  });

  it.each([
    ['a value of several lines', 'printf "KEY=canary-1\\ncanary-2\\n"', 'canary-2', 2],
    ['export', 'echo "export KEY=canary-1"', 'canary-1', 1],
  ])('that writes %s is broken, and shows none of it', async (_, command, value, line) => {
    const script = `set -x; ${command} >>"$PULUMI_RUNNER_ENV"; echo "got ${value}"`;
    const { end, setup, target } = await hooked(script);
    expect(end).toMatchObject({
      outcome: 'refused',
      code: 'PRA-JOB-13',
      message: expect.stringContaining(`line ${line} of the file $PULUMI_RUNNER_ENV is not NAME=VALUE`),
    });
    expect(setup).toContain('[hook] got ***\n');
    expect(setup).not.toContain('canary');
    expect(target.specs).toEqual([]);
  });

  it.each([
    ['refuses', 'exit "$PULUMI_RUNNER_REFUSE"'],
    ['is broken', 'exit 1'],
  ])('that %s with a secret at the end of a long line shows no part of it', async (_, exit) => {
    const secret = `canary-${'0123456789'.repeat(6)}`;
    const script = `echo "K=${secret}" >>"$PULUMI_RUNNER_ENV"; printf "%0280d${secret}\\n" 0; ${exit}`;
    const { end } = await hooked(script);
    expect(end).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(/ Its last line: 0{280}\*\*\*$/),
    });
  });

  it('that prints more than is kept shows whole lines of it, as a part of one can hold a part of a secret', async () => {
    // Lines of 97 characters: neither cut is at a line's end.
    const secret = `canary-${'0123456789'.repeat(8)}abcd`;
    const script = `echo "K=${secret}" >>"$PULUMI_RUNNER_ENV"; for n in {1000..1999}; do echo "$n ${secret}"; done`;
    const { end, setup } = await hooked(script);
    expect(end).toMatchObject({ outcome: 'succeeded' });
    expect(setup).toMatch(/\[hook\] … \d+ characters are omitted …\n/);
    expect(setup).toContain('[hook] 1000 ***\n');
    expect(setup).toContain('[hook] 1999 ***\n');
    expect(setup).not.toContain('canary');
  });

  it('that writes more than can be hidden is broken, and shows none of it', async () => {
    const values = 'head -c 24000 /dev/urandom | base64 -w 0 | sed "s/^/KEY_$n=/"; echo';
    const script = `for n in $(seq 60); do { ${values}; } >>"$PULUMI_RUNNER_ENV"; done; echo told`;
    const { end, setup, target } = await hooked(script);
    expect(end).toMatchObject({
      outcome: 'refused',
      code: 'PRA-JOB-13',
      message: expect.stringContaining('they are too many or too long to hide'),
    });
    expect(setup).not.toContain('told');
    expect(target.specs).toEqual([]);
  });

  it.each([
    ['is broken', 'exit 0', 'PRA-JOB-10', /could not be read: EISDIR/],
    ['refuses', 'exit "$PULUMI_RUNNER_REFUSE"', 'PRA-JOB-09', /refused it\.$/],
  ])(
    'that leaves what can’t be read in place of its file %s, and shows none of its output',
    async (...row) => {
      const [, exit, code, message] = row;
      const { end, setup, target } = await hooked(
        `rm "$PULUMI_RUNNER_ENV"; mkdir "$PULUMI_RUNNER_ENV"; echo told; ${exit}`,
      );
      expect(end).toMatchObject({ outcome: 'refused', code, message: expect.stringMatching(message) });
      expect(setup).not.toContain('told');
      expect(target.specs).toEqual([]);
    },
  );

  it('that removes its file gives no variables', async () => {
    const { end, setup } = await hooked('rm "$PULUMI_RUNNER_ENV"; echo told');
    expect(end).toMatchObject({ outcome: 'succeeded', forwarded: [] });
    expect(setup).toContain('[hook] told\n');
  });

  it.each([
    [
      'refuses it by one exit code alone',
      'echo checking; echo "no change window"; exit "$PULUMI_RUNNER_REFUSE"',
      'PRA-JOB-09',
      'deployment',
      /hook_before_job refused it\. Its last line: no change window$/,
    ],
    [
      'is broken, and so is the next job’s, when it ends with another exit code',
      'set -e; echo asking the store; (exit 7)',
      'PRA-JOB-10',
      'elsewhere',
      /hook_before_job is broken: it ended with exit code 7\. .* Only exit code 10 refuses a deployment\. Its last line: asking the store$/,
    ],
    [
      'is broken when a signal ends it',
      'kill -KILL $$',
      'PRA-JOB-10',
      'elsewhere',
      /broken: it was ended by SIGKILL\./,
    ],
  ])('%s, before anything is started', async (_, script, code, fault, message) => {
    const { end, setup, step, target } = await hooked(script);
    expect(end).toMatchObject({
      outcome: 'refused',
      ...{ code, fault },
      message: expect.stringMatching(message),
    });
    expect(setup).toMatch(/Failed to admit the deployment for this runner/);
    expect(step).toBe('');
    expect(target.specs).toEqual([]);
  });

  it('that hangs is ended with all that it started, and is broken', async () => {
    const pids = join(place, 'pids');
    const script = `sleep 300 & trap '' TERM; echo $! >${pids}; while :; do sleep 1; done`;
    const hangs = vi.waitUntil(() => statSync(pids, { throwIfNoEntry: false })?.size, { timeout: 15_000 });
    holdTimer(500, hangs);
    const { end } = await hooked(script, { hook_timeout: '500ms' });
    expect(end).toMatchObject({ outcome: 'refused', code: 'PRA-JOB-10', fault: 'elsewhere' });
    expect(end.message).toContain('it took longer than hook_timeout (500ms)');
    const left = Number(await readFile(pids, 'utf8'));
    expect(() => process.kill(left, 0)).toThrow('ESRCH');
  }, 20_000);

  it('is over when it ends, though what it left behind holds its output open', async () => {
    const began = performance.now();
    const { end } = await hooked('(setsid sleep 20 &) ; echo done');
    expect(end.outcome).toBe('succeeded');
    expect(performance.now() - began).toBeLessThan(15_000);
  }, 30_000);

  it('is ended by a cancellation, while heartbeats go on', async () => {
    const scene = await claimed({
      job: jobOf('true'),
      config: { hook_before_job: await hook('before', 'sleep 300'), job_status_loop_interval: '200ms' },
    });
    const ending = scene.serve();
    await scene.cloud.waitFor(() => scene.deployment.steps[0]?.status === 'running');
    scene.cloud.cancel(scene.deployment.id);
    expect(await ending).toMatchObject({ outcome: 'cancelled' });
  }, 20_000);

  it('that another user can replace once the agent runs is not run', async () => {
    const program = await hook('before', 'exit 0');
    const scene = await claimed({ job: jobOf('true'), config: { hook_before_job: program } });
    await chmod(program, 0o777);
    expect(await scene.serve()).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('can be written by others (mode 777)'),
    });
  });
});

/** Images whose names no process can be given: Linux ends a variable at 128 KiB, every system at a NUL. */
const UNPASSABLE: readonly (readonly [string, string])[] = [
  ['a name of 140 kB', `acme/${'i'.repeat(140_000)}`],
  ['a NUL in its name', 'acme/image\0'],
];

it.each(UNPASSABLE)('hooks run, without the image, where that has %s', async (_, image) => {
  const told = 'echo "image:${PULUMI_RUNNER_IMAGE:-none}"';
  const { agent, enqueue, log, result } = await agentOf({
    config: { hook_before_job: await hook('before', told), hook_after_job: await hook('after', told) },
  });
  const deployment = enqueue({ ...jobOf('true'), image });
  expect(await agent.run()).toBe(0);
  expect(deployment.status).toBe('succeeded');
  expect(await result()).toMatchObject({ outcome: 'succeeded', reported: true });
  expect(log.filter((line) => line.includes('image:'))).toEqual([expect.stringMatching(/image:none$/)]);
});

describe('a hook that the system can’t start', () => {
  it('as somebody is writing it is broken before a job, and pauses the claiming', async () => {
    const program = await hook('before', 'exit 0');
    const isWritten = Promise.withResolvers<void>();
    // The pause lasts at least until the hook can start again.
    const sleep: Clock['sleep'] = async (ms, signal) => {
      await systemClock.sleep(ms, signal);
      if (ms >= 2_000) await isWritten.promise;
    };
    const { agent, enqueue, log, result, send } = await agentOf({
      config: { hook_before_job: program, single_run: 'false', polling_interval: '2s' },
      options: { clock: { ...systemClock, sleep } },
    });
    const [first, second] = ['one', 'two'].map((stack) => enqueue(jobOf('true'), stack));
    await using writer = await open(program, 'r+');
    const running = agent.run();
    await expect
      .poll(() => log.join('\n'), { timeout: 15_000 })
      .toMatch(/Claiming pauses for 2 seconds, .*\(PRA-JOB-10\)/);
    await writer.close();
    isWritten.resolve();
    expect(await result()).toMatchObject({
      ...{ outcome: 'refused', code: 'PRA-JOB-10' },
      message: expect.stringMatching(/hook_before_job is broken: it could not be started: .*ETXTBSY/),
    });
    await expect.poll(() => second?.status, { timeout: 15_000 }).toBe('succeeded');
    expect(first?.status).toBe('failed');
    expect(Number(second?.claimedAt) - Number(first?.endedAt)).toBeGreaterThan(1_900);
    send('SIGTERM');
    expect(await running).toBe(0);
  }, 40_000);

  it('as somebody is writing it is broken after a job, and the agent serves the next one', async () => {
    const program = await hook('after', 'exit 0');
    const { agent, enqueue, log, send } = await agentOf({
      config: { hook_after_job: program, single_run: 'false' },
    });
    const deployments = ['one', 'two'].map((stack) => enqueue(jobOf('true'), stack));
    await using writer = await open(program, 'r+');
    const running = agent.run();
    await expect
      .poll(() => deployments.map(({ status }) => status), { timeout: 15_000 })
      .toEqual(['succeeded', 'succeeded']);
    await writer.close();
    send('SIGTERM');
    expect(await running).toBe(0);
    expect(log.filter((line) => line.includes('ETXTBSY')).length).toBeGreaterThan(0);
  }, 20_000);

  it.each([
    ['its folder', 1],
    ['the file in it', 2],
  ])('as the disk has no room for %s is broken', async (_, inodes) => {
    const disk = join(place, 'tmp');
    await mkdir(disk);
    smallDisk(disk, `nr_inodes=${inodes}`);
    const { serve } = await claimed({
      job: jobOf('true'),
      config: { hook_before_job: await hook('before', 'true') },
    });
    vi.stubEnv('TMPDIR', disk);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await serve()).toMatchObject({
      ...{ outcome: 'refused', code: 'PRA-JOB-10' },
      message: expect.stringMatching(/is broken: the file for its variables could not be made: ENOSPC/),
    });
  });

  it('for lack of free files is a hook that failed, and no error of the agent', async () => {
    const program = await hook('before', 'exit 0');
    const script = `ulimit -n 64; exec "$0" "$@"`;
    const { stdout } = await run('sh', ['-c', script, process.execPath, OUT_OF_FILES, program]);
    expect(JSON.parse(stdout)).toEqual({ failure: expect.stringContaining('EMFILE'), output: '' });
  }, 20_000);
});

describe('a hook after the job', () => {
  it('learns how it ended, and changes nothing', async () => {
    const seen = join(place, 'seen');
    const script = `echo "$PULUMI_RUNNER_STACK $PULUMI_RUNNER_OUTCOME $PULUMI_RUNNER_EXIT_CODE" >${seen}; ls "$PULUMI_RUNNER_RUN_DIRECTORY" >>${seen}; echo cleaning; exit 9`;
    const { agent, enqueue, log, result } = await agentOf({
      config: { hook_after_job: await hook('after', script) },
    });
    const deployment = enqueue(jobOf('exit 4'));
    expect(await agent.run()).toBe(1);
    expect(await readFile(seen, 'utf8')).toMatch(/^acme\/web\/dev failed 1\n[\s\S]*events\.ndjson\n/);
    expect(deployment.status).toBe('failed');
    expect(await result()).toMatchObject({ outcome: 'failed', reported: true });
    expect(log).toContain('info: hook_after_job: cleaning');
    expect(log).toContain('warning: The hook_after_job failed: it ended with exit code 9.');
  });

  // A service manager restarts a lasting agent that failed.
  it.each([
    ['true', 0],
    ['false', 1],
  ])(
    'leaves a success even if the agent fails meanwhile (single_run: %s)',
    async (single, code) => {
      const began = join(place, 'began');
      const script = `touch ${began}; sleep 0.5`;
      const { agent, enqueue, result, send } = await agentOf({
        config: { hook_after_job: await hook('after', script), single_run: single },
      });
      enqueue(jobOf('true'));
      const running = agent.run();
      await expect.poll(() => existsSync(began), { timeout: 15_000 }).toBe(true);
      send('uncaughtException', new Error('a bug'));
      expect(await running).toBe(code);
      expect(await result()).toMatchObject({ outcome: 'succeeded', exitCode: 0, reported: true });
    },
    20_000,
  );
});
