import type { NamedVariables } from '../../base/log/plain-names.ts';
import { MOST_OF_DEFINITION } from '../../base/log/redactor.ts';
import { claimSchema } from '../../cloud/job-wire.ts';
import { LogCopy } from '../recorder/log-copy.ts';
import type { ObservedDefinition, ObservedRun } from '../recorder/observed-run.ts';
import {
  deploymentSchema,
  messageIn,
  receivedIn,
  sentIn,
  shapeOf,
  statusSchema,
  tokensIn,
} from '../recorder/shapes.ts';
import type { Call } from './calls.ts';
import type { Credentials } from './credentials.ts';
import { readDefinition, secretsIn } from './definition.ts';
import type { Exchange } from './exchange.ts';
import { SignIn, type SignInOptions } from './sign-in.ts';

/** The most notes about calls that weren't understood. */
const MAX_NOTES = 30;

/** Calls whose answers can hold a token for the agent. A definition's tokens are the job's. */
const GIVES_TOKENS: ReadonlySet<Call['kind']> = new Set([
  'exchange',
  'greeting',
  'poll',
  'lease',
  'acknowledgement',
]);

export interface ReadingOptions extends SignInOptions {
  readonly run: ObservedRun;
  readonly credentials: { add: Credentials['add'] };
  readonly config: NamedVariables;
  /** Milliseconds between polls, unless Pulumi Cloud asks for another interval. */
  readonly pollingIntervalMs: number;
}

/** The result of the last call for work. */
export interface LastPoll {
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  /** The message of the answer or of the failure. */
  readonly reason: string;
}

/**
 * Reads the believed calls between Pulumi's agent and Pulumi Cloud as they pass. It notes what it
 * doesn't understand.
 */
export class Reading {
  readonly #options: ReadingOptions;
  readonly #noted = new Set<string>();
  readonly #signIn: SignIn;
  #polls = 0;
  #lastPoll: LastPoll | undefined;
  #lastLease: LastPoll | undefined;
  readonly #log: LogCopy;
  readonly #jobSecrets = new Set<string>();

  constructor(options: ReadingOptions) {
    this.#options = options;
    this.#signIn = new SignIn(options);
    this.#log = new LogCopy(options.run, (what, how) => this.#note(what, how));
  }

  /** Polls for deployments say the most; an agent that serves none only asks for leases. */
  get lastPoll(): LastPoll | undefined {
    return this.#lastPoll ?? this.#lastLease;
  }

  /** True for a secret of the job, such as the token in its variables. */
  isOfJob(token: string | undefined): boolean {
    return token !== undefined && this.#jobSecrets.has(token);
  }

  /** Resolves when all log lines taken so far are kept. Never rejects. */
  settled(): Promise<void> {
    return this.#log.settled();
  }

  /**
   * Takes one call. Resolves when its answer may go on: log lines are kept later, all else before.
   * Never rejects.
   */
  async take(exchange: Exchange): Promise<void> {
    if (exchange.call.kind !== 'logs') await this.settled();
    try {
      await this.#read(exchange);
    } catch (error) {
      this.#note(`${exchange.method} ${exchange.path}`, `could not be read: ${String(error)}`);
    }
  }

  async #read(exchange: Exchange): Promise<void> {
    const { run, credentials } = this.#options;
    const { call, status = 0 } = exchange;
    const isTaken = status >= 200 && status < 300;

    if (isTaken && GIVES_TOKENS.has(call.kind)) credentials.add(tokensIn(receivedIn(exchange)));

    switch (call.kind) {
      case 'poll':
        return this.#poll(exchange);
      case 'lease':
        this.#lastLease = lastPollOf(exchange);
        return isTaken ? this.#lease(exchange) : undefined;
      case 'exchange':
        if (!this.#signIn.exchanged(exchange)) this.#lastPoll = lastPollOf(exchange);
        return undefined;
      case 'definition':
        return isTaken ? this.#definition(exchange, call.job) : undefined;
      case 'heartbeat':
        if (this.#about(call.job) && isTaken) run.heartbeat();
        return undefined;
      case 'step-status':
        return this.#about(call.job) && isTaken ? this.#stepStatus(exchange, call.step) : undefined;
      case 'logs':
        if (!this.#about(call.job)) return undefined;
        if (!isTaken) return run.linesRefused(call.step);
        return this.#log.take(exchange, call.step);
      case 'deployment-status':
        return isTaken ? this.#deploymentStatus(exchange, call.deployment) : undefined;
      case 'greeting':
      case 'acknowledgement':
        return undefined;
      case 'other':
        return this.#note(
          `${exchange.method} ${shapeOf(exchange.path)}`,
          `is an unknown call (${status === 0 ? 'no answer' : `HTTP ${status}`})`,
        );
    }
  }

  #poll(exchange: Exchange): void {
    const { record, secrets, pollingIntervalMs } = this.#options;
    const { status, responseHeaders } = exchange;
    const json = receivedIn(exchange);

    this.#lastPoll = lastPollOf(exchange);
    if (status === undefined || status >= 300) return;

    this.#signIn.polled();

    if (status === 204 || json === undefined || json === null) {
      this.#polls += 1;
      const asked = Number(responseHeaders['retry-after']);
      record.event({
        type: 'waiting',
        polls: this.#polls,
        nextPollSeconds: asked > 0 ? asked : pollingIntervalMs / 1000,
      });

      return;
    }

    const claim = claimSchema.safeParse(json);
    if (!claim.success) {
      this.#lease(exchange);
      return;
    }

    const { jobId, oidcToken, runId, deploymentId, kind } = claim.data;
    if (oidcToken !== undefined) secrets.add([oidcToken]);
    this.#options.run.claimed({ jobId, runId, deploymentId, oidcToken, kind });
    this.#about(jobId);
  }

  /** Takes work of an unknown shape: its content is hidden. */
  #lease(exchange: Exchange): void {
    const json = receivedIn(exchange) ?? {};
    if (Object.keys(json).length === 0) return;
    this.#options.secrets.add(secretsIn(json));
    this.#note(`the answer to ${exchange.path}`, 'is work of an unknown shape');
    this.#options.run.foreign();
  }

  async #definition(exchange: Exchange, job: string): Promise<void> {
    const { run, secrets, config } = this.#options;
    const read = readDefinition(receivedIn(exchange), config);

    if (read === undefined) {
      this.#note(`the definition of job ${job}`, 'could not be read');
      return;
    }

    const isHidden = secrets.add(read.secrets, MOST_OF_DEFINITION) !== undefined;
    if (!isHidden) this.#note(`the definition of job ${job}`, 'has too many or too long secrets to hide');
    if (!this.#about(job)) return;

    for (const secret of read.secrets) this.#jobSecrets.add(secret);
    run.defined(isHidden ? read.definition : withoutNames(read.definition));
    await run.identify(read.variables);
    if (read.doubt !== undefined)
      this.#note(`the definition of job ${job}`, `is of another shape (${read.doubt})`);
  }

  async #stepStatus(exchange: Exchange, step: number): Promise<void> {
    const sent = statusSchema.safeParse(sentIn(exchange)).data;
    if (sent === undefined) return this.#note(`a status of step ${step}`, 'is unknown');
    await this.#options.run.stepStatus(step, sent.status);
  }

  #deploymentStatus(exchange: Exchange, deployment: string): void {
    const { run } = this.#options;
    const status = deploymentSchema.safeParse(receivedIn(exchange)).data;
    if (status === undefined || run.claim?.deploymentId !== deployment) return;
    run.deploymentStatus(status.toLowerCase(), exchange.began);
  }

  /** True for the claimed job. */
  #about(job: string): boolean {
    const isClaimed = this.#options.run.claim?.jobId === job;
    if (!isClaimed) this.#note(`job ${job}`, 'is not the claimed one, and this record omits it');
    return isClaimed;
  }

  /** Notes each subject once. */
  #note(what: string, how: string): void {
    if (this.#noted.has(what) || this.#noted.size >= MAX_NOTES) return;
    this.#noted.add(what);
    this.#options.record.notice('info', `Relay: ${what} ${how}.`);
  }
}

/** A definition whose secrets can't be hidden, and may be anywhere in its texts. */
function withoutNames({ steps, ...rest }: ObservedDefinition): ObservedDefinition {
  return { ...rest, steps: steps.map((_, index) => `Step ${index}`), hidesSecrets: false };
}

function lastPollOf(exchange: Exchange): LastPoll {
  return { status: exchange.status, reason: exchange.failure ?? messageIn(receivedIn(exchange)) };
}
