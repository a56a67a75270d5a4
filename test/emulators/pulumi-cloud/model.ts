import type { IncomingHttpHeaders } from 'node:http';
import { agentRoutes } from './agent.ts';
import type { Answer, Checked, Route } from './call.ts';
import { Changes } from './changes.ts';
import type { Deployment } from './deployment.ts';
import { type Issuer, TokenExchange } from './exchange.ts';
import { type ActiveScript, type FaultAnswer, Faults, type Script } from './faults.ts';
import { guard, readToken } from './guard.ts';
import { jobRoutes } from './jobs.ts';
import type { JournalEntry, OpenEntry } from './journal.ts';
import type { CloudModelOptions } from './options.ts';
import { DeploymentQueue, type EnqueueRequest, type PoolState, type StackDefinition } from './queue.ts';
import { restRoutes } from './rest.ts';
import { Router } from './router.ts';
import { TokenStore } from './tokens.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

/** A request's head. */
export interface Head {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request that arrived and is not answered yet. */
export interface Arrival {
  readonly head: Head;
  readonly entry: OpenEntry;
  readonly overlapping: number;
  /** Whether a fault cut its connection. */
  isCut: boolean;
  /** Says that it is no longer in flight; may be called twice. */
  readonly release: () => void;
}

/** What becomes of a request: the right answer, where it was processed, and the fault that takes its place. */
export interface Reply {
  readonly answer: Answer | undefined;
  readonly fault: FaultAnswer | undefined;
  /** Milliseconds to wait with the answer. */
  readonly delayMs: number;
}

/**
 * The one model of Pulumi Cloud, without a socket: tokens, one organization's queue, jobs and their logs. Requests come in by
 * `arrive` and `serve`. Whatever a well-behaved client would not send is refused and recorded in `violations`, and `close` throws
 * unless the test asked for it by `allow`.
 */
export class CloudModel {
  /** A user's token, for starting and watching deployments. */
  readonly userToken: string;
  readonly clock: () => number;
  readonly #tokens = new TokenStore();
  readonly #changes = new Changes();
  readonly #faults = new Faults();
  readonly #queue: DeploymentQueue;
  readonly #exchange: TokenExchange;
  readonly #router: Router;
  readonly #journal: OpenEntry[] = [];
  readonly #violations: string[] = [];
  readonly #allowed: RegExp[];
  readonly #inFlight = new Map<string, Set<() => boolean>>();
  /** Jobs whose own token was refused. */
  readonly #refusedJobs = new Set<string>();

  constructor(options: CloudModelOptions = {}) {
    const { clock = Date.now, organization = 'acme', pools = [{ id: 'pool-1', name: 'default' }] } = options;
    const { consoleUrl = 'https://app.pulumi.com', logPageSize = 100, stackPageSize = 100, logLimit = {} } = options;
    const tokens = this.#tokens;
    this.clock = clock;
    this.#allowed = [...(options.allow ?? [])];
    const queue = new DeploymentQueue({
      organization,
      pools,
      clock,
      heartbeatTimeoutMs: options.heartbeatTimeoutMs ?? 600_000,
      concurrency: options.concurrency ?? 150,
      paused: options.paused ?? false,
      tokens,
    });
    this.#queue = queue;
    this.#exchange = new TokenExchange({
      organization,
      pools: () => queue.pools,
      tokens,
      clock,
      tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 2 * 3600,
      tokenLifetimeCapSeconds: options.tokenLifetimeCapSeconds ?? 25 * 3600,
      acceptPoolId: options.acceptPoolId ?? true,
      acceptPoolName: options.acceptPoolName ?? false,
    });
    const { heartbeatWithinMs = Number.POSITIVE_INFINITY, heartbeatGraceMs = 250 } = options;
    this.#router = new Router([
      ...this.#exchange.routes(),
      ...agentRoutes(queue, clock, options),
      ...jobRoutes(queue, clock, { logLimit, heartbeatWithinMs, heartbeatGraceMs }),
      ...restRoutes(queue, clock, { consoleUrl, logPageSize, stackPageSize }),
    ]);
    this.userToken = tokens.issue({ kind: 'user' });
  }

  /** Every request so far, in order of arrival. */
  get requests(): readonly JournalEntry[] {
    return this.#journal;
  }

  /** Everything that no well-behaved client would have sent: `METHOD path: what was wrong`. */
  get violations(): readonly string[] {
    return this.#violations;
  }

  /** Every deployment, in the order queued. */
  get deployments(): readonly Deployment[] {
    return this.#queue.deployments;
  }

  /** The organization's pools, as they stand. */
  get pools(): readonly PoolState[] {
    return this.#queue.pools;
  }

  /** The value of every token ever issued, for tests that look for leaks. */
  get issuedTokens(): readonly string[] {
    return this.#tokens.values();
  }

  /** Names violations that the test provokes: `close` doesn't throw for those that match. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns);
  }

  /** Issues a pool's token, `pul-…`, which does not expire. @throws Error for an unknown pool. */
  createStaticToken(poolId: string): string {
    return this.#tokens.issue({ kind: 'pool', poolId: this.#queue.pool(poolId).id });
  }

  /** Issues an organization's access token. */
  createOrganizationToken(): string {
    return this.#tokens.issue({ kind: 'organization' });
  }

  /** Registers an OIDC issuer with its policies, or replaces it. */
  registerIssuer(issuer: Issuer): void {
    this.#exchange.register(issuer);
  }

  /** Registers what a stack's deployments do when started through the API; a function `job` is called with the operation. */
  defineStack(definition: StackDefinition): void {
    this.#queue.defineStack(definition);
  }

  /** Queues a deployment, as `POST …/deployments` does. The result stays current. @throws Error for an unknown pool. */
  enqueue(request: EnqueueRequest): Deployment {
    const deployment = this.#queue.enqueue(request);
    this.#changes.notify();
    return deployment;
  }

  /** Claims a deployment that is the pool's next, as `GET …/poll` does. @returns the job's token. @throws Error for any other. */
  claim(deployment: Deployment, poolId: string): string {
    const claim = this.#queue.claim({ id: 'in-process', kind: 'pool', poolId });
    if (claim?.typeSpecificID !== deployment.id) throw new Error(`Failed to claim ${deployment.id}: it isn't next.`);
    return claim.jobToken;
  }

  /** Cancels a deployment, as `POST …/cancel` does. @throws Refusal when there is none or it has ended. */
  cancel(deploymentId: string): Deployment {
    const deployment = this.#queue.cancel(deploymentId);
    this.#changes.notify();
    return deployment;
  }

  /** A deployment's state, which stays current. @throws Error for an unknown one. */
  deployment(id: string): Deployment {
    this.sweep();
    const deployment = this.#queue.find(id);
    if (deployment === undefined) throw new Error(`Failed to find deployment ${id}: there is none.`);
    return deployment;
  }

  /** Answers the next matching calls differently. */
  script(script: Script): ActiveScript {
    return this.#faults.add(script, this.clock());
  }

  /**
   * Resolves with the predicate's first truthy result; it is tried now and after every change.
   * @param timeoutMs milliseconds of real time.
   * @throws WaitTimeoutError, or StoppedError when the emulator is closed.
   */
  waitFor<T>(predicate: (cloud: this) => T, timeoutMs = 10_000): Promise<NonNullable<T>> {
    return this.#changes.waitFor(
      () => predicate(this),
      timeoutMs,
      () => this.#describe(),
    );
  }

  /** Says that something changed. */
  notify(): void {
    this.#changes.notify();
  }

  /** Ends what took too long by the clock: deployments without heartbeats, and those queued for a week. */
  sweep(): void {
    if (this.#queue.sweep()) this.#changes.notify();
  }

  /**
   * Takes note of a request.
   * @param inFlight whether its client still waits for the answer.
   */
  arrive(head: Head, inFlight: () => boolean = () => true): Arrival {
    const { method, url, headers } = head;
    const path = url.split('?', 1).join();
    const token = readToken(headers, this.#tokens);
    const entry: OpenEntry = {
      at: this.clock(),
      method,
      path,
      status: 0,
      tokenKind: token?.kind ?? 'none',
      tokenId: token?.id,
      userAgent: headers['user-agent'],
      bodyBytes: 0,
      scripted: undefined,
      abandoned: false,
      violation: undefined,
    };
    this.#journal.push(entry);
    const key = `${method} ${path}`;
    const same = this.#inFlight.get(key) ?? new Set();
    const overlapping = [...same].filter((each) => each()).length;
    this.#inFlight.set(key, same.add(inFlight));
    return { head, entry, overlapping, isCut: false, release: () => void same.delete(inFlight) };
  }

  /** Checks a request, and processes it unless a fault takes its place. A body may be one that was refused on the way. */
  async serve(arrival: Arrival, body: Buffer | ProtocolViolation, given?: Script): Promise<Reply> {
    const { head, entry } = arrival;
    this.sweep();
    entry.bodyBytes = Buffer.isBuffer(body) ? body.length : 0;
    const request = { method: entry.method, path: entry.path, headers: head.headers, text: String(body) };
    const script = given ?? this.#faults.take(request, entry.at);
    entry.scripted = script && (script.when ?? 'before');
    const found = this.#router.find(entry.method, entry.path);
    let checked: Checked | undefined;
    const answer = await this.#recorded(entry, async () => {
      if (!Buffer.isBuffer(body)) throw body;
      if (found === undefined) throw new ProtocolViolation(404, 'there is no such call');
      checked = this.#checked(arrival, body, found.route, found.params);
      if (entry.scripted !== 'before') return checked.take();
      checked.takePart?.(script?.stores ?? 0);
      return undefined;
    });
    const fault = script?.answer;
    const status = fault === undefined ? (answer?.status ?? 0) : statusOf(fault);
    checked?.answered?.(status);
    const [, , , , jobId] = entry.path.split('/');
    if (status === 401 && entry.tokenKind === 'job' && jobId !== undefined) this.#refusedJobs.add(jobId);
    return {
      answer: entry.scripted === 'before' ? undefined : answer,
      fault,
      delayMs: found?.route.answerDelayMs ?? 0,
    };
  }

  /** Rejects what still waits. @throws Error for violations that the test didn't ask for; once. */
  close(): void {
    this.#changes.stop();
    const odd = this.#violations.filter((each) => !this.#allowed.some((pattern) => pattern.test(each)));
    this.#allowed.push(/^/);
    if (odd.length > 0) throw new Error(`Pulumi Cloud's protocol was violated:\n${odd.join('\n')}`);
  }

  #checked({ head, overlapping }: Arrival, body: Buffer, route: Route, params: Record<string, string>): Checked {
    const { method, url, headers } = head;
    const [path = '', search] = url.split('?', 2);
    const mayTryPool = () => this.#refusedJobs.has(params['jobId'] ?? '');
    const token = guard(route, headers, body.length, this.#tokens, this.clock(), mayTryPool);
    const query = Object.fromEntries(new URLSearchParams(search));
    return route.check({ method, path, params, query, headers, body, token, overlapping });
  }

  /** Turns a refusal into its answer and records a violation, an own failure being one too: no test may pass over it. */
  async #recorded(entry: OpenEntry, work: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    try {
      return await work();
    } catch (error) {
      const refusal =
        error instanceof Refusal ? error : new ProtocolViolation(500, `the emulator failed: ${String(error)}`);
      if (refusal instanceof ProtocolViolation) {
        entry.violation = refusal.message;
        this.#violations.push(`${entry.method} ${entry.path}: ${refusal.message}`);
      }
      return { status: refusal.status, body: refusal.body };
    }
  }

  #describe(): string {
    const deployments = this.deployments.map(
      ({ stack, status, steps }) => `${stack} is ${status} (steps: ${steps.map((step) => step.status).join(', ')})`,
    );
    const last = this.requests.slice(-5).map(({ method, path, status }) => `${method} ${path} → ${status}`);
    return [
      `Deployments: ${deployments.join('; ') || 'none'}.`,
      `Violations: ${this.violations.join('; ') || 'none'}.`,
      `Last requests: ${last.join('; ') || 'none'}.`,
    ].join(' ');
  }
}

/** The status that a client sees of a fault; 0 where it sees none, or something that only it can make sense of. */
function statusOf(fault: FaultAnswer): number {
  return typeof fault === 'object' ? fault.status : 0;
}
