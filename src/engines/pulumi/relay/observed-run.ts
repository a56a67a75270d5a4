import { type Clock, type Moment, momentOf } from '../../../clock.ts';
import { consoleUrl } from '../../../cloud/organization-wire.ts';
import { defined } from '../../../defined.ts';
import type { Redactor } from '../../../log/redactor.ts';
import type { StepEnd } from '../../../record/recorded-step.ts';
import type { RunRecord } from '../../../record/run-record.ts';
import type { StepResult } from '../../../record/schema.ts';
import { type ObservedLines, ObservedStep } from './observed-step.ts';

/** The image of a job that names none (protocol section 3). */
const DEFAULT_IMAGE = 'pulumi/pulumi:latest';
const LEAST_STEPS = 1;

/** What names the work that was claimed. */
export interface ObservedClaim {
  readonly jobId: string;
  readonly runId: string;
  readonly deploymentId: string;
}

/** What a definition says of its job, as far as it is shown. */
export interface ObservedDefinition {
  readonly image: string | undefined;
  /** By index. */
  readonly steps: readonly string[];
  /** It was read by guess: there may be more steps. */
  readonly isGuess?: boolean;
}

export interface ObservedRunOptions {
  readonly record: Pick<RunRecord, 'event' | 'notice' | 'stepLog'>;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly serviceUrl: string;
  readonly organizationName?: string | undefined;
  /** Takes the place of every job's image. */
  readonly image?: string | undefined;
  readonly onClaim: (claim: ObservedClaim) => void;
}

/** A step that was reported as failed. */
export interface FailedStep {
  readonly index: number;
  readonly name: string;
  readonly reason: string | undefined;
}

/** What became of the claimed work, as far as it was seen. */
export type ObservedVerdict = 'succeeded' | 'failed' | 'unfinished';

/** One run of another program, from what is seen of it: written to the record as our own agent writes its runs. */
export class ObservedRun {
  readonly #options: ObservedRunOptions;
  readonly #began: Moment;
  readonly #steps = new Map<number, ObservedStep>();
  #claim: ObservedClaim | undefined;
  #claimedAt: Moment | undefined;
  #lastHeartbeat: Moment | undefined;
  #definition: ObservedDefinition | undefined;
  #cancelled: string | undefined;
  #wasRunning = false;
  #isForeign = false;
  /** Steps whose end nobody reported. */
  readonly #untold = new Set<number>();

  constructor(options: ObservedRunOptions) {
    this.#options = options;
    this.#began = momentOf(options.clock);
  }

  get claim(): ObservedClaim | undefined {
    return this.#claim;
  }

  get claimedAt(): Moment | undefined {
    return this.#claimedAt;
  }

  /** Of the last heartbeat that was accepted; the claim counts as the first. Undefined without a claim. */
  get lastHeartbeat(): Moment | undefined {
    return this.#lastHeartbeat;
  }

  /** Why Pulumi Cloud wants the job no more; undefined while it does. */
  get cancelled(): string | undefined {
    return this.#cancelled;
  }

  get image(): string | undefined {
    return this.#definition === undefined
      ? undefined
      : (this.#options.image ?? this.#definition.image ?? DEFAULT_IMAGE);
  }

  /** Seconds from the start to the claim, or until now. */
  get waitSeconds(): number {
    return ((this.#claimedAt?.steady ?? this.#options.clock.steady()) - this.#began.steady) / 1000;
  }

  /** The first one is the run's; false for another. */
  claimed(claim: ObservedClaim): boolean {
    if (this.#claim !== undefined) return this.#claim.jobId === claim.jobId;
    const { record, clock, serviceUrl, organizationName, onClaim } = this.#options;
    this.#claim = claim;
    this.#claimedAt = momentOf(clock);
    this.#lastHeartbeat = this.#claimedAt;
    const page = consoleUrl(serviceUrl, organizationName);
    record.event({ type: 'claimed', ...claim, waitSeconds: this.waitSeconds, ...defined({ consoleUrl: page }) });
    onClaim(claim);
    return true;
  }

  /** Work of a kind that ours doesn't serve was given out: how it is kept and reported is not known here. */
  foreign(claim: ObservedClaim | undefined): void {
    this.#isForeign ||= this.#claim === undefined;
    if (claim !== undefined) this.claimed(claim);
    // What renews such a lease would go unnoticed.
    if (this.#isForeign) this.#lastHeartbeat = undefined;
  }

  /** Work of which nothing is seen but that it was given out. */
  get isUnseen(): boolean {
    return this.#isForeign && this.#steps.size === 0;
  }

  /** True when the definition says which steps there are. */
  get knowsSteps(): boolean {
    return this.#definition !== undefined && this.#definition.isGuess !== true;
  }

  defined(definition: ObservedDefinition): void {
    if (this.#definition !== undefined) return;
    this.#definition = definition;
    const { image = DEFAULT_IMAGE } = this;
    this.#options.record.event({ type: 'job-loaded', image, steps: [...definition.steps] });
  }

  /** True once the definition was read: what is secret in the job's output is known then. */
  get isDefined(): boolean {
    return this.#definition !== undefined;
  }

  heartbeat(): void {
    if (this.#claim !== undefined) this.#lastHeartbeat = momentOf(this.#options.clock);
  }

  /** A step's status was taken. */
  async stepStatus(index: number, status: 'running' | 'succeeded' | 'failed'): Promise<void> {
    const step = this.#step(index);
    if (status !== 'running') await step.finish({ status });
  }

  /** Lines of a step were taken. Resolves when the disk can take more. */
  async lines(index: number, lines: ObservedLines): Promise<void> {
    const step = this.#step(index);
    if (step.end !== undefined) return;
    const { full, gap } = step.took(lines);
    if (gap > 0) this.#options.record.notice('warning', `${gap} lines of step ${index} were not seen by the relay.`);
    await full;
  }

  linesRefused(index: number): void {
    this.#step(index).refused();
  }

  /** What Pulumi Cloud says of the deployment. `not-started` behind another word means that it was taken away (protocol section 5). */
  deploymentStatus(status: string): void {
    const isEnded = ['failed', 'skipped', 'cancelled'].includes(status);
    const isTakenAway = status === 'not-started' && this.#wasRunning;
    this.#wasRunning ||= status === 'running';
    if ((!isEnded && !isTakenAway) || this.verdict !== 'unfinished') return;
    this.gone('the deployment was cancelled in Pulumi Cloud');
  }

  /** Pulumi Cloud wants the job no more. Said once. */
  gone(reason: string): void {
    if (this.#cancelled !== undefined || this.verdict !== 'unfinished') return;
    this.#cancelled = reason;
    this.#options.record.event({ type: 'stopping', by: 'cloud', reason });
  }

  /** What the statuses say that were taken so far. */
  get verdict(): ObservedVerdict {
    return this.failedStep === undefined ? this.#verdict : 'failed';
  }

  /** A step runs. */
  get isBusy(): boolean {
    return [...this.#steps.values()].some(({ end }) => end === undefined);
  }

  /** The first step that was reported as failed. */
  get failedStep(): FailedStep | undefined {
    for (const { index, name, end } of this.#steps.values())
      if (end?.status === 'failed' && !this.#untold.has(index)) return { index, name, reason: end.reason };
    return undefined;
  }

  /** Ends what still runs so, and returns every step's result. Never rejects. */
  async close(end: StepEnd): Promise<StepResult[]> {
    for (const [index, step] of this.#steps) if (step.end === undefined) this.#untold.add(index);
    const known = await Promise.all([...this.#steps.values()].map((step) => step.finish(end)));
    const none = { lines: 0, bytes: 0, cloud: { sent: 0, undelivered: 0, batches: 0, retries: 0, failures: 0 } };
    const count = Math.max(this.#definition?.steps.length ?? 0, ...known.map(({ index }) => index + 1), 0);
    return Array.from(
      { length: count },
      (_, index): StepResult =>
        known.find((step) => step.index === index) ?? {
          index,
          name: this.#nameOf(index),
          status: 'not-started',
          ...none,
        },
    );
  }

  get #verdict(): ObservedVerdict {
    const expected = Math.max(this.#definition?.steps.length ?? 0, LEAST_STEPS);
    const isDone =
      this.#steps.size >= expected && [...this.#steps.values()].every(({ end }) => end?.status === 'succeeded');
    return isDone ? 'succeeded' : 'unfinished';
  }

  #nameOf(index: number): string {
    return this.#definition?.steps[index] || `Step ${index}`;
  }

  #step(index: number): ObservedStep {
    const known = this.#steps.get(index);
    if (known !== undefined) return known;
    const step = new ObservedStep({ index, name: this.#nameOf(index), ...this.#options });
    this.#steps.set(index, step);
    return step;
  }
}
