import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { Stack, StackUpdate } from '../../emulators/pulumi-cloud/stacks.ts';
import { type AgentProcess, startAgent } from './agent-process.ts';
import { until } from './moments.ts';
import { definition, logOf, POOL, type Stage, statuses } from './stage.ts';

export const PULUMI_IMAGE = 'pulumi-runner-test/pulumi:1';
/** Where the volume is mounted, which outlives a job's container. */
export const WORK = '/work';
/** The settings of an agent whose jobs reach the emulated Pulumi Cloud at Docker's bridge. */
export const REACHABLE = { PULUMI_AGENT_ALLOW_INSECURE_SERVICE_URL: 'true' };
/** The provider's message once the first resource is made and the second is worked on. */
const AT_WORK = 'at work';
/** Time from the agent's start until then. */
const AT_WORK_SECONDS = 90;
/** A soft time limit, counted from the job's start, that finds the update at work. */
export const SOFT_TIMEOUT = { PULUMI_AGENT_SOFT_TIMEOUT: `${AT_WORK_SECONDS}s` };
const NAME = { project: 'network', stack: 'prod' };
const FULL_NAME = `acme/${NAME.project}/${NAME.stack}`;

/** A program of two resources, of which the second takes `seconds` and can ignore a Cancel. */
const program = (seconds: number, deaf: boolean) => `name: ${NAME.project}
runtime: yaml
plugins:
  providers:
    - name: tempo
      path: /usr/local/bin
resources:
  first:
    type: tempo:Work
  slow:
    type: tempo:Work
    properties:
      seconds: ${seconds}
      says: ${AT_WORK}
      deaf: ${deaf}
    options:
      dependsOn: ["\${first}"]
outputs:
  token: \${first.token}
`;

/** Makes the stack, and returns it: its state, its lock and its updates stay current. */
export function makeStack({ cloud }: Stage): Stack {
  return cloud.stacks.create(NAME);
}

/** A job that runs these commands in the program's folder. The agent's PULUMI_API leads them to the emulated Pulumi Cloud. */
export function pulumiJob(
  { cloud }: Stage,
  commands: Readonly<Record<string, string>>,
  { seconds = 0, deaf = false }: { seconds?: number; deaf?: boolean } = {},
): object {
  const inFolder = (command: string) => `mkdir -p /tmp/program; cd /tmp/program
cat > Pulumi.yaml <<'END'
${program(seconds, deaf)}END
${command}`;
  const steps = Object.entries(commands).map(([name, command]) => [name, inFolder(command)]);
  return definition(Object.fromEntries(steps), {
    image: { reference: PULUMI_IMAGE },
    env: {
      PULUMI_ACCESS_TOKEN: { isSecret: true, value: cloud.userToken },
      PULUMI_SKIP_UPDATE_CHECK: 'true',
      TEMPO_JOURNAL: `${WORK}/journal`,
    },
  });
}

/** A command of Pulumi's CLI as Pulumi Deployments runs it. */
export const pulumi = (command: string): string =>
  `pulumi ${command} --yes --skip-preview --stack ${FULL_NAME}`;

/**
 * Runs all of the CLI's operations in one job, whose update takes `seconds` more, and returns the job's deployment.
 * Expects that each succeeded, and that they left the stack empty and free.
 */
export async function runEveryOperation(
  stage: Stage,
  settings: Readonly<Record<string, string>>,
  seconds = 0,
): Promise<Deployment> {
  const stack = makeStack(stage);
  const steps = {
    'pulumi preview': `pulumi preview --stack ${FULL_NAME}`,
    'pulumi update': pulumi('up'),
    'pulumi refresh': pulumi('refresh'),
    outputs: `pulumi stack output --stack ${FULL_NAME}`,
    'pulumi destroy': pulumi('destroy'),
  };
  const deployment = stage.enqueue(pulumiJob(stage, steps, { seconds }));
  await byCommand(stage, settings, async ({ ended }) => {
    const { code, stderr } = await ended;
    expect(code, stderr + deployment.steps.map((_, index) => logOf(deployment, index)).join('')).toBe(0);
  });
  expect(statuses(deployment)).toEqual(Array(6).fill(['running', 'succeeded']));
  expect(stack.updates.map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'preview succeeded',
    'update succeeded',
    'refresh succeeded',
    'destroy succeeded',
  ]);
  // All but the preview took the stack's lock.
  expect(stack.version).toBe(3);
  expect(stack.active).toBeUndefined();
  expect(resourcesOf(stack)).toEqual([]);
  return deployment;
}

/** The names of the resources in a stack's state, without the stack itself and its providers. */
export function resourcesOf({ state }: Stack): string[] {
  return (state.deployment.resources ?? []).flatMap((resource) => {
    const { urn = '', type = '' } = resource as { urn?: string; type?: string };
    return type === 'tempo:index:Work' ? [urn.split('::').at(-1) ?? ''] : [];
  });
}

/** The operations that an update began and never saw end, from the stack's state. */
export function pendingOf({ state }: Stack): unknown[] {
  const { pending_operations: pending = [] } = state.deployment as {
    pending_operations?: { type: unknown }[];
  };
  return pending.map(({ type }) => type);
}

/** The CLI's messages about signals during an update, from the events that it sent. */
export function signalsOf(update: StackUpdate | undefined): string[] {
  return JSON.stringify(update?.events).match(/(?:\^C|SIGTERM) received; \w+/g) ?? [];
}

/** The calls and signals of the provider that worked on `slow` first, in order, from the journal. */
export function journalOf(text: string): string[] {
  const lines = text.split('\n').flatMap((line) => {
    const [, pid = '', what = ''] = /^(\d+) (.+)$/.exec(line) ?? [];
    return what === '' ? [] : [{ pid, what }];
  });
  const worker = lines.find(({ what }) => what === 'begin slow')?.pid;
  return lines.filter(({ pid }) => pid === worker).map(({ what }) => what);
}

/** Resolves once the deployment's step 1 is at work. Throws if the deployment ends before. */
export function untilAtWork(deployment: Deployment): Promise<void> {
  return until(() => {
    if (deployment.endReason !== undefined) throw new Error(`it ended early: ${logOf(deployment, 1)}`);
    return logOf(deployment, 1).includes(AT_WORK);
  }, AT_WORK_SECONDS * 1_000);
}

/** An agent's settings for jobs in Docker that share a volume. */
export const inDocker = (volume: string) => ({
  // The cache volume belongs to this organization and pool.
  PULUMI_AGENT_ORGANIZATION_NAME: 'acme',
  PULUMI_AGENT_RUNNER_POOL_ID: POOL.id,
  PULUMI_AGENT_CACHE_VOLUME: `${volume}=${WORK}`,
});

/** Starts the agent for one job with these settings, and kills it after `play`, which gets its run directory too. */
export async function byCommand(
  stage: Stage,
  settings: Readonly<Record<string, string>>,
  play: (agent: AgentProcess, runDirectory: string) => Promise<void>,
): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'pulumi-cli-'));
  const runDirectory = join(home, 'run');
  const agent = startAgent({
    home,
    arguments: ['--single-run', '--label', stage.label],
    environment: {
      ...REACHABLE,
      PULUMI_AGENT_TOKEN: stage.cloud.createStaticToken(POOL.id),
      PULUMI_AGENT_SERVICE_URL: stage.cloud.url,
      PULUMI_AGENT_PULL_IMAGE: 'false',
      PULUMI_AGENT_HTTP_SERVER_PORT: '0',
      PULUMI_AGENT_RUN_DIRECTORY: runDirectory,
      ...settings,
    },
  });
  try {
    await play(agent, runDirectory);
  } finally {
    agent.child.kill('SIGKILL');
    await agent.ended;
    await rm(home, { recursive: true, force: true });
  }
}
