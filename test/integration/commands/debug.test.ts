import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { beforeAll, describe, expect, it } from 'vitest';
import { readResult } from '../../../src/record/reader.ts';
import { JOB_IMAGE, testImage } from '../../support/docker/images.ts';
import { definition } from '../../support/e2e/stage.ts';
import { fileWith, folder, run, start } from '../doctor/command.ts';

beforeAll(() => testImage('job'));

/** A job as Pulumi Cloud sends it: its own step, then these. */
const jobOf = (scripts: readonly string[], more: object = {}) =>
  JSON.stringify(
    definition(Object.fromEntries(scripts.map((script, at) => [`Step ${at + 1}`, script])), more),
  );

/** Runs a job, which must leave nothing in Docker. */
async function debug(job: string, flags: readonly string[] = [], environment: Record<string, string> = {}) {
  const { args, directory, label } = await command(job, flags);
  const end = await run(args, { environment });
  expectNothingLeft(label);
  return { ...end, directory };
}

let labels = 0;
async function command(job: string, flags: readonly string[]) {
  labels += 1;
  const label = `debug-test=${process.pid}-${labels}`;
  const directory = join(await folder(), 'run');
  const more = ['--no-pull-image', '--run-directory', directory, '--label', label];
  return {
    args: ['debug', 'workflow-runner', await fileWith(job, 'job.json'), ...more, ...flags],
    directory,
    label,
  };
}

function expectNothingLeft(label: string): void {
  expect(execFileSync('docker', ['ps', '-aq', '--filter', `label=${label}`], { encoding: 'utf8' })).toBe('');
}

describe('debug workflow-runner', () => {
  it('runs a job as a run would, without a token or a service, and leaves the same record', async () => {
    const env = { GREETING: 'hello', PASSWORD: { secret: 'very-secret-word' } };
    const job = jobOf(
      [
        'echo "$GREETING $PASSWORD"; echo "to stderr" >&2; echo "NEXT=from step 1" >> /PULUMI_ENV',
        'echo "$NEXT; $FORWARDED; $PULUMI_SERVICE_URL"; printf "\\033]0;title\\007\\033[31mred\\033[0m"',
      ],
      { env },
    );
    const flags = ['--env-forward-allowlist', 'FORWARDED'];
    const { code, stdout, stderr, directory } = await debug(job, flags, { FORWARDED: 'forwarded-word' });
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout:
        'hello ***\nto stderr\nLoading PULUMI_ENV from /PULUMI_ENV\n***; ***; https://api.pulumi.com/api\nred',
      stderr: expect.stringMatching(
        /Started container .*Step 1 "Step 1":.*Step 2 "Step 2" succeeded\..*succeeded: Every step/s,
      ),
    });
    expect(stdout + stderr).not.toContain('never run');
    expect(await readdir(directory)).toEqual(
      expect.arrayContaining(['agent.log', 'events.ndjson', 'run.json', 'steps']),
    );
    expect(await readFile(join(directory, 'steps/02-step-2.log'), 'utf8')).toContain(
      '***; ***; https://api.pulumi.com/api\n',
    );
    const result = await readResult(directory);
    expect(result).toMatchObject({
      outcome: 'succeeded',
      exitCode: 0,
      forwarded: ['FORWARDED'],
      image: JOB_IMAGE,
    });
    expect(result?.steps.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded']);
  });

  it('reads standard input, runs only some of the steps, and makes them trust what it trusts', async () => {
    const home = await folder();
    const input = jobOf(['echo one; head -1 "$SSL_CERT_FILE"', 'echo two']);
    const trust = [
      '--ca-certificate',
      await fileWith(rootCertificates[0] ?? '', 'ca.pem'),
      '--ca-certificate-in-jobs',
    ];
    const args = ['debug', 'workflow-runner', '-', '--no-pull-image', '--to', '1', ...trust];
    const { code, stdout } = await run(args, { home, input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'one\n-----BEGIN CERTIFICATE-----\n' });
    // Without a run directory of its own, the record goes where `run` puts it.
    expect(await readdir(join(home, '.local/state/pulumi-runner-agent/runs'))).toHaveLength(1);
  });

  it('interrupts the running step gracefully', async () => {
    const job = jobOf([
      "trap 'echo state saved; exit 4' INT; echo begun; while :; do sleep 0.1; done",
      'echo never',
    ]);
    const { args, directory, label } = await command(job, []);
    const running = await start(args);
    await running.printed('begun\n');
    running.child.kill('SIGINT');
    const { code, stdout, stderr } = await running.ended;
    expect(code).toBe(7);
    expect(stdout).toMatch(/^begun\n\[agent\] Stopping the step: .*SIGINT.*\nstate saved\n/);
    expect(stdout).not.toContain('never');
    expect(stderr).toMatch(/interrupted: Failed to finish step 1/);
    expect((await readResult(directory))?.outcome).toBe('interrupted');
    expectNothingLeft(label);
  });

  it('shows lines while the step runs, and ends it when nobody reads them any more', async () => {
    // A bash without a trap goes on if its sleep ends by itself in the moment of the interrupt.
    const endless = "trap 'exit 130' INT; echo begun; while :; do echo more; sleep 0.1; done";
    const { args, label } = await command(jobOf([endless]), []);
    const running = await start(args);
    await running.printed('begun\n');
    running.child.stdout?.destroy();
    const { code, stderr } = await running.ended;
    expect(code).toBe(7);
    expect(stderr).toContain('nobody reads the output any more');
    expectNothingLeft(label);
  });
});
