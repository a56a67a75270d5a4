import { z } from 'zod';
import { type Answer, type Call, jsonBody, optionalJsonBody, param, query, type Route } from './call.ts';
import type { DeploymentRecord, DeploymentStatus, StepRecord } from './deployment.ts';
import { readLogs, readStepLogs } from './logs.ts';
import type { DeploymentQueue, PoolState } from './queue.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

/** A pool that has not polled for this many milliseconds is offline. */
const POOL_ONLINE_MS = 2 * 60 * 1000;

const createSchema = z.strictObject({
  operation: z.enum(['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift']),
  inheritSettings: z.boolean().default(true),
});

const pageSchema = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(10),
  asc: z.stringbool().default(false),
});

/** As Pulumi's reference of `GET /api/user/stacks` has them, but for the filter by tags. */
const stacksSchema = z.strictObject({
  organization: z.string().min(1).optional(),
  project: z.string().min(1).optional(),
  continuationToken: z.string().min(1).optional(),
});

const logsSchema = z.union([
  z.strictObject({ continuationToken: z.string().optional() }),
  z.strictObject({
    job: z.literal('0'),
    step: z.string(),
    offset: z.coerce.number().int().nonnegative().default(0),
    count: z.coerce.number().int().min(1).max(499).default(100),
  }),
]);

/** What users and organizations call: starting and watching deployments, the queue's depth, the pools. */
export function restRoutes(
  queue: DeploymentQueue,
  clock: () => number,
  options: { readonly consoleUrl: string; readonly logPageSize: number; readonly stackPageSize: number },
): Route[] {
  const stackPath = '/api/stacks/:org/:project/:stack/deployments';
  const orgPath = '/api/orgs/:org';
  /** A reading call's answer is made at once; one that has an effect gives what makes it. */
  const user = (method: Route['method'], path: string, check: (call: Call) => Answer | (() => Answer)): Route => ({
    method,
    path,
    token: 'user',
    check: (call) => {
      const organization = param(call, 'org');
      if (organization !== queue.organization) throw new Refusal(404, `Organization '${organization}' not found`);
      const answer = check(call);
      return { take: typeof answer === 'function' ? answer : () => answer };
    },
  });
  const deploymentOf = (call: Call): DeploymentRecord => {
    const id = param(call, 'deploymentId');
    const found = queue.ofStack(stackKey(call)).find((each) => each.id === id);
    if (found === undefined) throw new Refusal(404, `Deployment '${id}' not found`);
    return found;
  };

  return [
    user('POST', stackPath, (call) => {
      const { operation, inheritSettings } = jsonBody(call, createSchema);
      const key = stackKey(call);
      const definition = queue.stack(key);
      if (definition === undefined)
        throw new Refusal(404, `Stack '${key.organization}/${key.project}/${key.stack}' not found`);
      if (!inheritSettings) throw new Refusal(400, 'the deployment has no settings');
      return () => {
        const { id, version } = queue.enqueue({ ...definition, operation });
        const consoleUrl = `${options.consoleUrl}/${key.organization}/${key.project}/${key.stack}/deployments/${version}`;
        return { status: 202, body: { id, consoleUrl, version } };
      };
    }),
    user('GET', stackPath, (call) => ({ status: 200, body: page(call, queue.ofStack(stackKey(call))) })),
    user('GET', `${stackPath}/:deploymentId`, (call) => {
      const deployment = deploymentOf(call);
      return { status: 200, body: { ...summary(deployment), latestVersion: queue.ofStack(deployment).length } };
    }),
    user('GET', `${stackPath}/:deploymentId/logs`, (call) => {
      const deployment = deploymentOf(call);
      const wanted = query(call, logsSchema);
      const body =
        'step' in wanted
          ? readStepLogs(deployment.step(wanted.step), wanted.offset, wanted.count)
          : readLogs(deployment, wanted.continuationToken, options.logPageSize);
      return { status: 200, body };
    }),
    user('POST', `${stackPath}/:deploymentId/cancel`, (call) => {
      optionalJsonBody(call, z.strictObject({}));
      const { id } = deploymentOf(call);
      return () => {
        queue.cancel(id);
        return { status: 200, body: {} };
      };
    }),
    user('GET', `${orgPath}/deployments`, (call) => ({ status: 200, body: page(call, queue.deployments) })),
    user('GET', `${orgPath}/deployments/metadata`, () => ({ status: 200, body: metadata(queue) })),
    {
      method: 'GET',
      path: '/api/user/stacks',
      token: 'user',
      check: (call) => {
        const body = stackPage(call, queue, options.stackPageSize);
        return { take: () => ({ status: 200, body }) };
      },
    },
    user('GET', `${orgPath}/agent-pools`, () => ({
      status: 200,
      body: { agentPools: queue.pools.map((pool) => poolBody(pool, clock())) },
    })),
  ];
}

/** A page of the stacks that a filter leaves; its continuation token is opaque, and good for no other filter. */
function stackPage(call: Call, queue: DeploymentQueue, size: number): unknown {
  const { continuationToken = '', organization = queue.organization, project } = query(call, stacksSchema);
  const filter = Buffer.from(`${organization}/${project ?? ''}`).toString('base64url');
  const [from = '0', given = filter] = continuationToken === '' ? [] : continuationToken.split('.');
  if (given !== filter || !/^\d+$/.test(from))
    throw new ProtocolViolation(400, 'the continuation token is of another list');
  const all = queue.stacks.filter(
    (each) =>
      (each.organization ?? queue.organization) === organization && (project === undefined || each.project === project),
  );
  const end = Number(from) + size;
  return {
    stacks: all.slice(Number(from), end).map(({ project: projectName, stack: stackName }) => ({
      id: `${organization}/${projectName}/${stackName}`,
      orgName: organization,
      projectName,
      stackName,
      lastUpdate: 0,
    })),
    ...(end < all.length && { continuationToken: `${end}.${filter}` }),
  };
}

function stackKey(call: Call): { organization: string; project: string; stack: string } {
  return { organization: param(call, 'org'), project: param(call, 'project'), stack: param(call, 'stack') };
}

/** A page of deployments, newest first unless `asc` is set. */
function page(call: Call, oldestFirst: readonly DeploymentRecord[]): unknown {
  const { page, pageSize, asc } = query(call, pageSchema);
  const sorted = asc ? oldestFirst : oldestFirst.toReversed();
  return {
    deployments: sorted.slice((page - 1) * pageSize, page * pageSize).map(snapshot),
    itemsPerPage: pageSize,
    total: oldestFirst.length,
  };
}

function snapshot(deployment: DeploymentRecord): unknown {
  const { pool, project, stack } = deployment;
  return {
    jobs: [],
    ...summary(deployment),
    agentPool: { id: pool.id, name: pool.name },
    projectName: project,
    stackName: stack,
    paused: false,
    updates: [],
  };
}

function summary(deployment: DeploymentRecord): object {
  return {
    id: deployment.id,
    status: deployment.status,
    version: deployment.version,
    created: time(deployment.createdAt),
    modified: time(deployment.modifiedAt),
    requestedBy: { name: 'Test User', githubLogin: 'test-user', avatarUrl: '' },
    pulumiOperation: deployment.operation,
    // A deployment that has not started has no jobs.
    ...(deployment.claimedAt === undefined ? {} : { jobs: [job(deployment, deployment.claimedAt)] }),
  };
}

function job(deployment: DeploymentRecord, claimedAt: number): unknown {
  return {
    status: deployment.status,
    started: time(claimedAt),
    lastUpdated: time(deployment.modifiedAt),
    steps: deployment.steps.map(stepRun),
  };
}

function stepRun({ name, status, statusHistory }: StepRecord): unknown {
  const [first, last] = [statusHistory.at(0), statusHistory.at(-1)];
  return {
    name,
    status,
    ...(first && { started: time(first.at) }),
    ...(last && { lastUpdated: time(last.at) }),
  };
}

function metadata(queue: DeploymentQueue): unknown {
  const counts = queue.counts();
  const count = (status: DeploymentStatus): number => counts.get(status) ?? 0;
  return {
    paused: queue.paused,
    concurrency: queue.concurrency,
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

/** A pool as the API shows it; its times are seconds since the epoch. */
function poolBody(pool: PoolState, now: number): unknown {
  return {
    id: pool.id,
    name: pool.name,
    description: pool.description,
    created: seconds(pool.createdAt),
    isDefault: false,
    lastSeen: seconds(pool.lastSeenAt),
    ...(pool.lastClaimAt > 0 && { lastDeployment: seconds(pool.lastClaimAt) }),
    status: now - pool.lastSeenAt <= POOL_ONLINE_MS ? 'online' : 'offline',
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

function time(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
