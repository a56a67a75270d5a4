import { randomUUID } from 'node:crypto';
import { type Deployment, DeploymentRecord, type Pool, SHARED } from './deployment.ts';
import type { SentSettings } from './deployment-settings.ts';
import { oidcTokenOf, withNames } from './naming.ts';
import type { CloudSettings } from './options.ts';
import type { StackDefinition, StackName, Stacks, StackUpdate } from './stacks.ts';
import type { Token, TokenStore } from './tokens.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

/** A deployment fails once its agent has been silent for longer. */
const HEARTBEAT_TIMEOUT_MS = 600_000;

/** A deployment is skipped once it has waited for longer. */
const QUEUED_MS = 7 * 24 * 3_600_000;

/** One deployment to queue. */
export interface EnqueueRequest extends Omit<StackDefinition, 'settings'> {
  /** `update` by default. */
  readonly operation?: string;
  /** Those that came with the request; none by default. */
  readonly settings?: SentSettings;
}

/** What `GET /api/deployments/poll` answers. */
export type Claim = NonNullable<ReturnType<DeploymentQueue['claim']>>;

/** The organization's deployments, from queued to ended. */
export class DeploymentQueue {
  readonly settings: CloudSettings;
  readonly #tokens: TokenStore;
  readonly #stacks: Stacks;
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #deployments = new Map<string, DeploymentRecord>();
  readonly #byJob = new Map<string, DeploymentRecord>();

  constructor(settings: CloudSettings, tokens: TokenStore, stacks: Stacks) {
    this.settings = settings;
    this.#tokens = tokens;
    this.#stacks = stacks;
    this.#pools = new Map(settings.pools.map((pool) => [pool.id, pool]));
  }

  /** In the order queued. */
  get deployments(): DeploymentRecord[] {
    return [...this.#deployments.values()];
  }

  get pools(): Pool[] {
    return [...this.#pools.values()];
  }

  /** @throws Error for an unknown pool. */
  pool(id: string): Pool {
    const pool = this.#pools.get(id);
    if (pool === undefined)
      throw new Error(`Failed to find pool ${id}: the organization has ${[...this.#pools.keys()]}.`);
    return pool;
  }

  /** Where the deployments of settings with this pool, or none, go. @throws Error for an unknown pool. */
  poolFor(id = this.settings.defaultPoolId ?? SHARED.id): Pool {
    return id === SHARED.id ? SHARED : this.pool(id);
  }

  defineStack(definition: StackDefinition): void {
    this.poolFor(definition.poolId);
    this.#stacks.ensure(definition).definition = definition;
  }

  /** A stack's deployment settings. */
  stack(name: StackName): StackDefinition | undefined {
    return this.#stacks.find(name)?.definition;
  }

  /** Queues a deployment, of a stack that is made if there is none. @throws Error for an unknown pool. */
  enqueue(request: EnqueueRequest): DeploymentRecord {
    const { project, stack, poolId, job, operation = 'update', settings = {} } = request;
    this.#stacks.ensure({ project, stack });
    const version = this.ofStack(request).length + 1;
    const named = { id: randomUUID(), project, stack, operation, version };
    const definition = typeof job === 'function' ? job(operation, settings) : job;
    const before = this.ofStack(request).findLast(({ ended }) => !ended);
    const record = new DeploymentRecord(
      {
        ...named,
        settings,
        pool: this.poolFor(poolId),
        job: request.unnamed === true ? definition : withNames(definition, named, this.settings),
        oidcToken: request.oidcToken ?? oidcTokenOf(named, this.settings),
      },
      this.settings.clock(),
    );
    this.#deployments.set(record.id, record);
    this.#byJob.set(record.jobId, record);
    if (before?.status === 'not-started' && before.operation === operation && this.#skips(before))
      before.end('skipped', 'skipped', this.settings.clock());
    return record;
  }

  /** A stack's deployments, oldest first. */
  ofStack(name: StackName): DeploymentRecord[] {
    return this.deployments.filter((each) => keyOf(each) === keyOf(name));
  }

  /** The updates of its stack that the CLI began while the deployment ran, oldest first. */
  updatesOf({ project, stack, claimedAt, endedAt }: DeploymentRecord): StackUpdate[] {
    const { updates = [] } = this.#stacks.find({ project, stack }) ?? {};
    if (claimedAt === undefined) return [];
    return updates.filter(
      ({ startedAt }) => startedAt >= claimedAt && startedAt <= (endedAt ?? Number.POSITIVE_INFINITY),
    );
  }

  find(id: string): DeploymentRecord | undefined {
    return this.#deployments.get(id);
  }

  /** The deployment that a call with a pool token is about. @throws ProtocolViolation (404, 403). */
  forPool(id: string, token: Token): DeploymentRecord {
    const record = this.#deployments.get(id);
    if (record === undefined) throw new ProtocolViolation(404, `there is no deployment ${id}`);
    if (record.pool.id !== token.poolId)
      throw new ProtocolViolation(403, `deployment ${id} is not of the token's pool`);
    return record;
  }

  /** The deployment that a call with a job token is about. @throws ProtocolViolation (404, 403). */
  forJob(jobId: string, token: Token): DeploymentRecord {
    const record = this.#byJob.get(jobId);
    if (record === undefined) throw new ProtocolViolation(404, `there is no job ${jobId}`);
    if (jobId !== token.jobId) throw new ProtocolViolation(403, `the token is of another job than ${jobId}`);
    return record;
  }

  /** Claims the pool's oldest deployment that may run now for the token's holder; it can't be claimed again. */
  claim(token: Token) {
    const now = this.settings.clock();
    const pool = this.pool(token.poolId ?? '');
    const active = this.deployments.filter((each) => each.active);
    if (this.settings.paused || active.length >= this.settings.concurrency) return undefined;
    const busy = new Set(active.map(keyOf));
    const isPaused = (each: DeploymentRecord) => this.stack(each)?.paused === true;
    const next = this.deployments.find(
      (each) =>
        each.status === 'not-started' &&
        each.pool.id === pool.id &&
        !busy.has(keyOf(each)) &&
        !isPaused(each),
    );
    if (next === undefined) return undefined;
    next.claim(token.id, now);
    return {
      jobID: next.jobId,
      jobToken: this.#tokens.issue({ kind: 'job', jobId: next.jobId, poolId: pool.id }),
      oidcToken: next.oidcToken,
      runID: next.runId,
      typeSpecificID: next.id,
      deploymentID: next.id,
    };
  }

  /** Ends a queued or running deployment as failed. @throws Refusal (404) if there is none or it has ended. */
  cancel(id: string): Deployment {
    const record = this.#deployments.get(id);
    if (record === undefined || record.ended)
      throw new Refusal(404, `Deployment or Queued Deployment '${id}' not found`);
    record.end('cancelled', 'failed', this.settings.clock());
    return record;
  }

  /** Whether `skipIntermediateDeployments` holds for a deployment: its own settings come before its stack's. */
  #skips(record: DeploymentRecord): boolean {
    const own = record.settings.operationContext?.options?.skipIntermediateDeployments;
    return own ?? this.stack(record)?.skipsIntermediate === true;
  }

  /**
   * Fails deployments that have had no heartbeat for too long, and skips those that have waited for too long. @returns
   * whether anything changed.
   */
  sweep(): boolean {
    const now = this.settings.clock();
    let changed = false;
    for (const record of this.#deployments.values()) {
      const seenAt = record.heartbeats.at(-1) ?? record.claimedAt;
      if (record.active && seenAt !== undefined && now - seenAt > HEARTBEAT_TIMEOUT_MS) {
        record.end('heartbeat-timeout', 'failed', now);
        changed = true;
      } else if (record.status === 'not-started' && now - record.createdAt > QUEUED_MS) {
        record.end('skipped', 'skipped', now);
        changed = true;
      }
    }
    return changed;
  }
}

function keyOf({ project, stack }: StackName): string {
  return `${project}/${stack}`;
}
