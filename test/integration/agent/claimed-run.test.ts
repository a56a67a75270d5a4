import { readdir } from 'node:fs/promises';
import { describe, expect, it, vi } from 'vitest';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { claimed, jobOf, quietHealth } from '../../support/agent/claimed-run.ts';

describe('a job whose steps all succeed', () => {
  it('runs them one after the other in one place, and sends Pulumi Cloud every line', async () => {
    const run = await claimed({
      job: (root: string) => ({
        ...jobOf(
          {
            name: 'Get source',
            run: 'mkdir src; echo out; echo err >&2; echo out2; echo $(pwd)/src > where; printf "no line end"',
          },
          { name: 'pulumi update', run: 'pwd; echo "$FOO $1 $(echo "a b")"', workingDir: `${root}/src` },
        ),
        image: 'registry.example/image:1',
        os: 'linux',
        architecture: 'arm64',
        env: { FOO: 'bar' },
      }),
    });
    const end = await run.serve();
    expect(end).toMatchObject({ outcome: 'succeeded', message: 'Every step of the deployment succeeded.' });
    run.expectOrderlyEnd();
    expect(run.deployment).toMatchObject({ status: 'succeeded', endReason: 'steps', acknowledged: true });
    expect(run.told).toEqual([
      ['Setup', 'running', 'succeeded'],
      ['Get source', 'running', 'succeeded'],
      ['pulumi update', 'running', 'succeeded'],
    ]);
    expect(run.log(0)).toBe('Pulling registry.example/image:1\nContainer started\n');
    expect(run.log(1)).toBe('out\nerr\nout2\nno line end');
    expect(run.log(2)).toBe(`${run.root}/src\nbar  a b\n`);
    expect(run.target.specs[0]).toMatchObject({ platform: 'linux/arm64', pull: true });
    expect(run.notices).toEqual([]);
  });

  it('leaves a record of each step', async () => {
    const run = await claimed({ job: { ...jobOf('echo one; echo two'), image: 'i' } });
    const cloud = { sent: 2, undelivered: 0 };
    expect(await run.serve()).toMatchObject({
      image: 'i',
      imageDigest: 'i@sha256:0',
      steps: [
        { index: 0, name: 'Setup', status: 'succeeded', lines: 2, log: 'steps/00-setup.log', cloud },
        { index: 1, name: 'Step 1', status: 'succeeded', exitCode: 0, lines: 2, bytes: 8, cloud },
      ],
    });
    expect(await run.file('steps/01-step-1.log')).toBe('one\ntwo\n');
    const steps = ['step-started', 'step-finished'];
    expect((await run.events()).map(({ type }) => type)).toEqual([
      'place',
      'job-loaded',
      ...steps,
      ...steps,
      'reported',
    ]);
  });

  it('gets what the claim, the host and the configuration give it', async () => {
    const run = await claimed({
      job: (root: string) => ({
        ...jobOf(
          `cat ${root}/mnt/pulumi/pulumi.oidc > oidc; [ "$(cat oidc)" = "$PULUMI_OIDC_TOKEN" ] && echo same; echo $REGION $PULUMI_SERVICE_URL; env | cut -d= -f1 | sort | tr '\\n' ' '`,
        ),
        env: { REGION: 'eu' },
      }),
      oidcToken: 'eyJ.claim.token',
      environment: { REGION: 'us', OTHER: 'host' },
      config: { env_forward_allowlist: 'REGION', image: 'override:1', pull_image: 'false' },
    });
    const end = await run.serve();
    expect(end).toMatchObject({ outcome: 'succeeded', image: 'override:1', forwarded: ['REGION'] });
    expect(run.log(1)).toMatch(/^same\nus http:\/\/127\.0\.0\.1:\d+\/api\n/);
    expect(run.log(1)).not.toContain('OTHER');
    expect(run.target.specs[0]).toMatchObject({ image: 'override:1', pull: false });
    expect(run.target.specs[0]!.labels).toMatchObject({
      'pulumi-runner.run': run.deployment.runId,
      'pulumi-runner.job': run.deployment.jobId,
    });
  });

  it('says in the log which lines of PULUMI_ENV later steps lack, and never what they say', async () => {
    const run = await claimed({
      job: (root: string) =>
        jobOf(
          `printf '%s\\n' 'export CANARY=b' 'GOOD=1' '# note' "QUOTED='canary'" 'canary' >> ${root}/PULUMI_ENV`,
          `echo "$GOOD<$CANARY>"`,
          `echo OTHER=1 >> ${root}/PULUMI_ENV`,
          'echo "$OTHER"',
        ),
    });
    expect(await run.serve()).toMatchObject({ outcome: 'succeeded' });
    const ignored =
      'is not NAME=VALUE, so later steps lack it. Write each variable on one line, without export. Encode a value of several lines in base64.';
    expect(run.log(1).split('\n')).toEqual([
      'Loading PULUMI_ENV from /PULUMI_ENV',
      `[agent] Line 1 of PULUMI_ENV ${ignored}`,
      '[agent] Line 4 of PULUMI_ENV has a value with quotes, which are part of it. Write the value without them.',
      `[agent] Line 5 of PULUMI_ENV ${ignored}`,
      '',
    ]);
    expect(run.log(2)).toBe('1<>\n');
    expect(run.log(3)).toBe('Loading PULUMI_ENV from /PULUMI_ENV\n');
    expect(run.log(4)).toBe('1\n');
    run.expectOrderlyEnd();
  });

  it('shows no secret anywhere', async () => {
    const run = await claimed({
      job: (root: string) => ({
        ...jobOf(
          'echo "$PASSWORD $KEY"; printf %s "$PULUMI_OIDC_TOKEN" | base64; echo "LATER=s3cret-later" >> $PULUMI_ENV_FILE',
          { name: 'hunter2-marked', run: 'echo $LATER; exit 1' },
        ),
        env: {
          PASSWORD: { secret: 'hunter2-marked' },
          KEY: 'AKIA-4711-unmarked',
          PULUMI_ENV_FILE: `${root}/env`,
        },
        image: { reference: 'i', credentials: { username: 'u', password: 'reg1stry-pass' } },
      }),
      oidcToken: 'eyJ.claim.token',
    });
    await run.serve();
    run.expectOrderlyEnd();
    const left = await Promise.all(
      (await readdir(`${run.directory}/steps`)).map((name) => run.file(`steps/${name}`)),
    );
    const everything = [...left, await run.file('events.ndjson'), run.log(0), run.log(1), run.log(2)].join(
      '\n',
    );
    expect(run.log(1)).toMatch(/^\*\*\* \*\*\*\n\*\*\*\nLoading PULUMI_ENV from \/\S+\/env\n$/);
    expect(run.log(2)).toBe('***\n');
    expect(everything).toContain('"step":"***"');
    const token = Buffer.from('eyJ.claim.token').toString('base64');
    for (const secret of [
      'hunter2-marked',
      'AKIA-4711',
      's3cret-later',
      'reg1stry',
      'eyJ.claim',
      token.slice(0, 12),
    ]) {
      expect(everything).not.toContain(secret);
    }
    expect(run.target.specs[0]!.credentials).toEqual({ username: 'u', password: 'reg1stry-pass' });
  });
});

it('a deployment’s login stays away from the registry of the image that the runner chose instead', async () => {
  const image = { reference: 'registry-1.test/i', credentials: { username: 'u', password: 'reg1stry-pass' } };
  const run = await claimed({ job: { ...jobOf('true'), image }, config: { image: 'registry-2.test/i' } });
  await run.serve();
  run.expectOrderlyEnd();
  expect(run.target.specs).toMatchObject([{ image: 'registry-2.test/i' }]);
  expect(run.target.specs[0]).not.toHaveProperty('credentials');
});

it('a claim’s own token is a secret before anything else is known about the job', async () => {
  const redactor = new Redactor();
  const run = await claimed({ job: { steps: 'none' }, options: { secrets: redactor.scope() } });
  const [token = ''] = run.cloud.issuedTokens.slice(-1);
  expect(redactor.text(token)).toBe(token);
  await run.serve();
  expect(redactor.text(`it is ${token}`)).toBe('it is ***');
});

describe('a job with a step that fails', () => {
  it('runs no later steps, which stay not-started', async () => {
    const run = await claimed({ job: jobOf('echo before; exit 7', 'echo never') });
    const end = await run.serve();
    expect(end).toMatchObject({
      outcome: 'failed',
      message: 'Failed to run step 1 "Step 1" of the deployment: exit code 7. Its log says more.',
      steps: [
        { status: 'succeeded' },
        { status: 'failed', exitCode: 7 },
        { status: 'not-started', lines: 0 },
      ],
    });
    expect(run.told).toEqual([
      ['Setup', 'running', 'succeeded'],
      ['Step 1', 'running', 'failed'],
      ['Step 2'],
    ]);
    expect(run.deployment).toMatchObject({ status: 'failed', endReason: 'steps' });
    run.expectOrderlyEnd();
  });

  it('ends with the first error that its program printed, redacted, as the step’s own words', async () => {
    const print = `printf 'Diagnostics:\\n  a:b:C (d):\\n    error: no bucket %s ::error::x\\n' "$TOKEN"; exit 255`;
    const job = { ...jobOf(print), env: { TOKEN: { secret: 'hunter2-hunter2' } } };
    const run = await claimed({ job });
    const error = 'no bucket *** ::error::x';
    const message = `Failed to run step 1 "Step 1" of the deployment, in the step's own words: "${error}".`;
    expect(await run.serve()).toMatchObject({
      outcome: 'failed',
      message,
      steps: [{}, { exitCode: 255, error }],
    });
    run.expectOrderlyEnd();
  });

  it('at its own time limit interrupts that step gracefully', async () => {
    const run = await claimed({
      job: jobOf(
        {
          run: "trap 'echo state saved; exit 3' INT; echo ready; while :; do sleep 0.02; done",
          timeout: '2s',
        },
        'echo never',
      ),
    });
    const end = await run.serve();
    expect(end.message).toBe(
      'Failed to run step 1 "Step 1" of the deployment: timed out after 2s. Its log says more.',
    );
    expect(end).toMatchObject({
      outcome: 'failed',
      steps: [{}, { exitCode: 3, reason: 'timed out after 2s', failure: 'timeout' }, {}],
    });
    expect(run.log(1)).toBe(
      'ready\n[agent] Stopping the step: timed out after 2s. Sending SIGINT.\nstate saved\n[agent] The step failed: timed out after 2s.\n',
    );
    run.expectOrderlyEnd();
  });

  it('because it can’t be started says why, and tells Pulumi Cloud that it failed', async () => {
    const run = await claimed({ job: { ...jobOf('echo'), shell: 'nosuchshell' } });
    const { outcome, message } = await run.serve();
    expect(outcome).toBe('failed');
    expect(message).toMatch(/^Failed to run step 1 "Step 1" of the deployment: .*ENOENT/);
    expect(run.told.at(-1)).toEqual(['Step 1', 'running', 'failed']);
    run.expectOrderlyEnd();
  });

  it('because its environment file can’t be read does not run later steps without it', async () => {
    const run = await claimed({
      job: (root: string) => jobOf(`head -c 1100000 /dev/zero > ${root}/PULUMI_ENV`, 'echo never'),
    });
    expect(await run.serve()).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining(
        'step 1 "Step 1" of the deployment: the environment file is over 1 MiB',
      ),
      steps: [{}, { status: 'failed', exitCode: 0 }, { status: 'not-started' }],
    });
    expect(run.log(1)).toContain('[agent] The step failed: the environment file is over 1 MiB.\n');
    run.expectOrderlyEnd();
  });

  it('because the steps’ variables have become too much to hide says so, and hides those before', async () => {
    // Each three take three quarters of what there is.
    const three = (root: string, names: string) =>
      `for n in ${names}; do echo "$n=$(head -c 45000 /dev/urandom | base64 -w0)" >> ${root}/PULUMI_ENV; done`;
    const run = await claimed({
      job: (root: string) =>
        jobOf(three(root, 'A B C'), `echo "<$B>"; ${three(root, 'D E F')}`, 'echo never'),
    });
    expect(await run.serve()).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('step 2 "Step 2" of the deployment: Failed to hide the environment'),
      steps: [{}, { status: 'succeeded' }, { status: 'failed', exitCode: 0 }, { status: 'not-started' }],
    });
    expect(run.log(2)).toMatch(/^<\*\*\*>\n\[agent\] The step failed: Failed to hide .* them in files\.\n$/);
    run.expectOrderlyEnd();
  });

  it('because its container went away says so', async () => {
    const run = await claimed({ job: jobOf('echo ready; sleep 60') });
    const end = run.serve();
    await run.printed('ready');
    run.target.containers[0]!.vanish();
    expect(await end).toMatchObject({ outcome: 'failed', steps: [{}, { status: 'failed', lines: 2 }] });
    expect((await end).message).toContain('The container went away while the step ran');
    run.expectOrderlyEnd();
  });
});

it('a job is healthy as long as Pulumi Cloud answers its checks for a cancellation, even between heartbeats', async () => {
  const health = quietHealth();
  const active = vi.spyOn(health, 'active');
  const run = await claimed({
    job: jobOf('echo ready; sleep 60'),
    config: { job_status_loop_interval: '50ms' },
    options: { health },
  });
  const end = run.serve();
  await run.printed('ready');
  const before = active.mock.calls.length;
  await vi.waitFor(() => expect(active.mock.calls.length).toBeGreaterThan(before + 3), 15_000);
  run.interrupt();
  await end;
});
