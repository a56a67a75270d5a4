import { z } from 'zod';
import { type Call, jsonBody, query, type Route } from './call.ts';
import type { DeploymentRecord, DeploymentStatus } from './deployment.ts';
import { followingRoutes, shown, stackKey, type UserRoute } from './following.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

const createSchema = z.strictObject({
  operation: z.enum(['update', 'preview', 'refresh', 'destroy', 'detect-drift', 'remediate-drift']),
  inheritSettings: z.boolean().default(true),
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
  const user: UserRoute = (method, path, check) => ({
    method,
    path,
    token: 'user',
    check: (call) => {
      const organization = call.params['org'] ?? queue.settings.organization;
      if (organization !== queue.settings.organization)
        throw new Refusal(404, `Organization '${organization}' not found`);
      const answer = check(call);
      return { take: typeof answer === 'function' ? answer : () => answer };
    },
  });
  return [
    user('POST', stackPath, (call) => {
      const { operation, inheritSettings } = jsonBody(call, createSchema);
      const key = stackKey(call);
      const name = `${key.organization}/${key.project}/${key.stack}`;
      const definition = queue.stack(key);
      if (definition === undefined) throw new Refusal(404, `Stack '${name}' not found`);
      if (!inheritSettings) throw new Refusal(400, 'the deployment has no settings');
      return () => {
        const { id, version } = queue.enqueue({ ...definition, operation });
        const consoleUrl = `${options.consoleUrl}/${name}/deployments/${version}`;
        return { status: 202, body: { id, consoleUrl, version } };
      };
    }),
    user('GET', stackPath, (call) => ({ status: 200, body: page(call, queue, queue.ofStack(stackKey(call))) })),
    user('GET', '/api/orgs/:org/deployments', (call) => ({ status: 200, body: page(call, queue, queue.deployments) })),
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
  const all = queue.stacks.filter(
    (each) =>
      (each.organization ?? queue.settings.organization) === organization &&
      (project === undefined || each.project === project),
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

/** A page of deployments, newest first. */
function page(call: Call, queue: DeploymentQueue, oldestFirst: readonly DeploymentRecord[]): unknown {
  const { page, pageSize } = query(call, pageSchema);
  return {
    deployments: oldestFirst
      .toReversed()
      .slice((page - 1) * pageSize, page * pageSize)
      .map((each) => shown(each, queue)),
    itemsPerPage: pageSize,
    total: oldestFirst.length,
  };
}

function metadata(queue: DeploymentQueue): unknown {
  const counts = queue.counts();
  const count = (status: DeploymentStatus): number => counts.get(status) ?? 0;
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
