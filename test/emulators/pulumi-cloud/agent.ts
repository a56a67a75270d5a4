import { z } from 'zod';
import { jsonBody, param, type Route, tokenOf } from './call.ts';
import type { DeploymentRecord } from './deployment.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import type { Token } from './tokens.ts';
import { ProtocolViolation } from './violations.ts';

const emptySchema = z.strictObject({});

/** The claim's ids, as an acknowledgement repeats them. */
const acknowledgementSchema = z.strictObject({
  jobID: z.string(),
  runID: z.string(),
  typeSpecificID: z.string(),
  deploymentID: z.string().optional(),
});

/** What an agent calls with its pool token: the bootstrap, polling, acknowledging and watching a claim. */
export function agentRoutes(queue: DeploymentQueue, options: CloudSettings): Route[] {
  const watched = (id: string, poolToken: Token): DeploymentRecord => {
    const deployment = queue.forPool(id, poolToken);
    deployment.statusReads += 1;
    return deployment;
  };
  return [
    {
      method: 'GET',
      path: '/api/background-activities/token',
      token: 'pool',
      check: () => ({
        take: () => ({
          status: 200,
          body: { token: 'background-worker', expiration: new Date(options.clock() + 3_600_000).toISOString() },
        }),
      }),
    },
    {
      method: 'POST',
      path: '/api/background-activities/configuration',
      token: 'pool',
      check: (call) => {
        jsonBody(call, emptySchema);
        const agentPools = [queue.pool(tokenOf(call).poolId ?? '')];
        const body = [{ kind: 'deployment', interval: 60, concurrency: 1, enabled: true, agentPools }];
        return { take: () => ({ status: 200, body }) };
      },
    },
    {
      method: 'GET',
      path: '/api/deployments/poll',
      token: 'pool',
      check: (call) => ({
        take: () => {
          const claim = queue.claim(tokenOf(call));
          return claim === undefined ? { status: 204 } : { status: 200, body: claim };
        },
      }),
    },
    {
      method: 'GET',
      path: '/api/deployments/:deploymentId/status',
      token: 'pool',
      check: (call) => {
        const id = param(call, 'deploymentId');
        queue.forPool(id, tokenOf(call));
        return {
          take: () => ({ status: 200, body: watched(id, tokenOf(call)).status }),
        };
      },
    },
    {
      method: 'POST',
      path: '/api/agent-workflows/deployment',
      token: 'pool',
      check: (call) => {
        const ids = jsonBody(call, acknowledgementSchema);
        const deployment = queue.forPool(ids.typeSpecificID, tokenOf(call));
        if (
          deployment.claimedAt === undefined ||
          ids.jobID !== deployment.jobId ||
          ids.runID !== deployment.runId ||
          (ids.deploymentID ?? deployment.id) !== deployment.id
        ) {
          throw new ProtocolViolation(400, `the ids are not those of a claim of deployment ${deployment.id}`);
        }
        return {
          take: () => {
            deployment.acknowledged = true;
            return { status: 200, body: {} };
          },
        };
      },
    },
    {
      method: 'POST',
      path: '/api/agent-workflows/:workflow/check',
      token: 'pool',
      check: (call) => {
        jsonBody(call, emptySchema);
        const [kind, id = ''] = param(call, 'workflow').split(':', 2);
        if (kind !== 'deployment') throw new ProtocolViolation(404, `there are no workflows of kind ${kind}`);
        queue.forPool(id, tokenOf(call));
        return {
          take: () => {
            const { status, ended } = watched(id, tokenOf(call));
            return { status: 200, body: { id, status, complete: ended } };
          },
        };
      },
    },
  ];
}
