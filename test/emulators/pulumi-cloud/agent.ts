import { z } from 'zod';
import { jsonBody, param, type Route, routesFor, tokenOf } from './call.ts';
import type { DeploymentRecord } from './deployment.ts';
import type { DeploymentQueue } from './queue.ts';
import { ProtocolViolation } from './violations.ts';

const emptySchema = z.strictObject({});

/** The claim's IDs, which an acknowledgement repeats. */
const acknowledgementSchema = z.strictObject({
  jobID: z.string(),
  runID: z.string(),
  typeSpecificID: z.string(),
  deploymentID: z.string().optional(),
});

/** The calls an agent makes with its pool token: bootstrap, polling, acknowledging and watching a claim. */
export function agentRoutes(queue: DeploymentQueue): Route[] {
  const pool = routesFor('pool');
  const { checkAlone, deletesCancelled } = queue.settings;
  const shown = ({ status, endReason }: DeploymentRecord) =>
    deletesCancelled && endReason === 'cancelled' ? 'not-started' : status;
  return [
    pool('GET', '/api/background-activities/token', () => ({
      status: 200,
      body: { token: 'background-worker' },
    })),
    pool('POST', '/api/background-activities/configuration', (call) => {
      jsonBody(call, emptySchema);
      return { status: 200, body: [{ kind: 'deployment', enabled: true }] };
    }),
    pool('GET', '/api/deployments/poll', (call) => () => {
      const claim = queue.claim(tokenOf(call));
      return claim === undefined ? { status: 204 } : { status: 200, body: claim };
    }),
    pool('GET', '/api/deployments/:deploymentId/status', (call) => {
      const deployment = queue.forPool(param(call, 'deploymentId'), tokenOf(call));
      return () => {
        if (checkAlone) return { status: 500, body: { code: 500, message: 'Internal Server Error' } };
        deployment.statusReads += 1;
        return { status: 200, body: shown(deployment) };
      };
    }),
    pool('POST', '/api/agent-workflows/deployment', (call) => {
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
      return () => {
        deployment.acknowledged = true;
        return { status: 200, body: {} };
      };
    }),
    pool('POST', '/api/agent-workflows/:workflow/check', (call) => {
      jsonBody(call, emptySchema);
      const [kind, id = ''] = param(call, 'workflow').split(':', 2);
      if (kind !== 'deployment') throw new ProtocolViolation(404, `there are no workflows of kind ${kind}`);
      const deployment = queue.forPool(id, tokenOf(call));
      return () => {
        deployment.statusReads += 1;
        return { status: 200, body: { id, status: shown(deployment), complete: deployment.ended } };
      };
    }),
  ];
}
