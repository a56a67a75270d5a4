import { type DeploymentRecord, type DeploymentStatus, type Pool, SHARED } from './deployment.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import { changesOf, type Stack, type StackName } from './stacks.ts';

/*
 * What users and organizations are shown, in Pulumi's own types (test/support/pulumi-types).
 */

const requestedBy = { name: 'Ada', githubLogin: 'ada', avatarUrl: 'https://avatars.example/ada' };

/** An ID made from another, as the service has for parts of a deployment. */
const idOf = (part: string, id: string) => `${part}-${id}`;
const rfc3339 = (ms: number) => new Date(ms).toISOString();
/** Seconds since the epoch. */
const epoch = (ms: number) => Math.floor(ms / 1000);

function common(deployment: DeploymentRecord) {
  const { id, status, version, createdAt, endedAt, operation, claimedAt } = deployment;
  const steps = deployment.steps.map(({ name, status, statusHistory }) => {
    const [started, lastUpdated] = [statusHistory[0], statusHistory.at(-1)];
    return {
      name,
      status,
      ...(started !== undefined && { started: rfc3339(started.at) }),
      ...(lastUpdated !== undefined && { lastUpdated: rfc3339(lastUpdated.at) }),
    };
  });
  return {
    id,
    status,
    version,
    created: rfc3339(createdAt),
    modified: rfc3339(endedAt ?? claimedAt ?? createdAt),
    requestedBy,
    pulumiOperation: operation,
    jobs: claimedAt === undefined ? [] : [{ status, steps }],
  };
}

/** `GetDeploymentResponse`. */
export function deploymentView(deployment: DeploymentRecord, queue: DeploymentQueue): object {
  return { ...common(deployment), latestVersion: queue.ofStack(deployment).length };
}

/** `ListDeploymentSnapshot`. */
export function listedView(deployment: DeploymentRecord, queue: DeploymentQueue): object {
  const { pool, project, stack } = deployment;
  return {
    ...common(deployment),
    projectName: project,
    stackName: stack,
    ...(queue.stack(deployment)?.paused === true && { paused: true }),
    updates: updatesOf(deployment, queue).map(({ info, updateID, version }) => {
      const { startTime, endTime, result, kind, message, environment } = info;
      const id = idOf('nested', updateID);
      return { id, updateID, version, startTime, endTime, result, kind, message, environment };
    }),
    ...(pool !== SHARED && { agentPool: { id: pool.id, name: pool.name } }),
  };
}

const RESULTS: Readonly<Record<string, string>> = {
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'failed',
};

/** The kinds of the Pulumi updates that an operation makes, oldest first. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  update: ['Pupdate', 'update'],
  preview: ['Pupdate'],
  refresh: ['refresh'],
  destroy: ['destroy'],
  'detect-drift': ['Prefresh'],
  'remediate-drift': ['update'],
};

/**
 * `UpdateInfo` of each update that a deployment makes, the newest first: those of the CLI. A job of a defined stack that
 * runs none has made-up ones, once step 1 has begun.
 */
export function updatesOf(deployment: DeploymentRecord, queue: DeploymentQueue) {
  const { id, operation, version, endedAt, status } = deployment;
  const common = { version, latestVersion: queue.ofStack(deployment).length, requestedBy };
  const real = queue.updatesOf(deployment);
  const definition = queue.stack(deployment);
  if (real.length > 0 || definition === undefined)
    return real.toReversed().map((update) => ({
      info: {
        kind: update.dryRun ? `P${update.kind === 'preview' ? 'update' : update.kind}` : update.kind,
        startTime: epoch(update.startedAt),
        endTime: update.endedAt === undefined ? 0 : epoch(update.endedAt),
        message: update.message,
        environment: {},
        config: {},
        result: RESULTS[update.status] ?? 'in-progress',
        version,
        resourceChanges: changesOf(update),
      },
      updateID: update.id,
      ...common,
    }));
  const begun = deployment.steps[1]?.statusHistory[0];
  if (begun === undefined) return [];
  const { changes = {} } = definition;
  const result = RESULTS[status] ?? 'in-progress';
  const startTime = epoch(begun.at);
  return (KINDS[operation] ?? []).toReversed().map((kind) => ({
    info: {
      kind,
      startTime,
      endTime: endedAt === undefined ? 0 : epoch(endedAt),
      message: '',
      environment: {},
      config: {},
      result,
      version,
      resourceChanges: changes,
    },
    updateID: idOf(`update-${kind}`, id),
    ...common,
  }));
}

/** `DriftRun` of each of the stack's drift detections that have ended, the newest first: as the CLI saw it in its job, or as defined. */
export function driftRuns(stack: Stack, queue: DeploymentQueue): object[] {
  const { changes, drifts = false } = stack.definition ?? {};
  const runs = queue.ofStack(stack).filter(({ operation, ended }) => operation === 'detect-drift' && ended);
  return runs.toReversed().map((run) => {
    const { id, version, status, createdAt, endedAt = createdAt } = run;
    const [refresh] = queue.updatesOf(run);
    const found = refresh === undefined ? changes : changesOf(refresh);
    const differ = Object.keys(found ?? {}).some((kind) => kind !== 'same');
    return {
      id: idOf('run', id),
      driftDetected: status === 'succeeded' && (refresh === undefined ? drifts : differ),
      created: rfc3339(createdAt),
      status,
      deploymentId: id,
      deploymentVersion: version,
      detectUpdate: {
        updateId: refresh?.id ?? idOf('update-Prefresh', id),
        ...(found !== undefined && { resourceChanges: found }),
        modified: rfc3339(endedAt),
        status,
      },
    };
  });
}

/** `StackDriftStatus`, as the latest ended detection or remediation left it. */
export function driftStatus(stack: Stack, queue: DeploymentQueue): object {
  const runs = queue.ofStack(stack).filter(({ operation }) => operation.endsWith('-drift'));
  const latest = runs.findLast(({ ended }) => ended);
  return {
    driftDetected:
      stack.definition?.drifts === true &&
      latest?.operation === 'detect-drift' &&
      latest.status === 'succeeded',
    latestDriftRun: latest === undefined ? '' : idOf('run', latest.id),
    runInProgress: runs.some(({ active }) => active),
  };
}

/** `OrgDeploymentsMetadataResponse`. */
export function loadView(queue: DeploymentQueue): object {
  const count = (wanted: DeploymentStatus) =>
    queue.deployments.filter(({ status }) => status === wanted).length;
  return {
    paused: queue.settings.paused,
    concurrency: queue.settings.concurrency,
    deploymentCounts: {
      notStarted: count('not-started'),
      accepted: count('accepted'),
      running: count('running'),
      failed: count('failed'),
      succeeded: count('succeeded'),
      skipped: count('skipped'),
      total: queue.deployments.length,
    },
  };
}

/** `StackDeploymentsMetadataResponse`. */
export function stackLoadView(stack: Stack, queue: DeploymentQueue): object {
  const stackPaused = stack.definition?.paused === true;
  const { paused: organizationPaused } = queue.settings;
  return {
    paused: stackPaused || organizationPaused,
    stackPaused,
    organizationPaused,
    hasSchedules: false,
    drift: driftStatus(stack, queue),
  };
}

/** `AppStackSummary`. */
export function stackView(
  { id, project, stack }: Pick<Stack, 'id' | keyof StackName>,
  { organization, consoleUrl }: CloudSettings,
): object {
  return {
    id,
    orgName: organization,
    projectName: project,
    stackName: stack,
    links: { self: `${consoleUrl}/${organization}/${project}/${stack}` },
  };
}

/** `AgentPoolDetail`. */
export function poolView({ id, name, agents = [] }: Pool): object {
  const shown = agents.map((agent) => ({ ...agent, ip: '192.0.2.1', pid: '1', lastSeen: 0 }));
  return { created: 0, id, name, description: '', agents: shown };
}

/** `ListAgentPoolsResponse`. */
export function poolList({ pools, settings }: DeploymentQueue): object {
  const shown = pools.map(({ id, name, agents = [] }) => ({
    created: 0,
    id,
    name,
    description: '',
    lastSeen: 0,
    status: agents.some(({ status }) => status === 'online') ? 'online' : 'offline',
    isDefault: id === settings.defaultPoolId,
  }));
  const { defaultPoolId } = settings;
  return { agentPools: shown, ...(defaultPoolId !== undefined && { defaultAgentPoolID: defaultPoolId }) };
}

/** `AppCapabilitiesResponse`. */
export function capabilities({ apiVersion }: CloudSettings): object {
  const versions = { minVersion: apiVersion, maxVersion: apiVersion + 1, defaultVersion: apiVersion };
  return { capabilities: [{ capability: 'api-version', version: 1, configuration: versions }] };
}
