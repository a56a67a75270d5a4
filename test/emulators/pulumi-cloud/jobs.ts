import { z } from 'zod';
import { type Answer, type Call, jsonBody, param, type Route, tokenOf } from './call.ts';
import type { DeploymentRecord } from './deployment.ts';
import { appendLogs, type LogLimit, logCallSchema } from './logs.ts';
import type { DeploymentQueue } from './queue.ts';
import { ProtocolViolation } from './violations.ts';

/** Milliseconds in which a heartbeat may still arrive after the answer that told the agent of the job's end. */
const HEARTBEAT_GRACE_MS = 250;

const heartbeatSchema = z.strictObject({});
const statusSchema = z.strictObject({ status: z.enum(['running', 'succeeded', 'failed']) });

/** What an agent calls with the claim's own token: the job, its steps' statuses and logs, and heartbeats. */
export function jobRoutes(queue: DeploymentQueue, clock: () => number, logLimit: LogLimit): Route[] {
  const deploymentOf = (call: Call): DeploymentRecord => queue.forJob(param(call, 'jobId'), tokenOf(call));
  return [
    {
      method: 'GET',
      path: '/api/workflow/jobs/:jobId',
      token: 'job',
      handle: (call) => {
        const deployment = deploymentOf(call);
        deployment.jobReads += 1;
        return { status: 200, body: deployment.job };
      },
    },
    {
      method: 'POST',
      path: '/api/workflow/jobs/:jobId/heartbeat',
      token: 'job',
      handle: (call) => {
        jsonBody(call, heartbeatSchema);
        return heartbeat(deploymentOf(call), clock());
      },
    },
    {
      method: 'PATCH',
      path: '/api/workflow/jobs/:jobId/:step/status',
      token: 'job',
      handle: (call) => {
        const { status } = jsonBody(call, statusSchema);
        const deployment = deploymentOf(call);
        deployment.reportStep(deployment.step(param(call, 'step')), status, clock());
        return {
          status: 200,
          body: {},
          onDelivered: () => {
            if (deployment.endReason === 'steps') deployment.endAnsweredAt ??= clock();
          },
        };
      },
    },
    {
      method: 'POST',
      path: '/api/workflow/jobs/:jobId/:step/logs',
      token: 'job',
      answerDelayMs: 1,
      handle: (call) => {
        const step = deploymentOf(call).step(param(call, 'step'));
        if (call.overlapping > 0) {
          throw new ProtocolViolation(409, `step ${step.index} has ${call.overlapping + 1} log calls in flight`);
        }
        appendLogs(step, jsonBody(call, logCallSchema), call.body.length, logLimit, clock());
        return { status: 200, body: {} };
      },
    },
  ];
}

/**
 * Takes a heartbeat. One is a violation after the steps have ended the job and the agent has been told so; after a
 * cancellation the agent can't know yet, and after a timeout it is told that the job is gone.
 */
function heartbeat(deployment: DeploymentRecord, now: number): Answer {
  if (!deployment.ended) {
    deployment.heartbeats.push(now);
    return { status: 200, body: {} };
  }
  deployment.lateHeartbeats += 1;
  if (deployment.endReason === 'heartbeat-timeout') {
    return { status: 410, body: { code: 410, message: 'the job has ended' } };
  }
  if (deployment.endAnsweredAt !== undefined && now - deployment.endAnsweredAt > HEARTBEAT_GRACE_MS) {
    throw new ProtocolViolation(410, `a heartbeat ${now - deployment.endAnsweredAt} ms after the job's end`);
  }
  return { status: 200, body: {} };
}
