import type { Outage } from '../cloud/outage.ts';
import type { Executor } from '../executor/executor.ts';
import { fateByLabels, hostLabels } from '../executor/labels.ts';
import { messageOf } from '../outcome.ts';
import { processSpace } from '../record/owner.ts';

/**
 * Milliseconds for which a dead agent's container is waited for, that interrupts its step and ends by itself: in Docker it takes ten
 * seconds at most, on a cluster its own time.
 */
export const ORPHAN_GRACE_MS = 12_000;
/** Milliseconds after a claim: what is measured of a job's start is over by then. */
const AFTER_CLAIM_MS = 3_000;
/**
 * Milliseconds from one look for what dead agents left elsewhere to the next one, give or take a quarter by chance: agents that were
 * started together don't look together. What such an agent ran ends minutes after it, and is then left alone for ten more.
 */
const LOOK_AGAIN_MS = 15 * 60_000;
/** Milliseconds at the agent's own end, for a sweep that has not ended by then. */
const END_MS = 2_000;

/**
 * Removes what agents of this host left whose process is provably dead, and what only dead agents leave, wherever they were. Returns a
 * line per object. Throws the first failure, once both were tried.
 */
export async function sweepOrphans(
  target: Executor,
  host: string,
  how: { readonly signal: AbortSignal; readonly graceMs?: number; readonly hurry?: AbortSignal },
): Promise<string[]> {
  const here = processSpace();
  const only = (labels: Readonly<Record<string, string>>) => fateByLabels(labels, here) === 'dead';
  // One after the other: both would report what both see.
  const [elsewhere] = await Promise.allSettled([target.sweepAbandoned?.(how.signal)]);
  const [ours] = await Promise.allSettled([target.sweep(hostLabels(host), how.signal, { ...how, only })]);
  if (elsewhere.status === 'rejected') throw elsewhere.reason;
  if (ours.status === 'rejected') throw ours.reason;
  return [...(elsewhere.value ?? []), ...ours.value];
}

export interface OrphanSweepOptions {
  readonly target: Executor;
  readonly host: string;
  /** Milliseconds since some moment. */
  readonly steady: () => number;
  /** From 0 to 1, by chance. */
  readonly random: () => number;
  /** Told each object that was removed. */
  readonly onRemoved: (line: string) => void;
  /** Told how each look ended. */
  readonly outage: Outage;
}

/**
 * An agent's looks for what others left: beside its work, never before it. One for all of it, and then, for as long as the agent lives,
 * now and again one for what dead agents leave that can't be looked at from here: their jobs end minutes after them.
 */
export class OrphanSweep {
  readonly #options: OrphanSweepOptions;
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> | undefined;
  /** When it is time for another look; never while one is under way. */
  #dueAt = Number.POSITIVE_INFINITY;

  constructor(options: OrphanSweepOptions) {
    this.#options = options;
  }

  /** Begins, unless it has begun. */
  start(): void {
    const { target, host } = this.#options;
    const how = { signal: this.#stop.signal, hurry: this.#hurry.signal, graceMs: ORPHAN_GRACE_MS };
    this.#run ??= this.#look(() => sweepOrphans(target, host, how));
  }

  /** Begins a little later. */
  startSoon(): void {
    this.#timer ??= setTimeout(() => this.start(), AFTER_CLAIM_MS);
  }

  /** Says that there is no work, right behind a poll: the next one is a while off. Call it again and again: it does what is due. */
  waiting(): void {
    const { target, steady } = this.#options;
    this.start();
    if (steady() < this.#dueAt || this.#hurry.signal.aborted) return;
    this.#run = this.#look(async () => (await target.sweepAbandoned?.(this.#stop.signal)) ?? []);
  }

  /** The agent ends: nothing is begun any more, and what still ends by itself isn't waited for. Never throws. */
  async end(): Promise<void> {
    clearTimeout(this.#timer);
    this.#hurry.abort();
    if (this.#run === undefined) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#stop.abort();
      late.resolve();
    }, END_MS);
    await Promise.race([this.#run, late.promise]);
    clearTimeout(timer);
  }

  async #look(sweep: () => Promise<readonly string[]>): Promise<void> {
    const { target, steady, random, onRemoved, outage } = this.#options;
    this.#dueAt = Number.POSITIVE_INFINITY;
    try {
      for (const line of await sweep()) onRemoved(line);
      outage.over();
    } catch (cause) {
      const message = `What dead agents left could not be looked for: ${messageOf(cause)}`;
      if (!this.#stop.signal.aborted) outage.failed(new Error(message, { cause }));
    }
    if (target.sweepAbandoned !== undefined) this.#dueAt = steady() + LOOK_AGAIN_MS * (0.75 + random() / 2);
  }
}
