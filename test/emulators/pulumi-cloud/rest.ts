import { z } from 'zod';
import { type Call, jsonBody, param, query, type Route, routesFor } from './call.ts';
import type { DeploymentRecord, DeploymentStatus } from './deployment.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue, StackDefinition, StackName } from './queue.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

const createSchema = z.strictObject({
  operation: z.enum(['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift']),
  // What a stack's settings don't say would have to stand here, which nothing of ours does.
  inheritSettings: z.literal(true),
});

const pageSchema = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(10),
});

/** As Pulumi's reference of `GET /api/user/stacks` has them, but for the filter by tags. */
const stacksSchema = z.strictObject({
  organization: z.string().min(1).optional(),
  project: z.string().min(1).optional(),
  continuationToken: z.string().min(1).optional(),
});

/** What users and organizations call: starting deployments, listing them and the stacks, the queue's depth. */
export function restRoutes(queue: DeploymentQueue, options: CloudSettings): Route[] {
  const stackPath = '/api/stacks/:org/:project/:stack/deployments';
  const user: UserRoute = (method, path, check) =>
    routesFor('user')(method, path, (call) => {
      const organization = call.params['org'] ?? queue.settings.organization;
      if (organization !== queue.settings.organization)
        throw new Refusal(404, `Organization '${organization}' not found`);
      return check(call);
    });
  return [
    user('POST', stackPath, (call) => {
      const { operation } = jsonBody(call, createSchema);
      const definition = stackOf(call, queue);
      return () => {
        const { id, version, project, stack } = queue.enqueue({ ...definition, operation });
        const path = `${options.organization}/${project}/${stack}/deployments/${version}`;
        const consoleUrl = `${options.consoleUrl}/${path}`;
        return { status: 202, body: { id, consoleUrl, version } };
      };
    }),
    user('GET', stackPath, (call) => ({ status: 200, body: page(call, queue.ofStack(stackName(call))) })),
    user('GET', '/api/orgs/:org/deployments', (call) => ({ status: 200, body: page(call, queue.deployments) })),
    user('GET', '/api/orgs/:org/deployments/metadata', () => ({ status: 200, body: metadata(queue) })),
    ...followingRoutes(user, queue),
    user('GET', '/api/user/stacks', (call) => ({ status: 200, body: stackPage(call, queue, options.stackPageSize) })),
  ];
}

/** A page of the stacks that a filter leaves; its continuation token is opaque, and good for no other filter. */
function stackPage(call: Call, queue: DeploymentQueue, size: number): unknown {
  const { continuationToken = '', organization = queue.settings.organization, project } = query(call, stacksSchema);
  const filter = Buffer.from(`${organization}/${project ?? ''}`).toString('base64url');
  const [from = '0', given = filter] = continuationToken === '' ? [] : continuationToken.split('.');
  if (given !== filter || !/^\d+$/.test(from))
    throw new ProtocolViolation(400, 'the continuation token is of another list');
  const isOwn = organization === queue.settings.organization;
  const all = isOwn ? queue.stacks.filter((each) => project === undefined || each.project === project) : [];
  const end = Number(from) + size;
  return {
    stacks: all.slice(Number(from), end).map(({ project: projectName, stack: stackName }) => ({
      orgName: organization,
      projectName,
      stackName,
    })),
    ...(end < all.length && { continuationToken: `${end}.${filter}` }),
  };
}

/** A page of deployments, newest first. */
function page(call: Call, oldestFirst: readonly DeploymentRecord[]): unknown {
  const { page, pageSize } = query(call, pageSchema);
  return {
    deployments: oldestFirst
      .toReversed()
      .slice((page - 1) * pageSize, page * pageSize)
      .map(shown),
    total: oldestFirst.length,
  };
}

function metadata(queue: DeploymentQueue): unknown {
  const count = (wanted: DeploymentStatus) => queue.deployments.filter(({ status }) => status === wanted).length;
  return {
    paused: queue.settings.paused,
    concurrency: queue.settings.concurrency,
    deploymentCounts: {
      notStarted: count('not-started'),
      accepted: count('accepted'),
      running: count('running'),
    },
  };
}

type UserRoute = ReturnType<typeof routesFor>;

const index = z.coerce.number().int().min(0);
/** A step's log. Without any of them the service gives the whole deployment's, which nothing of ours asks for. */
const logsSchema = z.strictObject({
  job: index,
  step: index,
  offset: index.default(0),
  count: index.min(1).max(499).default(100),
});

/** What users and organizations call to follow a deployment that any agent runs, to cancel it, and to learn of drift. */
function followingRoutes(user: UserRoute, queue: DeploymentQueue): Route[] {
  const stack = '/api/stacks/:org/:project/:stack';
  const deployment = `${stack}/deployments/:deploymentId`;
  const found = (call: Call): DeploymentRecord => {
    const id = param(call, 'deploymentId');
    const record = queue.ofStack(stackName(call)).find((each) => each.id === id);
    if (record === undefined) throw new Refusal(404, `Deployment '${id}' not found`);
    return record;
  };
  return [
    user('GET', deployment, (call) => ({ status: 200, body: shown(found(call)) })),
    user('GET', `${deployment}/logs`, (call) => ({ status: 200, body: logs(found(call), query(call, logsSchema)) })),
    user('GET', `${deployment}/updates`, (call) => ({ status: 200, body: updates(found(call), queue) })),
    user('POST', `${deployment}/cancel`, (call) => {
      const { id } = found(call);
      return () => {
        queue.cancel(id);
        return { status: 200, body: {} };
      };
    }),
    user('GET', `${stack}/drift/status`, (call) => ({ status: 200, body: drift(stackOf(call, queue), queue) })),
  ];
}

/** The stack that a call's path names. */
function stackName(call: Call): StackName {
  return { project: param(call, 'project'), stack: param(call, 'stack') };
}

/** The same with its settings. @throws Refusal (404) when there is none. */
function stackOf(call: Call, queue: DeploymentQueue): StackDefinition {
  const name = stackName(call);
  const definition = queue.stack(name);
  if (definition === undefined)
    throw new Refusal(404, `Stack '${queue.settings.organization}/${name.project}/${name.stack}' not found`);
  return definition;
}

/** A deployment as the service shows it, alone or in a list. */
function shown(deployment: DeploymentRecord): object {
  const { id, pool, project, stack, status, version } = deployment;
  const steps = deployment.steps.map(({ name, status, statusHistory }) => {
    const [started, lastUpdated] = [statusHistory[0], statusHistory.at(-1)].map((each) =>
      each === undefined ? undefined : new Date(each.at).toISOString(),
    );
    return { name, status, started, lastUpdated };
  });
  return {
    id,
    status,
    version,
    created: new Date(deployment.createdAt).toISOString(),
    pulumiOperation: deployment.operation,
    agentPool: { id: pool.id, name: pool.name },
    projectName: project,
    stackName: stack,
    jobs: deployment.claimedAt === undefined ? [] : [{ status, steps }],
  };
}

/** Without a next offset there is nothing more to come. */
function logs({ steps, ended }: DeploymentRecord, asked: z.output<typeof logsSchema>): object {
  const step = asked.job === 0 ? steps[asked.step] : undefined;
  if (step === undefined) throw new ProtocolViolation(404, `there is no step ${asked.step} of job ${asked.job}`);
  const lines = step.lines.slice(asked.offset, asked.offset + asked.count);
  const nextOffset = asked.offset + lines.length;
  const isMore = nextOffset < step.lines.length || (!ended && !['succeeded', 'failed'].includes(step.status));
  const said = lines.map(({ t, l }) => ({ timestamp: t, line: l }));
  return { __type: 'DeploymentLogsStep', name: step.name, lines: said, ...(isMore && { nextOffset }) };
}

/** The update that a deployment made, once its own step has begun. */
function updates(deployment: DeploymentRecord, queue: DeploymentQueue): object[] {
  if (deployment.steps[1]?.statusHistory[0] === undefined) return [];
  const { changes = {} } = queue.stack(deployment) ?? {};
  return [{ info: { resourceChanges: changes }, version: deployment.version }];
}

/** As the latest run of a detection or remediation that has ended left it. */
function drift(definition: StackDefinition, queue: DeploymentQueue): object {
  const runs = queue.ofStack(definition).filter(({ operation }) => operation.endsWith('-drift'));
  const latest = runs.findLast(({ ended }) => ended);
  return {
    driftDetected: definition.drifts === true && latest?.operation === 'detect-drift' && latest.status === 'succeeded',
  };
}
