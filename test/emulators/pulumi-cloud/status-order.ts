import type { DeploymentRecord, ReportedStatus, StepRecord } from './deployment.ts';
import { ProtocolViolation } from './violations.ts';

/** Milliseconds that a status must have been refused, while heartbeats pass, before a client goes on without it. */
export const SKIP_AFTER_MS = 60_000;

/** Remembers that a status was told and not taken. */
export function statusRefused(step: StepRecord, status: ReportedStatus, now: number): void {
  if (!step.refusedSince.has(status)) step.refusedSince.set(status, now);
}

/** Holds a status to the order of statuses and steps; one that was refused for a minute of heartbeats may be missing. @throws ProtocolViolation (409). */
export function assertInOrder(
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
    throw new ProtocolViolation(409, `step ${step.index} is told to be ${status} after step ${next.index} has begun`);
  }
  if (status === 'running') assertMayStart(deployment, step, now);
}

/** Holds a log call to the order: it is of a running step. @throws ProtocolViolation (409). */
export function assertMayWrite(deployment: DeploymentRecord, step: StepRecord, now: number): void {
  if (step.status === 'running' || mayWrite(deployment, step, now)) return;
  throw new ProtocolViolation(409, `step ${step.index} has a log while ${step.status}`);
}

function mayWrite(deployment: DeploymentRecord, step: StepRecord, now: number): boolean {
  return step.status === 'not-started' && maySkip(deployment, step, 'running', now);
}

function assertMayStart(deployment: DeploymentRecord, step: StepRecord, now: number): void {
  const previous = deployment.steps[step.index - 1];
  if (previous !== undefined && previous.status !== 'succeeded') {
    const begun = previous.status === 'running' || mayWrite(deployment, previous, now);
    if (!begun || !maySkip(deployment, previous, 'succeeded', now)) {
      throw new ProtocolViolation(409, `step ${step.index} started while step ${previous.index} is ${previous.status}`);
    }
  }
  if (deployment.endReason === 'heartbeat-timeout') {
    throw new ProtocolViolation(
      409,
      `step ${step.index} started after the deployment was failed for missing heartbeats`,
    );
  }
}

function maySkip(deployment: DeploymentRecord, step: StepRecord, status: ReportedStatus, now: number): boolean {
  const since = step.refusedSince.get(status);
  return (
    since !== undefined && now - since >= SKIP_AFTER_MS && deployment.heartbeats.some((heartbeat) => heartbeat >= since)
  );
}
