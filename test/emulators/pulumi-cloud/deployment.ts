import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { SentSettings } from './deployment-settings.ts';
import { type ReportedStatus, type Step, StepRecord } from './step.ts';
import { ProtocolViolation } from './violations.ts';

export type DeploymentStatus = 'not-started' | 'accepted' | 'running' | 'failed' | 'succeeded' | 'skipped';

/** What ended a deployment. */
export type EndReason = 'steps' | 'cancelled' | 'heartbeat-timeout' | 'skipped';

/** A pool of agents. */
export interface Pool {
  readonly id: string;
  readonly name: string;
  /** As the service shows them; none by default. */
  readonly agents?: readonly {
    readonly version: string;
    readonly platform: string;
    readonly hostname: string;
    readonly status: 'online' | 'offline';
  }[];
}

/** Pulumi's own runners, which no agent serves. */
export const SHARED: Pool = { id: 'shared', name: 'Pulumi Cloud' };

/** The names of a job's steps. Even a malformed job has the agent's own step 0, where its failure is reported. */
const stepsSchema = z.object({
  steps: z.array(z.object({ name: z.string().catch('') }).catch({ name: '' })).min(1),
});

/** What it takes to queue a deployment. */
export type DeploymentRequest = Pick<
  DeploymentRecord,
  'id' | 'project' | 'stack' | 'operation' | 'settings' | 'version' | 'pool' | 'job' | 'oidcToken'
>;

/** A deployment and its state's rules: step statuses, heartbeats, its end. Times are milliseconds since the epoch. */
export class DeploymentRecord {
  declare readonly id: string;
  readonly runId: string = randomUUID();
  readonly jobId: string = randomUUID();
  declare readonly project: string;
  declare readonly stack: string;
  declare readonly operation: string;
  /** Those that came with the request to start it. */
  declare readonly settings: SentSettings;
  /** Counted per stack from 1. */
  declare readonly version: number;
  declare readonly pool: Pool;
  /** The job definition, sent as is; tests may pass a malformed one. */
  declare readonly job: unknown;
  declare readonly oidcToken: string;
  readonly steps: StepRecord[];
  readonly createdAt: number;
  readonly heartbeats: number[] = [];
  status: DeploymentStatus = 'not-started';
  /** The pool token's id, such as `pool-token-2`; absent while queued. */
  claimedBy: string | undefined;
  claimedAt: number | undefined;
  acknowledged = false;
  /** How often the agent asked for the status, through either call. */
  statusReads = 0;
  endReason: EndReason | undefined;
  endedAt: number | undefined;
  /** When the report that ended the job was answered; unset while the agent cannot know of the end. */
  endAnsweredAt: number | undefined;
  /** When the last heartbeat arrived, accepted or not. */
  heartbeatTriedAt: number | undefined;

  constructor(request: DeploymentRequest, now: number) {
    Object.assign(this, request);
    const { steps = [{ name: 'Setup' }] } = stepsSchema.safeParse(request.job).data ?? {};
    this.steps = steps.map(({ name }, index) => new StepRecord(name, index));
    this.createdAt = now;
  }

  /** Whether it occupies its stack: claimed and not ended. */
  get active(): boolean {
    return this.status === 'accepted' || this.status === 'running';
  }

  get ended(): boolean {
    return this.endReason !== undefined;
  }

  claim(by: string, now: number): void {
    this.status = 'accepted';
    this.claimedBy = by;
    this.claimedAt = now;
  }

  end(reason: EndReason, status: 'failed' | 'succeeded' | 'skipped', now: number): void {
    this.status = status;
    this.endReason = reason;
    this.endedAt = now;
  }

  /** The step with the index that a path names. @throws ProtocolViolation (404). */
  step(index: string): StepRecord {
    const step = /^\d+$/.test(index) ? this.steps[Number(index)] : undefined;
    if (step === undefined)
      throw new ProtocolViolation(404, `the job has no step ${index}, only ${this.steps.length}`);
    return step;
  }

  /** Records a step's status, its order already checked; counts repeats. A cancelled deployment stays failed. */
  reportStep(step: StepRecord, status: ReportedStatus, now: number): void {
    if (status === step.status) {
      step.statusDuplicates += 1;
      return;
    }
    step.status = status;
    step.statusHistory.push({ status, at: now });
    if (this.ended) return;
    if (status === 'failed') this.end('steps', 'failed', now);
    // An earlier step may have been skipped: its status was never accepted.
    else if (status === 'succeeded' && step === this.steps.at(-1)) this.end('steps', 'succeeded', now);
    else this.status = 'running';
  }
}

/** A deployment as a test sees it; the one that `PulumiCloud.deployment` returns stays current. */
export type Deployment = Readonly<
  Omit<DeploymentRecord, 'steps' | 'claim' | 'end' | 'step' | 'reportStep'>
> & {
  readonly steps: readonly Step[];
};
