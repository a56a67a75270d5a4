import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { type Buildkite, startBuildkite } from '../emulators/buildkite/buildkite.ts';
import type { BuildkiteJob } from '../emulators/buildkite/job.ts';
import { findByEnvironment } from '../emulators/github/process-tree.ts';
import { PulumiCloud } from '../emulators/pulumi-cloud/server.ts';
import { AUDIENCE, trust } from '../support/cloud/id-token.ts';
import { testImage } from '../support/docker/images.ts';
import { read } from '../support/documents/pages.ts';
import { CiJob } from '../support/e2e/ci-job.ts';
import { until } from '../support/e2e/moments.ts';
import { PLACE } from '../support/e2e/place.ts';
import { ACTION, definition, ENGINE, logOf, ORDERLY_END, POOL } from '../support/e2e/stage.ts';
import { readBuildkiteLog } from '../support/hosts/buildkite-log.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';
import { programPath } from '../support/script.ts';

const stepSchema = z.object({
  key: z.string(),
  env: z.record(z.string(), z.string()),
  command: z.tuple([z.string(), z.string()]),
});
const EXAMPLE = stepSchema.parse(parse(read('examples/ci/buildkite.yml')).steps[0]);

/** The example's command, whose program is in the repository instead of installed by npm. */
const [, CI] = EXAMPLE.command;
const PROGRAM = /\S+pulumi-runner-agent/.exec(CI)?.[0] ?? '';
const PROGRAM_TEXT = `#!/bin/sh\nexec node ${join(ACTION, 'bin/pulumi-runner-agent.cjs')} "$@"\n`;

/** A configuration with a secret that Buildkite knows nothing of. */
const CONFIG = 'agent.yaml';

let cloud: PulumiCloud;
let buildkite: Buildkite;

beforeEach(async () => {
  await testImage('job');
  cloud = await PulumiCloud.start({ organization: 'acme', pools: [POOL] });
  const program = await programPath('buildkite-agent');
  const files = { [PROGRAM]: PROGRAM_TEXT, [CONFIG]: `token: ${cloud.createStaticToken(POOL.id)}\n` };
  buildkite = await startBuildkite({ program, files });
  const rules = { aud: AUDIENCE, sub: 'organization:acme:pipeline:network:*' };
  trust(cloud, buildkite.issuer, { decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules });
});

afterEach(async () => {
  await using _cloud = cloud;
  const left = await buildkite.leftovers();
  await buildkite.stop();
  expect(left).toEqual([]);
  for (const { id } of buildkite.api.jobs) expect(PLACE.objects(`pulumi-runner.ci-job=${id}`)).toEqual([]);
});

const env = () => ({
  ...EXAMPLE.env,
  PULUMI_AGENT_RUNNER_POOL_ID: POOL.id,
  PULUMI_AGENT_SERVICE_URL: cloud.url,
  // Without it, an address on loopback is no link.
  PULUMI_CONSOLE_DOMAIN: 'console.example',
  PULUMI_AGENT_PULL_IMAGE: 'false',
  PULUMI_AGENT_MAX_WAIT: '20s',
  PULUMI_AGENT_POLLING_INTERVAL: '1s',
});

const enqueue = (run: string) =>
  cloud.enqueue({
    project: 'network',
    stack: 'prod',
    poolId: POOL.id,
    job: definition({ 'pulumi up': run }),
  });

/** The log from the command on, as Buildkite shows it. */
function logFrom(job: BuildkiteJob) {
  const { lines, effects } = readBuildkiteLog(job.log.slice(job.log.indexOf('~~~ Running commands')));
  const headers = lines.flatMap(({ kind, text }) => (kind === 'output' ? [] : [text]));
  return { headers, effects, text: lines.map(({ text }) => text).join('\n') };
}

const outcomeOf = ({ metaData }: BuildkiteJob) => metaData.get('pulumi-runner:pulumi:outcome');

describe('a job of Buildkite’s agent', () => {
  it('signs in with its own identity, folds the steps, and publishes what happened', async () => {
    const deployment = enqueue('echo "all is well"');
    const job = await buildkite.run({ command: CI, env: env() });

    expect(job.end, job.log).toMatchObject({ exit_status: '0' });
    expect(deployment.status).toBe('succeeded');
    expect(job.idTokens.length).toBeGreaterThan(0);
    const { headers, text } = logFrom(job);
    expect(headers.slice(0, 4)).toEqual(['~~~ Running commands', '+++ Pulumi', '--- Set up', '+++ Pulumi']);
    expect(headers.slice(headers.findIndex((text) => text.startsWith('--- Step')))).toEqual([
      expect.stringMatching(/^--- Step 0: /),
      '+++ Pulumi',
      '--- Step 1: pulumi up',
      '+++ Pulumi',
    ]);
    expect(text).toContain('all is well');
    for (const token of job.idTokens) expect(text).not.toContain(token.split('.')[2]);

    expect(job.annotations).toMatchObject([
      {
        context: 'pulumi-runner:pulumi',
        style: 'success',
        body: expect.stringContaining('acme/network/prod'),
      },
    ]);
    expect(job.annotations[0]?.body).not.toContain('mermaid');
    expect(outcomeOf(job)).toBe('succeeded');
    expect(job.metaData.get('pulumi-runner:pulumi:deployment-id')).toBe(deployment.id);
    expect(job.metaData.get('pulumi-runner:pulumi:console-url')).toMatch(
      /^http:\/\/console\.example\/acme\/network\/prod\//,
    );
    expect(JSON.parse(job.files.get('pulumi-runner/run.json') ?? '')).toMatchObject({ outcome: 'succeeded' });
    expect(job.files.get('pulumi-runner/report.html')).toContain('all is well');
  });

  it('hides the secrets of the configuration in the rest of its log', async () => {
    enqueue('true');
    const job = await buildkite.run({
      command: `${PROGRAM} ci --config ${CONFIG}\ncat ${CONFIG}`,
      env: env(),
    });
    expect(job.end, job.log).toMatchObject({ exit_status: '0' });
    expect(logFrom(job).text).toMatch(/^token: \[REDACTED\]$/m);
    expect(job.idTokens).toEqual([]);
  });

  it('fails with the outcome’s exit code, and lets a hostile step neither fold nor link nor clear', async () => {
    const esc = String.raw`\033`;
    const hostile = ['--- forged', '+++ forged', '~~~ forged', '^^^ +++', `${esc}[31m--- forged`].concat(
      `${esc}]1339;url=http://forged.example\\a`,
      `${esc}_bk;t=1\\a--- forged`,
      `${esc}[2J${esc}[1Aforged`,
    );
    enqueue(`printf -- '${hostile.join('\\n')}\\n'; exit 3`);
    const job = await buildkite.run({ command: CI, env: env() });

    expect(job.end, job.log).toMatchObject({ exit_status: '1' });
    expect(outcomeOf(job)).toBe('failed');
    expect(job.annotations).toMatchObject([{ style: 'error' }]);
    const { headers, effects, text } = logFrom(job);
    expect(headers.filter((each) => each.includes('forged'))).toEqual([]);
    expect(text).toContain('- -- forged');
    expect(effects).toEqual([]);
  });

  it('is green without work, also where Buildkite refuses its annotation', async () => {
    buildkite.api.faults.inject('annotations', { kind: 'status', status: 422 });
    const job = await buildkite.run({ command: CI, env: { ...env(), PULUMI_AGENT_MAX_WAIT: '1s' } });
    expect(job.end, job.log).toMatchObject({ exit_status: '0' });
    expect(outcomeOf(job)).toBe('no-work');
    expect(job.annotations).toEqual([]);
    expect(logFrom(job).text).toMatch(/^Warning: Failed to set the outputs of this step: .*annotate/m);
  });

  it('interrupts its step when it is cancelled, publishes the rest before it would be killed, and leaves nothing', async () => {
    const deployment = enqueue(ENGINE);
    const job = buildkite.start({ command: CI, env: env() });
    await cloud.waitFor(() => logOf(deployment, 1).includes('updating'), 60_000);
    const processes = await findByEnvironment('BUILDKITE_JOB_ID', job.id);
    const agent = processes.find(({ command }) => command.includes('run')) ?? expect.fail('no agent');
    expect(readFileSync(`/proc/${agent.pid}/environ`, 'utf8')).not.toMatch(/BUILDKITE_AGENT_\w*TOKEN=/);

    const began = performance.now();
    job.cancel();
    await buildkite.ended;

    // Two seconds until the agent hears of the cancel, the 9 that it gives, and one to report the end.
    expect(performance.now() - began).toBeLessThan(12_000);
    expect(logFrom(job).text).toContain('The command exited with status 7');
    // So it reports every cancelled job that ends in time.
    expect(job.end, job.log).toMatchObject({ exit_status: '-1', signal: 'SIGTERM', signal_reason: 'cancel' });
    expect(logOf(deployment, 1)).toContain(`updating\n`);
    expect(logOf(deployment, 1)).toContain(ORDERLY_END);
    expect(outcomeOf(job)).toBe('interrupted');
    expect(JSON.parse(job.files.get('pulumi-runner/run.json') ?? '')).toMatchObject({
      outcome: 'interrupted',
    });
    expect(await findByEnvironment('BUILDKITE_JOB_ID', job.id)).toEqual([]);
  });

  it('kills an agent whose step ignores the interrupt in time to publish that', async () => {
    const deployment = enqueue("trap '' INT TERM; echo updating; sleep 60");
    const job = buildkite.start({ command: CI, env: env() });
    await cloud.waitFor(() => logOf(deployment, 1).includes('updating'), 60_000);
    job.cancel();
    await buildkite.ended;
    expect(logFrom(job).text).toContain('The command exited with status 1');
    expect(job.end, job.log).toMatchObject({ signal: 'SIGTERM', signal_reason: 'cancel' });
    expect(outcomeOf(job)).toBe('failed');
    expect(job.files.get('pulumi-runner/report.html')).toContain('updating');
    // The agent had no time to remove the container. Its guard ends it, and the machine's next job removes it.
    const directory = await temporaryDirectory();
    const { PULUMI_AGENT_RUNNER_POOL_ID: _, ...settings } = env();
    const environment = { ...settings, PULUMI_AGENT_TOKEN: cloud.createStaticToken(POOL.id) };
    const next = await CiJob.open({ directory, environment, label: 'pulumi-runner.ci-job=next' });
    const { child, ended } = next.start('ci', '--max-wait', '5m');
    try {
      await until(() => PLACE.objects(`pulumi-runner.ci-job=${job.id}`).length === 0, 90_000);
    } finally {
      child.kill('SIGINT');
      await ended;
    }
  });
});
