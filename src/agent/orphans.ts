import { NEVER } from '../base/clock.ts';
import { within } from '../base/deadline.ts';
import { Outage, type OutageContext } from '../base/log/outage.ts';
import { messageOf } from '../base/outcome.ts';
import { ORPHAN_GRACE_MS } from '../base/owner.ts';
import type { Executor } from '../executor/executor.ts';
import { ANY_OWNER, livenessByLabels } from '../executor/owner-labels.ts';

/**
 * Time between sweeps, with 25 % jitter either way, so that agents started together don't
 * sweep together.
 */
const INTERVAL_MS = 15 * 60_000;

/** Time to let a running sweep finish when the agent ends. */
const END_MS = 2_000;

/**
 * Removes what provably dead agents of this machine left, and objects that only dead agents leave.
 * Returns one line per object. Throws the first failure after trying both.
 */
export async function sweepOrphans(
  executor: Executor,
  how: { readonly signal: AbortSignal; readonly graceMs?: number; readonly skipGrace?: AbortSignal },
): Promise<string[]> {
  const only = (labels: Readonly<Record<string, string>>) => livenessByLabels(labels) === 'dead';
  // In turn: side by side, both would report the objects that both see.
  const [elsewhere] = await Promise.allSettled([executor.sweepAbandoned?.(how.signal)]);
  const [ours] = await Promise.allSettled([executor.sweep(ANY_OWNER, how.signal, { ...how, only })]);
  if (elsewhere.status === 'rejected') throw elsewhere.reason;
  if (ours.status === 'rejected') throw ours.reason;
  return [...(elsewhere.value ?? []), ...ours.value];
}

export interface OrphanSweepOptions extends OutageContext {
  readonly executor: Executor;
  /** A random number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * Sweeps up after dead agents, repeatedly while this one waits, and never ahead of its own work.
 */
export class OrphanSweep {
  readonly #options: OrphanSweepOptions;
  readonly #outage: Outage;
  readonly #skipGrace = new AbortController();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(options: OrphanSweepOptions) {
    this.#options = options;
    this.#outage = new Outage('Looking for the remains of dead agents', options);
  }

  /** Begins a sweep if one is due. Call it often. */
  begin(): void {
    if (this.#skipGrace.signal.aborted || this.#options.clock.steady() < this.#dueAt) return;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#running = this.#sweep();
  }

  /**
   * Begins no more sweeps, and stops waiting for containers that end by themselves. Never throws.
   */
  async end(): Promise<void> {
    this.#skipGrace.abort();
    await within(END_MS, NEVER, async () => this.#running).catch(() => this.#stop.abort());
  }

  async #sweep(): Promise<void> {
    const { executor, clock, random, say } = this.#options;
    const how = { signal: this.#stop.signal, skipGrace: this.#skipGrace.signal, graceMs: ORPHAN_GRACE_MS };

    try {
      for (const line of await sweepOrphans(executor, how)) say('info', `${line} Its agent is dead.`);
      this.#outage.over();
    } catch (cause) {
      const message = `Failed to look for the remains of dead agents: ${messageOf(cause)}`;
      if (!this.#stop.signal.aborted) this.#outage.failed(new Error(message, { cause }));
    }

    this.#dueAt = clock.steady() + INTERVAL_MS * (0.75 + random() / 2);
  }
}
