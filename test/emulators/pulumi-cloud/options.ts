import type { Pool } from './deployment.ts';

/** How the emulated Pulumi Cloud is set up. */
export interface CloudModelOptions {
  /** Milliseconds since the epoch; `Date.now` by default. */
  readonly clock?: () => number;
  /** The only organization; `acme` by default. */
  readonly organization?: string;
  /** One pool, `pool-1` named `default`, by default. */
  readonly pools?: readonly Pool[];
  /** Milliseconds without a heartbeat, accepted or not, after which a report is a violation; no limit by default. */
  readonly heartbeatWithinMs?: number;
  /** Milliseconds for heartbeats to arrive after the report that ended the job was answered; 250 by default. */
  readonly heartbeatGraceMs?: number;
  /** Whether a token exchange names the pool by name, as Pulumi's reference says, instead of by ID. */
  readonly poolsByName?: boolean;
  /** Whether `check` alone is served, and `status` answers 500, as a service for Pulumi's own agent does. */
  readonly checkAlone?: boolean;
  /** Whether a cancelled deployment is deleted: `check` shows `not-started`, and reports are taken as before. */
  readonly deletesCancelled?: boolean;
  /** How many deployments may run at once; 150 by default. */
  readonly concurrency?: number;
  /** Stacks on a page of their list; 100 by default. */
  readonly stackPageSize?: number;
  /** Events of an update on a page; 1,000 by default. */
  readonly eventPageSize?: number;
  /** Whether the organization's deployments are paused. */
  readonly paused?: boolean;
  /** The organization's default pool; none by default. */
  readonly defaultPoolId?: string | undefined;
  /** The least version of the REST API that the service answers; 8 by default. */
  readonly apiVersion?: number;
  /** Whether a stack's outputs have a call of their own; true by default. */
  readonly servesOutputs?: boolean;
  /** Milliseconds until a checkpoint of a stack's state is answered; 0 by default. */
  readonly checkpointMs?: number;
  /** Where the `consoleUrl` of a new deployment points; the real console by default. */
  readonly consoleUrl?: string;
}

/** The options with defaults filled in. */
export const settingsOf = (given: CloudModelOptions) => ({
  clock: Date.now,
  organization: 'acme',
  pools: [{ id: 'pool-1', name: 'default' }],
  heartbeatWithinMs: Number.POSITIVE_INFINITY,
  heartbeatGraceMs: 250,
  poolsByName: false,
  checkAlone: false,
  deletesCancelled: false,
  concurrency: 150,
  stackPageSize: 100,
  eventPageSize: 1_000,
  paused: false,
  defaultPoolId: undefined as string | undefined,
  apiVersion: 8,
  servesOutputs: true,
  checkpointMs: 0,
  consoleUrl: 'https://app.pulumi.com',
  ...given,
});
export type CloudSettings = ReturnType<typeof settingsOf>;
