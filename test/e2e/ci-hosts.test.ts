import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { AZURE_AUDIENCE } from '../emulators/azure/id-tokens.ts';
import { findByEnvironment } from '../emulators/github/process-tree.ts';
import { Authority } from '../integration/network/authority.ts';
import { AUDIENCE, signedIdToken, trust } from '../support/cloud/id-token.ts';
import { type CiCommand, CiJob } from '../support/e2e/ci-job.ts';
import { agentIn, ENGINE, enqueue, logOf, POOL, useStage } from '../support/e2e/stage.ts';
import { formatsOf, readAzureConsole } from '../support/hosts/azure-console.ts';
import { idTokenRequests } from '../support/hosts/azure-id-tokens.ts';
import { gitlabLog } from '../support/hosts/gitlab-log.ts';
import { temporaryDirectory } from '../support/run/temporary-directory.ts';

const stage = useStage();
/** Of an Azure DevOps Server in the company's network. */
const authority = new Authority();
afterAll(() => authority.remove());
const COOKIE = { JENKINS_SERVER_COOKIE: `durable-${process.pid}` };

/** A CI system as its runner starts a step, cancels it and starts the last one, by the sources that docs/ci.md names. */
interface Emulated {
  readonly environment: (job: { checkout: string; temporary: string }) => Promise<Record<string, string>>;
  readonly flags?: readonly string[];
  /** Cancels the job while its step runs; `agent` is the agent's process ID. */
  readonly cancel: (main: CiCommand, agent: number) => Promise<void>;
  /** Milliseconds until a cancelled main must be over. */
  readonly leavesWithin: number;
  /** The variables that `finish` gets besides, where the system has a last step. */
  readonly finish?: Readonly<Record<string, string>>;
  /** Expects that the console has no command and no header of the step's. */
  readonly expectHarmless: (console: string) => void;
}

const send = async ({ child }: CiCommand, signal: NodeJS.Signals) => void child.kill(signal);
const idToken = () => signedIdToken(stage.github.issuer, { sub: 'repo:acme/infrastructure:x' });

const gitlab = async ({ checkout, temporary }: { checkout: string; temporary: string }) => ({
  GITLAB_CI: 'true',
  CI_JOB_ID: '4711',
  CI_PROJECT_DIR: checkout,
  CI_JOB_TOKEN: 'glcbt-canary',
  RUNNER_TEMP_PROJECT_DIR: temporary,
  PULUMI_ID_TOKEN: await idToken(),
});
const noSection = (console: string) => {
  const sections = gitlabLog(console).map(({ section }) => section ?? '');
  expect(sections).not.toContain('evil');
  expect(sections.filter((name) => /^pulumi.runner/.test(name)).length).toBeGreaterThan(1);
};

const HOSTS: Readonly<Record<string, Emulated>> = {
  'GitLab CI in a shell': {
    environment: async (job) => ({ ...(await gitlab(job)), CI_SHARED_ENVIRONMENT: 'true' }),
    cancel: (main) => send(main, 'SIGTERM'),
    leavesWithin: 285_000,
    finish: { CI_JOB_STATUS: 'canceled' },
    expectHarmless: noSection,
  },
  'GitLab CI in Docker': {
    environment: async (job) => ({ ...(await gitlab(job)), CI_DISPOSABLE_ENVIRONMENT: 'true' }),
    cancel: async (main, agent) => {
      // In falling order of the process IDs. A busy agent reads this signal and main's SIGINT at once.
      process.kill(agent, 'SIGSTOP');
      process.kill(agent, 'SIGTERM');
      await send(main, 'SIGTERM');
      await main.shows(/asked the agent to stop/);
      process.kill(agent, 'SIGCONT');
    },
    leavesWithin: 12_000,
    expectHarmless: noSection,
  },
  'GitLab CI in Kubernetes': {
    environment: async (job) => ({
      ...(await gitlab(job)),
      CI_DISPOSABLE_ENVIRONMENT: 'true',
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
    }),
    cancel: (main) => send(main, 'SIGTERM'),
    leavesWithin: 285_000,
    finish: { CI_JOB_STATUS: 'canceled' },
    expectHarmless: noSection,
  },
  'Azure Pipelines': {
    environment: async ({ temporary }) => ({
      TF_BUILD: 'True',
      SYSTEM_JOBID: '12f1170f-54f2-53f3-20dd-22fc7dff55f9',
      SYSTEM_JOBATTEMPT: '1',
      SYSTEM_TEAMPROJECT: 'network',
      BUILD_BUILDID: '9',
      AGENT_TEMPDIRECTORY: temporary,
      ...(await idTokenRequests(
        (aud) => signedIdToken(stage.github.issuer, { aud, sub: 'sc://acme' }),
        authority,
      )),
    }),
    flags: ['--ca-certificate', authority.path],
    cancel: (main) => send(main, 'SIGINT'),
    leavesWithin: 7_500,
    finish: { AGENT_JOBSTATUS: 'Canceled' },
    expectHarmless: (console) => {
      const { commands, lines } = readAzureConsole(console);
      expect(commands.map(({ name }) => name)).not.toContain('task.complete');
      expect(lines.flatMap(formatsOf)).not.toContain('section');
    },
  },
  Jenkins: {
    environment: async () => ({
      JENKINS_URL: 'https://jenkins.example.com/',
      BUILD_TAG: 'jenkins-network-9',
      BUILD_NUMBER: '9',
      JOB_NAME: 'network',
      JENKINS_NODE_COOKIE: 'node',
      ...COOKIE,
      MY_ID_TOKEN: await idToken(),
    }),
    flags: ['--identity-token-env', 'MY_ID_TOKEN'],
    cancel: async () => {
      const found = await findByEnvironment('JENKINS_SERVER_COOKIE', COOKIE.JENKINS_SERVER_COOKIE);
      for (const { pid } of found) process.kill(pid, 'SIGTERM');
    },
    leavesWithin: 5_000,
    finish: {},
    expectHarmless: (console) => expect(console).not.toContain('\u001b'),
  },
};

const HOSTILE = String.raw`printf 'section_start:1:evil\r\033[0K\n##vso[task.complete result=Failed;]\n##[section]x\n\033[2Jdone\n'`;

describe.each(Object.entries(HOSTS))('ci under %s', (_, host) => {
  /** A job that has made its folders, and a function that runs `ci` in it. */
  async function newJob() {
    const policyFor = (aud: string) =>
      ({ decision: 'allow', tokenType: 'runner', runnerID: POOL.id, rules: { aud, sub: '*' } }) as const;
    trust(stage.cloud, stage.github.issuer, policyFor(AUDIENCE), policyFor(AZURE_AUDIENCE));
    const directory = await temporaryDirectory();
    const places = { checkout: join(directory, 'checkout'), temporary: join(directory, 'tmp') };
    const settings = {
      PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
      PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
      PULUMI_AGENT_RUNNER_POOL_ID: POOL.id,
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_JOB_STATUS_LOOP_INTERVAL: '1s',
      PULUMI_AGENT_POLLING_INTERVAL: '1s',
    };
    const environment = { ...(await host.environment(places)), ...settings };
    const options = { directory, environment, label: stage.label };
    const job = await CiJob.open(options);
    const start = (maxWait: string, ...more: string[]) =>
      job.start('ci', '--max-wait', maxWait, ...(host.flags ?? []), ...more);
    const finish = async () =>
      await (await CiJob.open({ ...options, environment: { ...environment, ...host.finish } })).run('finish');
    return { job, start, finish };
  }

  /** Azure's agent reads the summary after the step. */
  const left = (job: CiJob) => job.leftovers().filter((name) => !name.endsWith('.md'));

  it('signs in with the job’s identity, runs one deployment, and shows hostile output as text', async () => {
    const deployment = enqueue(stage, { 'pulumi update': `${HOSTILE}; env` });
    const { job, start, finish } = await newJob();
    const { code, console } = await start('20s').ended;
    expect(code, console).toBe(0);
    expect(console).toContain("Signed in to Pulumi Cloud with this job's ID token.");
    host.expectHarmless(console);
    expect(deployment.status).toBe('succeeded');
    expect(logOf(deployment, 1)).not.toMatch(/canary|PULUMI_ID_TOKEN|MY_ID_TOKEN|ACCESSTOKEN/);
    expect(job.result()).toMatchObject({ outcome: 'succeeded' });
    expect(left(job)).toEqual([]);
    expect(await finish()).toMatchObject({ code: 0, console: 'There is nothing to finish.\n' });
  });

  it('ends with the outcome’s exit code after a failed step, and with 75 without work', async () => {
    enqueue(stage, { 'pulumi update': 'exit 3' });
    const { job, start } = await newJob();
    expect(await start('20s').ended).toMatchObject({ code: 1 });
    expect(job.result()).toMatchObject({ outcome: 'failed' });
    expect(await start('0s', '--on-no-work', 'fail').ended).toMatchObject({ code: 75 });
    expect(left(job)).toEqual([]);
  });

  it('interrupts the step of a cancelled job, which ends gracefully, and publishes the run', async () => {
    // Without its own second, as GitLab's container has 12 for all.
    const deployment = enqueue(stage, { 'pulumi update': ENGINE.replace('sleep 1;', '') });
    const { job, start, finish } = await newJob();
    const main = start('20s');
    await main.shows(/^ *updating$/);
    const agent = agentIn(job.record('events.ndjson'));
    const began = performance.now();
    await host.cancel(main, agent);
    const early = host.finish && finish();
    const { code, console } = await main.ended;
    expect(code, console).toBe(7);
    expect(performance.now() - began).toBeLessThan(host.leavesWithin);
    expect((await early)?.code ?? 0).toBe(0);
    expect(job.result()).toMatchObject({ outcome: 'interrupted', exitCode: 7 });
    expect(logOf(deployment, 1)).toContain('state written, lock freed');
    expect(left(job)).toEqual([]);
  });
});
