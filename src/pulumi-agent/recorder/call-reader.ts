import { setImmediate } from 'node:timers/promises';
import type { TimeSource } from '../../base/clock.ts';
import type { NamedVariables } from '../../base/log/plain-names.ts';
import { MOST_OF_DEFINITION, type SecretSink } from '../../base/log/redactor.ts';
import { claimSchema } from '../../cloud/job-wire.ts';
import type { RecordSink } from '../../record/run-record.ts';
import { type ProxiedCall, requestJson, responseJson } from '../proxy/call.ts';
import type { Credentials } from '../proxy/credentials.ts';
import {
  deploymentStatusSchema,
  errorMessageIn,
  givesTokens,
  logLinesIn,
  pathTemplate,
  stepStatusSchema,
  subjectTokenIn,
  tokenAnswerSchema,
  tokensIn,
} from '../proxy/protocol.ts';
import { type JobOutline, readDefinition, secretsIn } from './definition.ts';
import type { JobRecorder } from './job-recorder.ts';

/** The most notes about calls that weren't understood. */
const MAX_NOTES = 30;

/** Bytes of log calls that can be queued before the agent has to wait. */
const MAX_QUEUED = 4 * 1024 * 1024;

export interface CallReaderOptions {
  readonly job: JobRecorder;
  readonly record: RecordSink;
  readonly secrets: SecretSink;
  readonly credentials: Pick<Credentials, 'add'>;
  readonly config: NamedVariables;
  readonly clock: TimeSource;
  /** Between polls, unless Pulumi Cloud asks for another interval. */
  readonly pollingIntervalMs: number;
}

/** The result of the last call for work. */
export interface LastPoll {
  /** Undefined without an answer. */
  readonly status: number | undefined;
  /** The message of the answer or of the failure. */
  readonly reason: string;
}

/**
 * Reads the proxied calls of Pulumi's agent, and records the job that they are about. Hides the
 * secrets in them, and learns the credentials that answers give. Notes the calls that it doesn't
 * understand.
 */
export class CallReader {
  readonly #options: CallReaderOptions;
  readonly #notes = new Set<string>();
  #isSignedIn = false;
  #polls = 0;
  #lastPoll: LastPoll | undefined;
  #lastLease: LastPoll | undefined;
  readonly #jobSecrets = new Set<string>();
  /** The lines of log calls are written in order, and no answer waits for them. */
  #writing: Promise<void> = Promise.resolve();
  #queuedBytes = 0;

  constructor(options: CallReaderOptions) {
    this.#options = options;
  }

  /** Polls for deployments say the most; an agent that serves none only asks for leases. */
  get lastPoll(): LastPoll | undefined {
    return this.#lastPoll ?? this.#lastLease;
  }

  /** True for a secret of the job, such as the token in its variables. */
  isJobSecret(token: string | undefined): boolean {
    return token !== undefined && this.#jobSecrets.has(token);
  }

  /** Resolves when all log lines read so far are written. Never rejects. */
  settled(): Promise<void> {
    return this.#writing;
  }

  /**
   * Reads one call. Resolves when its answer can go on: log lines are written later, all else
   * before. Never rejects.
   */
  async read(call: ProxiedCall): Promise<void> {
    if (call.endpoint.kind !== 'logs') await this.settled();
    try {
      await this.#read(call);
    } catch (error) {
      this.#note(`${call.method} ${call.path}`, `could not be read: ${String(error)}`);
    }
  }

  async #read(call: ProxiedCall): Promise<void> {
    const { job, credentials } = this.#options;
    const { endpoint, status = 0 } = call;
    const isAccepted = status >= 200 && status < 300;

    if (isAccepted && givesTokens(endpoint)) credentials.add(tokensIn(responseJson(call)));

    switch (endpoint.kind) {
      case 'poll':
        return this.#poll(call);
      case 'lease':
        this.#lastLease = lastPollOf(call);
        return isAccepted ? this.#unknownWork(call) : undefined;
      case 'token-exchange':
        return this.#tokenExchange(call);
      case 'definition':
        return isAccepted ? this.#definition(call, endpoint.job) : undefined;
      case 'heartbeat':
        if (this.#isClaimed(endpoint.job) && isAccepted) job.heartbeat();
        return undefined;
      case 'step-status':
        return this.#isClaimed(endpoint.job) && isAccepted
          ? this.#stepStatus(call, endpoint.step)
          : undefined;
      case 'logs':
        if (!this.#isClaimed(endpoint.job)) return undefined;
        if (!isAccepted) job.linesRefused(endpoint.step);
        // Without an answer, or with an outage's, they can be the last words of a step all the same.
        return isAccepted || status === 0 || status >= 500
          ? this.#logs(call, endpoint.step, isAccepted)
          : undefined;
      case 'deployment-status':
        return isAccepted ? this.#deploymentStatus(call, endpoint.deployment) : undefined;
      case 'worker-setup':
      case 'acknowledgement':
        return undefined;
      case 'other':
        return this.#note(
          `${call.method} ${pathTemplate(call.path)}`,
          `is an unknown call (${status === 0 ? 'no answer' : `HTTP ${status}`})`,
        );
    }
  }

  /** Hides the ID token that is exchanged. If Pulumi Cloud gave no token for it, it is why no work comes. */
  #tokenExchange(call: ProxiedCall): void {
    const { record, secrets, clock } = this.#options;
    secrets.add([subjectTokenIn(call.request.text() ?? '')]);

    const answer = tokenAnswerSchema.safeParse(responseJson(call)).data;
    if (answer === undefined || (call.status ?? 0) >= 300) {
      this.#lastPoll = lastPollOf(call);
      return;
    }

    this.#isSignedIn = true;

    const { expires_in: seconds } = answer;
    const expiresAt = seconds === undefined ? undefined : new Date(clock.now() + seconds * 1000);
    record.event({ type: 'authenticated', method: 'oidc', expiresAt: expiresAt?.toISOString() });
  }

  #poll(call: ProxiedCall): void {
    const { job, record, secrets, pollingIntervalMs } = this.#options;
    const { status, responseHeaders } = call;
    const json = responseJson(call);

    this.#lastPoll = lastPollOf(call);
    if (status === undefined || status >= 300) return;

    // Without an exchange before, by a static token.
    if (!this.#isSignedIn) record.event({ type: 'authenticated', method: 'token' });
    this.#isSignedIn = true;

    if (status === 204 || json === undefined || json === null) {
      this.#polls += 1;
      const retryAfter = Number(responseHeaders['retry-after']);
      record.event({
        type: 'waiting',
        polls: this.#polls,
        nextPollSeconds: retryAfter > 0 ? retryAfter : pollingIntervalMs / 1000,
      });

      return;
    }

    const claim = claimSchema.safeParse(json);
    if (!claim.success) {
      this.#unknownWork(call);
      return;
    }

    const { jobId, oidcToken, runId, deploymentId, kind } = claim.data;
    if (oidcToken !== undefined) secrets.add([oidcToken]);
    job.claimed({ jobId, runId, deploymentId, oidcToken, kind });
    this.#isClaimed(jobId);
  }

  /** Hides the content of work of an unknown shape. */
  #unknownWork(call: ProxiedCall): void {
    const json = responseJson(call) ?? {};
    if (Object.keys(json).length === 0) return;
    this.#options.secrets.add(secretsIn(json));
    this.#note(`the answer to ${call.path}`, 'is work of an unknown shape');
    this.#options.job.unknownWork();
  }

  async #definition(call: ProxiedCall, id: string): Promise<void> {
    const { job, secrets, config } = this.#options;
    const reading = readDefinition(responseJson(call), config);

    if (reading === undefined) {
      this.#note(`the definition of job ${id}`, 'could not be read');
      return;
    }

    const { outline, variables, mismatch } = reading;
    const isHidden = secrets.add(reading.secrets, MOST_OF_DEFINITION) !== undefined;
    if (!isHidden) this.#note(`the definition of job ${id}`, 'has too many or too long secrets to hide');
    if (!this.#isClaimed(id)) return;

    for (const secret of reading.secrets) this.#jobSecrets.add(secret);
    job.loaded(isHidden ? outline : withoutNames(outline));
    await job.identify(variables);
    if (mismatch !== undefined)
      this.#note(`the definition of job ${id}`, `is of another shape (${mismatch})`);
  }

  async #stepStatus(call: ProxiedCall, step: number): Promise<void> {
    const { status } = stepStatusSchema.safeParse(requestJson(call)).data ?? {};
    if (status === undefined) return this.#note(`a status of step ${step}`, 'is unknown');
    await this.#options.job.stepStatus(step, status);
  }

  #deploymentStatus(call: ProxiedCall, deployment: string): void {
    const { job } = this.#options;
    const status = deploymentStatusSchema.safeParse(responseJson(call)).data;
    if (status === undefined || job.claim?.deploymentId !== deployment) return;
    job.deploymentStatus(status.toLowerCase(), call.started.steady);
  }

  /** Queues a log call. Resolves at once, or once the queue is written if it grew too long. */
  async #logs(call: ProxiedCall, step: number, isAccepted: boolean): Promise<void> {
    const { bytes } = call.request;
    this.#queuedBytes += bytes;

    this.#writing = this.#writing
      .then(() => setImmediate())
      .then(() => this.#lines(call, step, isAccepted))
      .finally(() => {
        this.#queuedBytes -= bytes;
      });

    if (this.#queuedBytes > MAX_QUEUED) await this.#writing;
  }

  /** Never rejects. */
  async #lines(call: ProxiedCall, step: number, isAccepted: boolean): Promise<void> {
    const { job } = this.#options;
    if (!job.hidesSecrets)
      return this.#note(`the log of step ${step}`, "is not kept: the job's secrets are unknown or too many");

    const lines = logLinesIn(requestJson(call));
    if (lines === undefined)
      return this.#note(`a log call of step ${step}`, `(${call.request.bytes} bytes) could not be read`);

    if (isAccepted) await job.lines(step, lines);
    else await job.undeliveredLines(step, lines);
  }

  /** True for the claimed job; notes another. */
  #isClaimed(job: string): boolean {
    const isClaimed = this.#options.job.claim?.jobId === job;
    if (!isClaimed) this.#note(`job ${job}`, 'is not the claimed one, and this record omits it');
    return isClaimed;
  }

  /** Notes each subject once. */
  #note(subject: string, problem: string): void {
    if (this.#notes.has(subject) || this.#notes.size >= MAX_NOTES) return;
    this.#notes.add(subject);
    this.#options.record.notice('info', `Relay: ${subject} ${problem}.`);
  }
}

/** A definition whose secrets can't be hidden, and may be anywhere in its texts. */
function withoutNames({ steps, ...rest }: JobOutline): JobOutline {
  return { ...rest, steps: steps.map((_, index) => `Step ${index}`), hidesSecrets: false };
}

function lastPollOf(call: ProxiedCall): LastPoll {
  return { status: call.status, reason: call.failure ?? errorMessageIn(responseJson(call)) };
}
