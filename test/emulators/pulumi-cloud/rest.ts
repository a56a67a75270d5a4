import { z } from 'zod';
import { type Call, jsonBody, param, query, type Route, routesFor } from './call.ts';
import { type DeploymentRecord, SHARED } from './deployment.ts';
import {
  jobOf,
  merged,
  settingsPatchSchema,
  settingsShape,
  withoutEmptyTexts,
} from './deployment-settings.ts';
import { pageOf } from './naming.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import type { Stack, StackName, Stacks } from './stacks.ts';
import {
  capabilities,
  deploymentView,
  driftRuns,
  driftStatus,
  listedView,
  loadView,
  poolList,
  poolView,
  stackLoadView,
  stackView,
  updatesOf,
} from './views.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

const createSchema = z.strictObject({
  ...settingsShape,
  operation: z.enum(['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift']),
  // Without inheritance a request carries all settings itself; no client of ours does that.
  inheritSettings: z.literal(true),
});

/** The CLI names each setting, and so the pool of a request without one: `null` is Pulumi's own runners. */
const cliCreateSchema = z.preprocess(
  withoutEmptyTexts,
  createSchema.extend({
    inheritSettings: z.boolean(),
    agentPoolID: z.string().nullable(),
  }),
);

const pageSchema = z.strictObject({
  page: z.coerce.number().int().min(1).default(1),
  pageSize: z.coerce.number().int().min(1).max(100).default(10),
});

/** A stack's deployments, newest first unless asked otherwise; which other fields sort them isn't public. */
const stackPageSchema = pageSchema.extend({
  sort: z.literal('created').optional(),
  asc: z.literal('true').optional(),
});

/** As in Pulumi's reference for `GET /api/user/stacks`, without the filter by tags. */
const stacksSchema = z.strictObject({
  organization: z.string().min(1).optional(),
  project: z.string().min(1).optional(),
  continuationToken: z.string().min(1).optional(),
});

/** The calls of users and organizations: starting deployments, listing them and the stacks, the queue's depth. */
export function restRoutes(queue: DeploymentQueue, stacks: Stacks, options: CloudSettings): Route[] {
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
      const { operation, inheritSettings, agentPoolID, ...sent } =
        call.client === 'cli' ? jsonBody(call, cliCreateSchema) : jsonBody(call, createSchema);
      const { project, stack, definition } = stackOf(call, stacks, options);
      if (inheritSettings && definition === undefined)
        throw new Refusal(400, `Stack '${stack}' has no deployment settings`);
      const inherited = inheritSettings ? definition : undefined;
      const poolId = agentPoolID === undefined ? inherited?.poolId : (agentPoolID ?? SHARED.id);
      if (poolId !== undefined && [...queue.pools, SHARED].every(({ id }) => id !== poolId))
        throw new Refusal(400, `Agent pool '${poolId}' not found`);
      const settings = { ...sent, ...(typeof agentPoolID === 'string' && { agentPoolID }) };
      const job = inherited?.job ?? jobOf;
      return () => {
        const record = queue.enqueue({ ...inherited, project, stack, job, poolId, operation, settings });
        const { id, version } = record;
        return { status: 202, body: { id, consoleUrl: pageOf(record, options), version } };
      };
    }),
    user('GET', stackPath, (call) => ({
      status: 200,
      body: page(call, queue.ofStack(stackName(call)), queue, stackPageSchema),
    })),
    user('GET', '/api/orgs/:org/deployments', (call) => ({
      status: 200,
      body: page(call, queue.deployments, queue),
    })),
    user('GET', '/api/orgs/:org/deployments/metadata', () => ({ status: 200, body: loadView(queue) })),
    // Before the deployments' own paths, as one of them matches this too.
    user('GET', `${stackPath}/settings`, (call) => {
      const { stack, definition } = stackOf(call, stacks, options);
      if (definition === undefined) throw new Refusal(404, `Stack '${stack}' has no deployment settings`);
      const { settings, poolId } = definition;
      return { status: 200, body: { ...settings, ...(poolId !== undefined && { agentPoolID: poolId }) } };
    }),
    user('GET', `${stackPath}/metadata`, (call) => ({
      status: 200,
      body: stackLoadView(stackOf(call, stacks, options), queue),
    })),
    // Merges; PUT, which no client of ours calls, would replace.
    user('POST', `${stackPath}/settings`, (call) => {
      const { project, stack, definition } = stackOf(call, stacks, options);
      const patch = jsonBody(call, settingsPatchSchema);
      const body = merged({ ...definition?.settings, agentPoolID: definition?.poolId ?? null }, patch);
      const { agentPoolID = '', ...settings } = body as { agentPoolID?: string };
      if (queue.pools.every(({ id }) => id !== agentPoolID))
        throw new Refusal(400, `Agent pool '${agentPoolID}' not found`);
      return () => {
        queue.defineStack({ job: jobOf, ...definition, project, stack, poolId: agentPoolID, settings });
        return { status: 200, body };
      };
    }),
    ...followingRoutes(user, queue, stacks),
    user('GET', '/api/user/stacks', (call) => ({ status: 200, body: stackPage(call, stacks, options) })),
    user('GET', '/api/orgs/:org/agent-pools', () => ({ status: 200, body: poolList(queue) })),
    user('GET', '/api/orgs/:org/agent-pools/:poolId', (call) => {
      const id = param(call, 'poolId');
      const pool = queue.pools.find((each) => each.id === id);
      if (pool === undefined) throw new Refusal(404, `Agent pool '${id}' not found`);
      return { status: 200, body: poolView(pool) };
    }),
    routesFor('none')('GET', '/api/capabilities', () => ({ status: 200, body: capabilities(options) })),
  ];
}

/** A page of the stacks that match a filter; its continuation token is opaque and valid only for that filter. */
function stackPage(call: Call, stacks: Stacks, options: CloudSettings): unknown {
  const { continuationToken = '', organization = options.organization, project } = query(call, stacksSchema);
  const filter = Buffer.from(`${organization}/${project ?? ''}`).toString('base64url');
  const [from = '0', given = filter] = continuationToken === '' ? [] : continuationToken.split('.');
  if (given !== filter || !/^\d+$/.test(from))
    throw new ProtocolViolation(400, 'the continuation token is of another list');
  const isOwn = organization === options.organization;
  const all = isOwn ? stacks.all.filter((each) => project === undefined || each.project === project) : [];
  const end = Number(from) + options.stackPageSize;
  return {
    stacks: all.slice(Number(from), end).map((each) => stackView(each, options)),
    ...(end < all.length && { continuationToken: `${end}.${filter}` }),
  };
}

/** A page of deployments, newest first. */
function page(
  call: Call,
  oldestFirst: readonly DeploymentRecord[],
  queue: DeploymentQueue,
  schema: z.ZodType<z.output<typeof pageSchema> & { asc?: 'true' | undefined }> = pageSchema,
): unknown {
  const { page, pageSize, asc } = query(call, schema);
  return {
    deployments: (asc === undefined ? oldestFirst.toReversed() : oldestFirst)
      .slice((page - 1) * pageSize, page * pageSize)
      .map((each) => listedView(each, queue)),
    itemsPerPage: pageSize,
    total: oldestFirst.length,
  };
}

type UserRoute = ReturnType<typeof routesFor>;

const index = z.coerce.number().int().min(0);
/** A step's log. */
const stepLogSchema = z.strictObject({
  job: index,
  step: index,
  offset: index.default(0),
  count: index.min(1).max(499).default(100),
});
/** The whole deployment's log, which only the CLI asks for. */
const wholeLogSchema = z.strictObject({
  continuationToken: index.default(0),
  count: index.min(1).default(100),
});

/** The calls of users and organizations that follow a deployment on any agent, cancel it, or check for drift. */
function followingRoutes(user: UserRoute, queue: DeploymentQueue, stacks: Stacks): Route[] {
  const stack = '/api/stacks/:org/:project/:stack';
  const deployment = `${stack}/deployments/:deploymentId`;
  const found = (call: Call): DeploymentRecord => {
    const id = param(call, 'deploymentId');
    const record = queue.ofStack(stackName(call)).find((each) => each.id === id);
    if (record === undefined) throw new Refusal(404, `Deployment '${id}' not found`);
    return record;
  };
  return [
    user('GET', deployment, (call) => ({ status: 200, body: deploymentView(found(call), queue) })),
    routesFor('user', 'cli')('GET', `${stack}/deployments/version/:version`, (call) => {
      const version = param(call, 'version');
      const record = queue.ofStack(stackName(call)).find((each) => String(each.version) === version);
      if (record === undefined) throw new Refusal(404, `Deployment version '${version}' not found`);
      return { status: 200, body: deploymentView(record, queue) };
    }),
    user('GET', `${deployment}/logs`, (call) => ({
      status: 200,
      body:
        call.client === 'cli' && call.query['job'] === undefined
          ? wholeLog(found(call), query(call, wholeLogSchema))
          : stepLog(found(call), query(call, stepLogSchema)),
    })),
    user('GET', `${deployment}/updates`, (call) => ({
      status: 200,
      body: updatesOf(found(call), queue),
    })),
    user('POST', `${deployment}/cancel`, (call) => {
      const { id } = found(call);
      return () => {
        queue.cancel(id);
        return { status: 200, body: {} };
      };
    }),
    user('GET', `${stack}/drift/runs`, (call) => {
      const { page, pageSize } = query(call, pageSchema);
      const runs = driftRuns(stackOf(call, stacks, queue.settings), queue);
      return {
        status: 200,
        body: {
          driftRuns: runs.slice((page - 1) * pageSize, page * pageSize),
          itemsPerPage: pageSize,
          total: runs.length,
        },
      };
    }),
    user('GET', `${stack}/drift/status`, (call) => ({
      status: 200,
      body: driftStatus(stackOf(call, stacks, queue.settings), queue),
    })),
  ];
}

/** The stack that a call's path names. */
function stackName(call: Call): StackName {
  return { project: param(call, 'project'), stack: param(call, 'stack') };
}

/** That stack. @throws Refusal (404) if there is none. */
function stackOf(call: Call, stacks: Stacks, { organization }: CloudSettings): Stack {
  const name = stackName(call);
  const found = stacks.find(name);
  if (found === undefined)
    throw new Refusal(404, `Stack '${organization}/${name.project}/${name.stack}' not found`);
  return found;
}

/** A step's lines from an offset; no `nextOffset` means that none will follow. */
function stepLog({ steps, ended }: DeploymentRecord, asked: z.output<typeof stepLogSchema>): object {
  const step = asked.job === 0 ? steps[asked.step] : undefined;
  if (step === undefined)
    throw new ProtocolViolation(404, `there is no step ${asked.step} of job ${asked.job}`);
  const lines = step.lines.slice(asked.offset, asked.offset + asked.count);
  const nextOffset = asked.offset + lines.length;
  const isMore = nextOffset < step.lines.length || (!ended && !['succeeded', 'failed'].includes(step.status));
  const said = lines.map(({ t, l }) => ({ timestamp: t, line: l }));
  return { __type: 'DeploymentLogsStep', name: step.name, lines: said, ...(isMore && { nextOffset }) };
}

/** The lines of all steps, each step's after its name; no `nextToken` means that none will follow. */
function wholeLog(
  { steps, ended }: DeploymentRecord,
  { continuationToken: from, count }: z.output<typeof wholeLogSchema>,
): object {
  const all = steps.flatMap(({ name, lines, statusHistory: [begun] }) => {
    const said = lines.map(({ t, l }) => ({ timestamp: t, line: l }));
    return begun === undefined
      ? []
      : [{ header: name, timestamp: new Date(begun.at).toISOString() }, ...said];
  });
  const lines = all.slice(from, from + count);
  const next = from + lines.length;
  return {
    __type: 'DeploymentLogs',
    lines,
    ...((next < all.length || !ended) && { nextToken: String(next) }),
  };
}
