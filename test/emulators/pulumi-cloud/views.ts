import type { DeploymentRecord, DeploymentStatus, Pool } from './deployment.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue, StackDefinition, StackName } from './queue.ts';
import type { Stacks, StackUpdate } from './stacks.ts';

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
    agentPool: { id: pool.id, name: pool.name },
  };
}

/** The kinds of the Pulumi updates that an operation makes, oldest first. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  update: ['Pupdate', 'update'],
  preview: ['Pupdate'],
  refresh: ['refresh'],
  destroy: ['destroy'],
  'detect-drift': ['Prefresh'],
  'remediate-drift': ['update'],
};

const PREVIEWS = { update: 'Pupdate', preview: 'Pupdate', refresh: 'Prefresh', destroy: 'Pdestroy' } as const;

/** `AppUpdateResult`, which has no cancellation. */
const RESULTS: Readonly<Record<StackUpdate['status'], string>> = {
  'not started': 'not-started',
  running: 'in-progress',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'failed',
};

/** The counts of the CLI's own summary; empty if it sent none. */
function countsOf({ events }: StackUpdate): Readonly<Record<string, number>> {
  const summaries = events as readonly { summaryEvent?: { resourceChanges: Record<string, number> } }[];
  return summaries.findLast((event) => event.summaryEvent)?.summaryEvent?.resourceChanges ?? {};
}

/**
 * `UpdateInfo` of each update that a deployment makes, once step 1 has begun; the newest first. Of a stack that keeps
 * state, those that the CLI made meanwhile; else the ones that the operation would make.
 */
export function updatesOf(deployment: DeploymentRecord, queue: DeploymentQueue, stacks?: Stacks) {
  const { id, operation, version, endedAt, status } = deployment;
  const begun = deployment.steps[1]?.statusHistory[0];
  if (begun === undefined) return [];
  const kept = stacks?.find(deployment)?.updates;
  if (kept !== undefined) {
    const own = kept.filter(({ startedAt }) => startedAt >= begun.at && startedAt <= (endedAt ?? startedAt));
    return own.toReversed().map((update) => ({
      info: {
        kind: update.dryRun ? PREVIEWS[update.kind] : update.kind,
        startTime: epoch(update.startedAt),
        endTime: update.endedAt === undefined ? 0 : epoch(update.endedAt),
        message: update.message,
        environment: {},
        config: {},
        result: RESULTS[update.status],
        version,
        resourceChanges: countsOf(update),
      },
      updateID: update.id,
      version,
      latestVersion: queue.ofStack(deployment).length,
      requestedBy,
    }));
  }
  const { changes = {} } = queue.stack(deployment) ?? {};
  const result = { succeeded: 'succeeded', failed: 'failed' }[String(status)] ?? 'in-progress';
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
    version,
    latestVersion: queue.ofStack(deployment).length,
    requestedBy,
  }));
}

/** `DriftRun` of each of the stack's drift detections that have ended, the newest first. */
export function driftRuns(definition: StackDefinition, queue: DeploymentQueue): object[] {
  const runs = queue
    .ofStack(definition)
    .filter(({ operation, ended }) => operation === 'detect-drift' && ended);
  return runs.toReversed().map(({ id, version, status, createdAt, endedAt = createdAt }) => ({
    id: idOf('run', id),
    driftDetected: definition.drifts === true && status === 'succeeded',
    created: rfc3339(createdAt),
    status,
    deploymentId: id,
    deploymentVersion: version,
    detectUpdate: {
      updateId: idOf('update-Prefresh', id),
      ...(definition.changes !== undefined && { resourceChanges: definition.changes }),
      modified: rfc3339(endedAt),
      status,
    },
  }));
}

/** `StackDriftStatus`, as the latest ended detection or remediation left it. */
export function driftStatus(definition: StackDefinition, queue: DeploymentQueue): object {
  const runs = queue.ofStack(definition).filter(({ operation }) => operation.endsWith('-drift'));
  const latest = runs.findLast(({ ended }) => ended);
  return {
    driftDetected:
      definition.drifts === true && latest?.operation === 'detect-drift' && latest.status === 'succeeded',
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
      skipped: 0,
      total: queue.deployments.length,
    },
  };
}

/** `AppStackSummary`. */
export function stackView(
  { project, stack }: StackName,
  { organization, consoleUrl }: CloudSettings,
): object {
  return {
    id: idOf('stack', `${project}-${stack}`),
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
