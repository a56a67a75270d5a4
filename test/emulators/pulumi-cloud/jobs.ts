import { z } from 'zod';
import { type Answer, type Call, jsonBody, param, type Route, routesFor, tokenOf } from './call.ts';
import type { DeploymentRecord } from './deployment.ts';
import type { CloudSettings } from './options.ts';
import type { DeploymentQueue } from './queue.ts';
import type { ReportedStatus, StepRecord } from './step.ts';
import { ProtocolViolation } from './violations.ts';

const heartbeatSchema = z.strictObject({});
const statusSchema = z.strictObject({ status: z.enum(['running', 'succeeded', 'failed']) });
/** `t` is RFC 3339 with exactly three digits of milliseconds. */
const logCallSchema = z.strictObject({
  offset: z.int().nonnegative(),
  lines: z.array(z.strictObject({ t: z.iso.datetime({ precision: 3, offset: true }), l: z.string() })).min(1),
});

/** Milliseconds that a status must be refused, while heartbeats are accepted, before a client may go on without it. */
const SKIP_AFTER_MS = 60_000;

/** The calls an agent makes with the claim's own token: the job, its steps' statuses and logs, and heartbeats. */
export function jobRoutes(queue: DeploymentQueue, options: CloudSettings): Route[] {
  const { clock } = options;
  const job = routesFor('job');
  const deploymentOf = (call: Call): DeploymentRecord => queue.forJob(param(call, 'jobId'), tokenOf(call));
  const reporting = (call: Call): DeploymentRecord => {
    const deployment = deploymentOf(call);
    const silence = clock() - (deployment.heartbeatTriedAt ?? deployment.claimedAt ?? clock());
    if (silence > options.heartbeatWithinMs) {
      throw new ProtocolViolation(409, `a report ${silence} ms after the last heartbeat`);
    }
    return deployment;
  };
  return [
    job('GET', '/api/workflow/jobs/:jobId', (call) => ({ status: 200, body: deploymentOf(call).job })),
    job('POST', '/api/workflow/jobs/:jobId/heartbeat', (call) => {
      jsonBody(call, heartbeatSchema);
      const deployment = deploymentOf(call);
      const now = clock();
      deployment.heartbeatTriedAt = now;
      // Counts only from an end that the agent itself reported: it can't know of a cancellation yet.
      const late = now - (deployment.endAnsweredAt ?? now);
      if (late > options.heartbeatGraceMs)
        throw new ProtocolViolation(410, `a heartbeat ${late} ms after the job's end`);
      return () => heartbeat(deployment, now);
    }),
    job('PATCH', '/api/workflow/jobs/:jobId/:step/status', (call) => {
      const { status } = jsonBody(call, statusSchema);
      const deployment = reporting(call);
      const step = deployment.step(param(call, 'step'));
      assertInOrder(deployment, step, status, clock());
      return {
        take: () => {
          deployment.reportStep(step, status, clock());
          return { status: 200, body: {} };
        },
        answered: (code) => {
          if (code < 200 || code >= 300)
            step.refusedSince.set(status, step.refusedSince.get(status) ?? clock());
          else if (deployment.endReason === 'steps') deployment.endAnsweredAt ??= clock();
        },
      };
    }),
    {
      ...job('POST', '/api/workflow/jobs/:jobId/:step/logs', (call) => {
        const deployment = reporting(call);
        const step = deployment.step(param(call, 'step'));
        if (call.overlapping > 0) {
          throw new ProtocolViolation(
            409,
            `step ${step.index} has ${call.overlapping + 1} log calls in flight`,
          );
        }
        const body = jsonBody(call, logCallSchema);
        if (step.status !== 'running' && !mayWrite(deployment, step, clock()))
          throw new ProtocolViolation(409, `step ${step.index} has a log while ${step.status}`);
        step.checkLog(body, call.body.length);
        return {
          take: () => {
            step.storeLog(body);
            return { status: 200, body: {} };
          },
          takePart: (count) => step.storeLog(body, count),
          answered: (status) => step.logAnswered(body, status),
        };
      }),
      answerDelayMs: 1,
    },
  ];
}

function heartbeat(deployment: DeploymentRecord, now: number): Answer {
  if (deployment.endReason === 'heartbeat-timeout')
    return { status: 410, body: { code: 410, message: 'the job has ended' } };
  if (!deployment.ended) deployment.heartbeats.push(now);
  return { status: 200, body: {} };
}

/** Checks the order; a status refused for a minute of heartbeats may be missing. @throws ProtocolViolation (409). */
function assertInOrder(
  deployment: DeploymentRecord,
  step: StepRecord,
  status: ReportedStatus,
  now: number,
): void {
  if (status === step.status) return;
  const isNext = step.status === (status === 'running' ? 'not-started' : 'running');
  if (!isNext && !(status !== 'running' && mayWrite(deployment, step, now))) {
    throw new ProtocolViolation(409, `step ${step.index} cannot go from ${step.status} to ${status}`);
  }
  const next = deployment.steps[step.index + 1];
  if (next !== undefined && next.status !== 'not-started') {
    throw new ProtocolViolation(
      409,
      `step ${step.index} is reported as ${status} after step ${next.index} has begun`,
    );
  }
  if (status === 'running') assertMayStart(deployment, step, now);
}

function mayWrite(deployment: DeploymentRecord, step: StepRecord, now: number): boolean {
  return step.status === 'not-started' && maySkip(deployment, step, 'running', now);
}

function assertMayStart(deployment: DeploymentRecord, step: StepRecord, now: number): void {
  const previous = deployment.steps[step.index - 1];
  if (previous !== undefined && previous.status !== 'succeeded') {
    const begun = previous.status === 'running' || mayWrite(deployment, previous, now);
    if (!begun || !maySkip(deployment, previous, 'succeeded', now)) {
      throw new ProtocolViolation(
        409,
        `step ${step.index} started while step ${previous.index} is ${previous.status}`,
      );
    }
  }
  if (deployment.endReason === 'heartbeat-timeout') {
    throw new ProtocolViolation(
      409,
      `step ${step.index} started after the deployment was failed for missing heartbeats`,
    );
  }
}

function maySkip(
  deployment: DeploymentRecord,
  step: StepRecord,
  status: ReportedStatus,
  now: number,
): boolean {
  const since = step.refusedSince.get(status);
  return (
    since !== undefined &&
    now - since >= SKIP_AFTER_MS &&
    deployment.heartbeats.some((heartbeat) => heartbeat >= since)
  );
}
