import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { agentRoutes } from './agent.ts';
import { Changes } from './changes.ts';
import type { Deployment } from './deployment.ts';
import { buildServer } from './dispatch.ts';
import { type Issuer, TokenExchange } from './exchange.ts';
import { type ActiveScript, Faults, type Script } from './faults.ts';
import { jobRoutes } from './jobs.ts';
import type { JournalEntry, OpenEntry } from './journal.ts';
import type { LogLimit } from './logs.ts';
import { DeploymentQueue, type EnqueueRequest, type PoolState, type StackDefinition } from './queue.ts';
import { restRoutes } from './rest.ts';
import { TokenStore } from './tokens.ts';

/** How the emulated Pulumi Cloud is set up. */
export interface PulumiCloudOptions {
  /** Milliseconds since the epoch; `Date.now` by default. */
  readonly clock?: () => number;
  /** The only organization; `acme` by default. */
  readonly organization?: string;
  /** One pool, `pool-1` named `default`, by default. */
  readonly pools?: readonly { readonly id: string; readonly name: string; readonly description?: string }[];
  /** Milliseconds without a heartbeat after which a deployment is failed; 10 minutes by default. */
  readonly heartbeatTimeoutMs?: number;
  /** Lifetime of exchanged tokens that asked for none, in seconds; 2 hours by default. */
  readonly tokenLifetimeSeconds?: number;
  /** The longest lifetime of an exchanged token, in seconds; 25 hours by default. */
  readonly tokenLifetimeCapSeconds?: number;
  /** Whether an exchange may name the pool by ID; true by default. */
  readonly acceptPoolId?: boolean;
  /** Whether an exchange may name the pool by name, as Pulumi's reference says; false by default. */
  readonly acceptPoolName?: boolean;
  /** The most running deployments; 150 by default. */
  readonly concurrency?: number;
  /** The service's own limits of a log call, below the protocol's; none by default. */
  readonly logLimit?: LogLimit;
  /** Entries on a page of a deployment's log; 100 by default. */
  readonly logPageSize?: number;
  /** Stacks on a page of a list of them; 100 by default. */
  readonly stackPageSize?: number;
  /** Whether the organization's deployments are paused. */
  readonly paused?: boolean;
  /** Where the `consoleUrl` of a new deployment points; the real console by default. */
  readonly consoleUrl?: string;
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
}

/**
 * A strict Pulumi Cloud for tests: the token exchange, one organization's queue, jobs, logs and the user's calls over
 * real HTTP. Whatever a well-behaved agent would not send is answered with an error and recorded in `violations`.
 */
export class PulumiCloud {
  /** Where it listens, such as `http://127.0.0.1:40001`. */
  readonly url: string;
  /** A user's token, for starting and watching deployments. */
  readonly userToken: string;
  readonly #app: FastifyInstance;
  readonly #parts: Parts;

  private constructor(app: FastifyInstance, url: string, parts: Parts) {
    this.#app = app;
    this.#parts = parts;
    this.url = url;
    this.userToken = parts.tokens.issue({ kind: 'user' });
  }

  /** Starts listening on a free port. The caller owns it and must call `stop`. */
  static async start(options: PulumiCloudOptions = {}): Promise<PulumiCloud> {
    const parts = assemble(options);
    const { consoleUrl = 'https://app.pulumi.com', logPageSize = 100, stackPageSize = 100, logLimit = {} } = options;
    const routes = [
      ...parts.exchange.routes(),
      ...agentRoutes(parts.queue, parts.clock),
      ...jobRoutes(parts.queue, parts.clock, logLimit),
      ...restRoutes(parts.queue, parts.clock, { consoleUrl, logPageSize, stackPageSize }),
    ];
    const app = buildServer(routes, parts);
    await app.listen({ host: options.host ?? '127.0.0.1', port: 0 });
    const { address, port } = app.server.address() as AddressInfo;
    return new PulumiCloud(app, `http://${address}:${port}`, parts);
  }

  /** Every request so far, in order of arrival. */
  get requests(): readonly JournalEntry[] {
    return this.#parts.journal;
  }

  /** Everything that no well-behaved client would have sent: `METHOD path: what was wrong`. */
  get violations(): readonly string[] {
    return this.#parts.violations;
  }

  /** Every deployment, in the order queued. */
  get deployments(): readonly Deployment[] {
    return this.#parts.queue.deployments;
  }

  /** The organization's pools, as they stand. */
  get pools(): readonly PoolState[] {
    return this.#parts.queue.pools;
  }

  /** The value of every token ever issued, for tests that look for leaks. */
  get issuedTokens(): readonly string[] {
    return this.#parts.tokens.values();
  }

  /** Issues a pool's token, `pul-…`, which does not expire. @throws Error for an unknown pool. */
  createStaticToken(poolId: string): string {
    return this.#parts.tokens.issue({ kind: 'pool', poolId: this.#parts.queue.pool(poolId).id });
  }

  /** Issues an organization's access token. */
  createOrganizationToken(): string {
    return this.#parts.tokens.issue({ kind: 'organization' });
  }

  /** Registers an OIDC issuer with its policies, or replaces it. */
  registerIssuer(issuer: Issuer): void {
    this.#parts.exchange.register(issuer);
  }

  /** Registers what a stack's deployments do when started through the API; a function `job` is called with the operation. */
  defineStack(definition: StackDefinition): void {
    this.#parts.queue.defineStack(definition);
  }

  /** Queues a deployment, as `POST …/deployments` does. The result stays current. @throws Error for an unknown pool. */
  enqueue(request: EnqueueRequest): Deployment {
    const deployment = this.#parts.queue.enqueue(request);
    this.#parts.changes.notify();
    return deployment;
  }

  /** Cancels a deployment, as `POST …/cancel` does. @throws Refusal when there is none or it has ended. */
  cancel(deploymentId: string): Deployment {
    const deployment = this.#parts.queue.cancel(deploymentId);
    this.#parts.changes.notify();
    return deployment;
  }

  /** A deployment's state, which stays current. @throws Error for an unknown one. */
  deployment(id: string): Deployment {
    this.#parts.sweep();
    const deployment = this.#parts.queue.find(id);
    if (deployment === undefined) throw new Error(`Failed to find deployment ${id}: there is none.`);
    return deployment;
  }

  /** Answers the next matching calls differently. */
  script(script: Script): ActiveScript {
    return this.#parts.faults.add(script);
  }

  /**
   * Resolves with the predicate's first truthy result; it is tried now and after every change.
   * @param timeoutMs milliseconds of real time.
   * @throws WaitTimeoutError, or StoppedError when the emulator is stopped.
   */
  waitFor<T>(predicate: (cloud: PulumiCloud) => T, timeoutMs = 10_000): Promise<NonNullable<T>> {
    return this.#parts.changes.waitFor(
      () => predicate(this),
      timeoutMs,
      () => this.#describe(),
    );
  }

  /** Stops listening, cuts every connection, and rejects whoever waits. */
  async stop(): Promise<void> {
    clearInterval(this.#parts.timer);
    this.#parts.changes.stop();
    await this.#app.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
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

type Parts = ReturnType<typeof assemble>;

function assemble(options: PulumiCloudOptions) {
  const { clock = Date.now, organization = 'acme', heartbeatTimeoutMs = 600_000 } = options;
  const tokens = new TokenStore();
  const changes = new Changes();
  const queue = new DeploymentQueue({
    organization,
    pools: options.pools ?? [{ id: 'pool-1', name: 'default' }],
    clock,
    heartbeatTimeoutMs,
    concurrency: options.concurrency ?? 150,
    paused: options.paused ?? false,
    tokens,
  });
  const exchange = new TokenExchange({
    organization,
    pools: () => queue.pools,
    tokens,
    clock,
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? 2 * 3600,
    tokenLifetimeCapSeconds: options.tokenLifetimeCapSeconds ?? 25 * 3600,
    acceptPoolId: options.acceptPoolId ?? true,
    acceptPoolName: options.acceptPoolName ?? false,
  });
  const sweep = (): void => {
    if (queue.sweep()) changes.notify();
  };
  const timer = setInterval(sweep, Math.min(1000, Math.max(10, heartbeatTimeoutMs / 4))).unref();
  const journal: OpenEntry[] = [];
  const violations: string[] = [];
  return { clock, tokens, changes, queue, exchange, sweep, timer, journal, violations, faults: new Faults() };
}
