import { z } from 'zod';
import { jsonBody, optionalJsonBody, param, type Route, tokenOf } from './call.ts';
import type { DeploymentQueue } from './queue.ts';
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
export function agentRoutes(queue: DeploymentQueue, clock: () => number): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/background-activities/token',
      token: 'pool',
      handle: () => ({
        status: 200,
        body: { token: 'background-worker', expiration: new Date(clock() + 3_600_000).toISOString() },
      }),
    },
    {
      method: 'POST',
      path: '/api/background-activities/configuration',
      token: 'pool',
      handle: (call) => {
        optionalJsonBody(call, emptySchema);
        const { id, name, description } = queue.pool(tokenOf(call).poolId ?? '');
        const configuration = (kind: string) => ({
          kind,
          interval: 60,
          concurrency: 1,
          enabled: true,
          agentPools: [{ id, name, description }],
        });
        return { status: 200, body: ['deployment', 'insights_scan', 'policy_evaluation'].map(configuration) };
      },
    },
    ...(['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const).map(
      (method): Route => ({
        method,
        path: '/api/background-activities/worker/lease/*',
        token: 'pool',
        handle: () => {
          throw new ProtocolViolation(403, 'a lease that is acquired and not served blocks work: never acquire one');
        },
      }),
    ),
    {
      method: 'GET',
      path: '/api/deployments/poll',
      token: 'pool',
      handle: (call) => {
        const claim = queue.claim(tokenOf(call));
        return claim === undefined ? { status: 204 } : { status: 200, body: claim };
      },
    },
    {
      method: 'GET',
      path: '/api/deployments/:deploymentId/status',
      token: 'pool',
      handle: (call) => {
        const deployment = queue.forPool(param(call, 'deploymentId'), tokenOf(call));
        deployment.statusReads += 1;
        return { status: 200, body: deployment.status };
      },
    },
    {
      method: 'POST',
      path: '/api/agent-workflows/deployment',
      token: 'pool',
      handle: (call) => {
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
        deployment.acknowledged = true;
        return { status: 200, body: {} };
      },
    },
    {
      method: 'POST',
      path: '/api/agent-workflows/:workflow/check',
      token: 'pool',
      handle: (call) => {
        optionalJsonBody(call, emptySchema);
        const [kind, id = ''] = param(call, 'workflow').split(':', 2);
        if (kind !== 'deployment') throw new ProtocolViolation(404, `there are no workflows of kind ${kind}`);
        const deployment = queue.forPool(id, tokenOf(call));
        deployment.statusReads += 1;
        return { status: 200, body: { id, status: deployment.status, complete: deployment.ended } };
      },
    },
  ];
}
