import { Changes } from '../changes.ts';
import { Router } from './call.ts';
import type { Deployment } from './deployment.ts';
import { type Issuer, type RegisteredIssuer, registered } from './exchange.ts';
import { type ActiveScript, Faults, type Script } from './faults.ts';
import { type CloudModelOptions, settingsOf } from './options.ts';
import { DeploymentQueue, type EnqueueRequest } from './queue.ts';
import { type Arrival, type Head, type JournalEntry, Reception, type Reply } from './reception.ts';
import { routesOf } from './routes.ts';
import { type StackDefinition, Stacks } from './stacks.ts';
import { TokenStore } from './tokens.ts';

/**
 * The model of Pulumi Cloud, without a socket: tokens, one organization's queue, jobs and their logs. Requests come in
 * through `arrive` and `serve`. Anything that a well-behaved client would not send is refused and recorded in
 * `violations`; `close` then throws unless the test permitted it with `allow`.
 */
export class CloudModel {
  /** A user's token, for starting and watching deployments. */
  readonly userToken: string;
  readonly clock: () => number;
  /** The organization's stacks. */
  readonly stacks: Stacks;
  readonly #tokens = new TokenStore();
  readonly #changes = new Changes();
  readonly #faults = new Faults();
  readonly #queue: DeploymentQueue;
  readonly #issuers = new Map<string, RegisteredIssuer>();
  readonly #reception: Reception;
  readonly #allowed: RegExp[] = [];

  constructor(options: CloudModelOptions = {}) {
    const settings = settingsOf(options);
    const { clock } = settings;
    const tokens = this.#tokens;
    this.stacks = new Stacks(clock);
    const queue = new DeploymentQueue(settings, tokens, this.stacks);
    this.clock = clock;
    this.#queue = queue;
    const { stacks } = this;
    const router = new Router(routesOf({ settings, tokens, stacks, queue, issuers: this.#issuers }));
    this.#reception = new Reception({ router, tokens, faults: this.#faults, clock });
    this.userToken = tokens.issue({ kind: 'user' });
  }

  /** Every request so far, in order of arrival. */
  get requests(): readonly JournalEntry[] {
    return this.#reception.journal;
  }

  /** Everything that no well-behaved client would send, as `METHOD path: what was wrong`. */
  get violations(): readonly string[] {
    return this.#reception.violations;
  }

  /** Every deployment, in the order queued. */
  get deployments(): readonly Deployment[] {
    return this.#queue.deployments;
  }

  /** The value of every token ever issued, for tests that look for leaks. */
  get issuedTokens(): readonly string[] {
    return this.#tokens.values();
  }

  /** Allows violations that the test provokes: `close` doesn't throw for those that match. */
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
    this.#issuers.set(issuer.issuer, registered(issuer));
  }

  /** Gives a stack its settings, and makes it if there is none, for deployments started through the API; a `job` function receives the operation. */
  defineStack(definition: StackDefinition): void {
    this.#queue.defineStack(definition);
    const { project, stack } = definition;
    if (this.stacks.find(definition) === undefined) this.stacks.create({ project, stack });
  }

  /** Queues a deployment, as `POST …/deployments` does. The result stays current. @throws Error for an unknown pool. */
  enqueue(request: EnqueueRequest): Deployment {
    const deployment = this.#queue.enqueue(request);
    this.#changes.notify();
    return deployment;
  }

  /** Claims a deployment as `GET …/poll` does. @returns the job's token. @throws Error unless it is its pool's next. */
  claim(deploymentId: string): string {
    const poolId = this.deployment(deploymentId).pool.id;
    const claim = this.#queue.claim({ id: 'in-process', kind: 'pool', poolId });
    if (claim?.typeSpecificID !== deploymentId)
      throw new Error(`Failed to claim ${deploymentId}: it isn't next.`);
    return claim.jobToken;
  }

  /** Cancels a deployment, as `POST …/cancel` does. @throws Refusal if there is none or it has ended. */
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

  /** Resolves with the predicate's first truthy result. @throws Error after `timeoutMs` of real time, or on close. */
  waitFor<T>(predicate: (cloud: this) => T, timeoutMs = 10_000): Promise<NonNullable<T>> {
    return this.#changes.waitFor(
      () => predicate(this),
      timeoutMs,
      () => this.#describe(),
    );
  }

  /** Signals that something changed. */
  notify(): void {
    this.#changes.notify();
  }

  /** Fails deployments whose heartbeats are overdue by the clock. */
  sweep(): void {
    if (this.#queue.sweep()) this.#changes.notify();
  }

  /** Records a request; `inFlight` returns whether its client still waits for the answer. */
  arrive(head: Head, inFlight?: () => boolean): Arrival {
    return this.#reception.arrive(head, inFlight);
  }

  /** Checks a request, and processes it unless a scripted fault takes its place. */
  serve(arrival: Arrival, body: Buffer): Promise<Reply> {
    this.sweep();
    return this.#reception.serve(arrival, body);
  }

  /** Rejects pending waits. @throws Error, once only, for violations that the test did not allow. */
  close(): void {
    this.#changes.stop();
    const odd = this.violations.filter((each) => !this.#allowed.some((pattern) => pattern.test(each)));
    this.#allowed.push(/^/);
    if (odd.length > 0) throw new Error(`Pulumi Cloud's protocol was violated:\n${odd.join('\n')}`);
  }

  #describe(): string {
    const deployments = this.deployments.map(
      ({ stack, status, steps }) =>
        `${stack} is ${status} (steps: ${steps.map((step) => step.status).join(', ')})`,
    );
    const last = this.requests.slice(-5).map(({ method, path, status }) => `${method} ${path} → ${status}`);
    return [
      `Deployments: ${deployments.join('; ') || 'none'}.`,
      `Violations: ${this.violations.join('; ') || 'none'}.`,
      `Last requests: ${last.join('; ') || 'none'}.`,
    ].join(' ');
  }
}
