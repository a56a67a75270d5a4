import { type Clock, type Moment, momentOf, type Passed, passedSince } from '../clock.ts';

/** Pulumi Cloud fails a deployment after 10 minutes without a heartbeat (protocol section 2): two before, we stop it ourselves. */
export const OVER_MS = 10 * 60_000;
export const FENCE_MS = OVER_MS - 2 * 60_000;
/** Milliseconds from one heartbeat to the next (protocol section 5), and from a failed one to the next try. */
const INTERVAL_MS = 30_000;
const RETRY_MS = 5_000;
/** Milliseconds from one look at the clock to the next: timers stand still while the machine is suspended. */
const LOOK_MS = 5_000;
/** The part of the fence that heartbeats have left however far the wall clock has jumped: a minute, for one that hangs and the next. */
const DOUBT = 1 / 8;
/** Milliseconds that a job has to end where Pulumi Cloud's time is over by the wall clock alone: nobody here knows whether it is. */
const LEAST_MS = 60_000;

export interface LeaseOptions {
  readonly clock: Clock;
  /** Sends one heartbeat. Rejects when it isn't accepted, and when `signal` aborts. */
  readonly beat: (signal: AbortSignal) => Promise<void>;
  readonly onAccepted: () => void;
  readonly onFailure: (error: unknown) => void;
  /** No heartbeat was accepted for 8 minutes, or perhaps for as long: nothing may run past `endBy` (steady clock). Told once. */
  readonly onLost: (passed: Passed, endBy: number) => void;
}

/** Sends the heartbeats from `start` to `stop`, and has the job stopped before Pulumi Cloud gives it up; goes on even then, for the reports. */
export class Lease {
  readonly #options: LeaseOptions;
  readonly #ended = new AbortController();
  readonly #over = new AbortController();
  /** Aborts when Pulumi Cloud has surely failed the run: 10 minutes without an accepted heartbeat. Not after `stop`. */
  readonly over = this.#over.signal;
  /** The claim itself counts as the first heartbeat: the server's clock starts there. */
  #lastAccepted: Moment;
  #loops: Promise<unknown> | undefined;

  constructor(options: LeaseOptions) {
    this.#options = options;
    this.#lastAccepted = momentOf(options.clock);
  }

  /** When the last accepted heartbeat was sent, or the claim was made. */
  get lastAccepted(): Moment {
    return this.#lastAccepted;
  }

  /** Milliseconds until the fence falls if no heartbeat is accepted; negative when it has fallen. */
  get leftMs(): number {
    return FENCE_MS - passedSince(this.#lastAccepted, this.#options.clock).surely;
  }

  start(): void {
    this.#loops ??= Promise.all([this.#beat(), this.#watch()]);
  }

  /** Ends the heartbeats; when it resolves, none is in flight. */
  async stop(): Promise<void> {
    this.#ended.abort();
    await this.#loops;
  }

  async #beat(): Promise<void> {
    const { beat, clock, onAccepted, onFailure } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const asked = momentOf(clock);
      let [since, ms] = [asked, INTERVAL_MS];
      try {
        await beat(signal);
        this.#lastAccepted = asked;
        onAccepted();
      } catch (error) {
        if (signal.aborted) return;
        onFailure(error);
        [since, ms] = [momentOf(clock), RETRY_MS];
      }
      // A clock that jumps forward ends the wait: what was asked before may be out of date.
      await this.#passed(() => ms - passedSince(since, clock).perhaps);
    }
  }

  /** A loop of its own, because a heartbeat that hangs must keep neither the fence from falling nor the lease from being over. */
  async #watch(): Promise<void> {
    const { clock, onLost } = this.#options;
    const { signal } = this.#ended;
    await this.#fence();
    if (signal.aborted) return;
    const passed = passedSince(this.#lastAccepted, clock);
    onLost(passed, clock.steady() + Math.max(OVER_MS - passed.perhaps, LEAST_MS));
    await this.#passed(() => OVER_MS - passedSince(this.#lastAccepted, clock).surely);
    if (!signal.aborted) this.#over.abort();
  }

  /** Resolves when the fence has fallen, or at the stop. Where only the wall clock says so, the heartbeat asks Pulumi Cloud first. */
  #fence(): Promise<void> {
    const { clock } = this.#options;
    let doubted: Moment | undefined;
    return this.#passed(() => {
      const passed = passedSince(this.#lastAccepted, clock);
      doubted = passed.perhaps < FENCE_MS * (1 - DOUBT) ? undefined : (doubted ?? momentOf(clock));
      const answer = doubted === undefined ? FENCE_MS : FENCE_MS * DOUBT - passedSince(doubted, clock).surely;
      return Math.min(FENCE_MS - passed.surely, answer);
    });
  }

  /** Resolves when `left` returns no more milliseconds, or at the stop. */
  async #passed(left: () => number): Promise<void> {
    const { signal } = this.#ended;
    for (let ms = left(); ms > 0 && !signal.aborted; ms = left())
      await this.#options.clock.sleep(Math.min(ms, LOOK_MS), signal).catch(() => undefined);
  }
}
