import { z } from 'zod';
import { jsonBody, param, type Route, tokenOf } from './call.ts';
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
export function agentRoutes(queue: DeploymentQueue): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/background-activities/token',
      token: 'pool',
      check: () => ({ take: () => ({ status: 200, body: { token: 'background-worker' } }) }),
    },
    {
      method: 'POST',
      path: '/api/background-activities/configuration',
      token: 'pool',
      check: (call) => {
        jsonBody(call, emptySchema);
        return { take: () => ({ status: 200, body: [{ kind: 'deployment', enabled: true }] }) };
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
        const deployment = queue.forPool(param(call, 'deploymentId'), tokenOf(call));
        return {
          take: () => {
            deployment.statusReads += 1;
            return { status: 200, body: deployment.status };
          },
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
        const deployment = queue.forPool(id, tokenOf(call));
        return {
          take: () => {
            deployment.statusReads += 1;
            const { status, ended } = deployment;
            return { status: 200, body: { id, status, complete: ended } };
          },
        };
      },
    },
  ];
}
