import { type Clock, type Moment, momentOf, NEVER } from '../../base/clock.ts';
import { DEFAULT_IMAGE } from '../../base/config/keys/run.ts';
import type { Redactor } from '../../base/log/redactor.ts';
import { Identification } from '../../cloud/identification.ts';
import type { NamedDeployment } from '../../cloud/identity.ts';
import type { DeploymentIds, JobDefinition } from '../../cloud/job-wire.ts';
import { consoleUrl } from '../../cloud/organization-wire.ts';
import type { RecordSink } from '../../record/run-record.ts';
import type { StepEnd, StepResult } from '../../record/schema.ts';
import type { LogLines } from '../proxy/protocol.ts';
import type { JobOutline } from './definition.ts';
import { StepRecorder } from './step-recorder.ts';

const MIN_STEPS = 1;

export interface JobRecorderOptions {
  readonly config: {
    readonly serviceUrl: string;
    readonly organizationName?: string | undefined;
    readonly image?: string | undefined;
  };
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly record: RecordSink;
  readonly onClaim: (claim: DeploymentIds) => void;
}

export type FailedStep = Pick<StepEnd, 'reason' | 'error'> & {
  readonly index: number;
  readonly name: string;
};

/**
 * Records the job of Pulumi's agent as its reports tell it, in the form of our own agent's jobs. Its
 * claim is the first one of the run.
 */
export class JobRecorder {
  readonly #options: JobRecorderOptions;
  readonly #started: Moment;
  readonly #steps = new Map<number, StepRecorder>();
  #claim: DeploymentIds | undefined;
  #identification: Identification | undefined;
  #claimedAt: Moment | undefined;
  #lastHeartbeat: Moment | undefined;
  #outline: JobOutline | undefined;
  #cancellation: string | undefined;
  /** When Pulumi Cloud accepted that a step runs, by the steady clock. */
  #runsSince = Number.POSITIVE_INFINITY;
  /** How often in a row the deployment was shown as waiting since then. */
  #waits = 0;
  #isUnknownWork = false;
  /** Steps whose end was never reported. */
  readonly #unreported = new Set<number>();

  constructor(options: JobRecorderOptions) {
    this.#options = options;
    this.#started = momentOf(options.clock);
  }

  get claim(): DeploymentIds | undefined {
    return this.#claim;
  }

  get claimedAt(): Moment | undefined {
    return this.#claimedAt;
  }

  /** The last accepted heartbeat; the claim counts as the first. Undefined without a claim. */
  get lastHeartbeat(): Moment | undefined {
    return this.#lastHeartbeat;
  }

  /** Why Pulumi Cloud no longer wants the job; undefined while it does. */
  get cancellation(): string | undefined {
    return this.#cancellation;
  }

  get image(): string | undefined {
    return this.#outline === undefined
      ? undefined
      : (this.#options.config.image ?? this.#outline.image ?? DEFAULT_IMAGE);
  }

  /** Seconds from the start to the claim, or to now without one. */
  get waitSeconds(): number {
    return ((this.#claimedAt?.steady ?? this.#options.clock.steady()) - this.#started.steady) / 1000;
  }

  /** Records the first claim, which is the run's. */
  claimed({
    oidcToken,
    kind,
    ...claim
  }: DeploymentIds & { readonly oidcToken: string | undefined; readonly kind?: string | undefined }): void {
    if (this.#claim !== undefined) return;

    const { record, clock, config, redactor, onClaim } = this.#options;

    this.#claim = claim;

    const identification = new Identification({
      claim: { ...claim, oidcToken, kind },
      service: config,
      redact: (text) => redactor.text(text),
      onNamed: (named) => record.event({ type: 'identified', ...named }),
      notice: (message) => record.notice('warning', message),
    });

    this.#identification = identification;
    this.#claimedAt = momentOf(clock);
    this.#lastHeartbeat = this.#claimedAt;

    record.event({
      type: 'claimed',
      ...claim,
      kind,
      ...identification.named,
      waitSeconds: this.waitSeconds,
      consoleUrl: consoleUrl(config, config.organizationName),
    });

    onClaim(identification.ids);
  }

  /** The deployment's name, as far as known. */
  get deployment(): Partial<NamedDeployment> {
    return this.#identification?.named ?? {};
  }

  /** What the work says it is, where that isn't a deployment. */
  get kind(): string | undefined {
    return this.#identification?.kind;
  }

  /** Called with the job's variables, whose secrets the redactor knows. */
  async identify(variables: JobDefinition['env']): Promise<void> {
    await this.#identification?.identify(variables, NEVER);
    if (this.#identification !== undefined) this.#options.onClaim(this.#identification.ids);
  }

  /**
   * Called when work of a kind that our agent doesn't serve was given out: its job and its reports
   * are unknown.
   */
  unknownWork(): void {
    this.#isUnknownWork = true;
  }

  /** True if such work is all there is. */
  get isUnknownWork(): boolean {
    return this.#isUnknownWork && this.#claim === undefined;
  }

  /** True if the definition lists every step. */
  get knowsSteps(): boolean {
    return this.#outline !== undefined && this.#outline.isGuess !== true;
  }

  /** Called with the job's definition; the first one counts. */
  loaded(outline: JobOutline): void {
    if (this.#outline !== undefined) return;
    this.#outline = outline;
    const { image = DEFAULT_IMAGE } = this;
    this.#options.record.event({ type: 'job-loaded', image, steps: [...outline.steps] });
  }

  /** True once the definition was read, and the secrets that the job's output can hold are hidden. */
  get hidesSecrets(): boolean {
    return this.#outline !== undefined && this.#outline.hidesSecrets !== false;
  }

  heartbeat(): void {
    if (this.#claim !== undefined) this.#lastHeartbeat = momentOf(this.#options.clock);
  }

  /** Called when Pulumi Cloud accepted a step's status. */
  async stepStatus(index: number, status: 'running' | 'succeeded' | 'failed'): Promise<void> {
    const step = this.#step(index);
    if (status === 'running') this.#runsSince = Math.min(this.#runsSince, this.#options.clock.steady());
    else await step.finish({ status });
  }

  /** Called when Pulumi Cloud accepted lines of a step. Resolves when the disk can take more. */
  async lines(index: number, lines: LogLines): Promise<void> {
    const step = this.#step(index);
    if (step.end !== undefined) return;
    const { full, gap } = step.addLines(lines);
    if (gap > 0)
      this.#options.record.notice('warning', `${gap} lines of step ${index} were not seen by the relay.`);
    await full;
  }

  /**
   * Called when it is unknown whether Pulumi Cloud has lines of a step. One that has not begun keeps none. Resolves when
   * the disk can take more.
   */
  async undeliveredLines(index: number, lines: LogLines): Promise<void> {
    const step = this.#steps.get(index);
    if (step?.end === undefined) await step?.addUndelivered(lines);
  }

  /**
   * Called when Pulumi Cloud refused lines of a step; one that it has not accepted yet doesn't
   * exist.
   */
  linesRefused(index: number): void {
    this.#steps.get(index)?.linesRefused();
  }

  /**
   * Called with a deployment's status, and when it was asked for by the steady clock.
   * `not-started`, twice after a step ran, means that it was taken away (protocol section 5).
   */
  deploymentStatus(status: string, askedAt: number): void {
    this.#waits = status === 'not-started' && askedAt >= this.#runsSince ? this.#waits + 1 : 0;
    const isEnded = ['failed', 'skipped', 'cancelled'].includes(status) || this.#waits > 1;
    if (!isEnded || this.#cancellation !== undefined || this.result !== 'unfinished') return;
    this.#cancellation = 'the deployment was cancelled in Pulumi Cloud';
    this.#options.record.event({ type: 'stopping', by: 'cloud', reason: this.#cancellation });
  }

  /** The result by the statuses accepted so far. */
  get result(): 'succeeded' | 'failed' | 'unfinished' {
    if (this.failedStep !== undefined) return 'failed';
    const expected = Math.max(this.#outline?.steps.length ?? 0, MIN_STEPS);
    const steps = [...this.#steps.values()];
    const isDone = steps.length >= expected && steps.every(({ end }) => end?.status === 'succeeded');
    return isDone ? 'succeeded' : 'unfinished';
  }

  /** True while a step runs. */
  get isBusy(): boolean {
    return [...this.#steps.values()].some(({ end }) => end === undefined);
  }

  /** The first step that was reported as failed. */
  get failedStep(): FailedStep | undefined {
    for (const { index, name, end, error } of this.#steps.values())
      if (end?.status === 'failed' && !this.#unreported.has(index))
        return { index, name, reason: end.reason, error };
    return undefined;
  }

  /** Ends every running step with `end`, and returns all steps' results. Never rejects. */
  async close(end: StepEnd): Promise<StepResult[]> {
    for (const [index, step] of this.#steps) if (step.end === undefined) this.#unreported.add(index);
    const results = await Promise.all([...this.#steps.values()].map((step) => step.finish(end)));

    const none = {
      lines: 0,
      bytes: 0,
      cloud: { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 },
    };

    const count = Math.max(this.#outline?.steps.length ?? 0, ...results.map(({ index }) => index + 1), 0);

    return Array.from(
      { length: count },
      (_, index): StepResult =>
        results.find((step) => step.index === index) ?? {
          index,
          name: this.#nameOf(index),
          status: 'not-started',
          ...none,
        },
    );
  }

  #nameOf(index: number): string {
    return this.#outline?.steps[index] || `Step ${index}`;
  }

  #step(index: number): StepRecorder {
    const existing = this.#steps.get(index);
    if (existing !== undefined) return existing;
    const { redactor, clock, record } = this.#options;
    const step = new StepRecorder({ index, name: this.#nameOf(index), redactor, clock, record });
    this.#steps.set(index, step);
    return step;
  }
}
