import { Outage, type OutageOptions } from '../cloud/outage.ts';
import { NEVER, within } from '../executor/deadline.ts';
import type { Executor } from '../executor/executor.ts';
import { fateByLabels, hostLabels } from '../executor/labels.ts';
import { messageOf } from '../outcome.ts';
import { processSpace } from '../record/owner.ts';

/** Milliseconds for which a dead agent's container, which interrupts its step by itself, is waited for. In Docker it takes ten seconds at most. */
export const ORPHAN_GRACE_MS = 12_000;
/** Milliseconds from one sweep to the next, give or take a quarter by chance: agents that were started together don't sweep together. */
const AGAIN_MS = 15 * 60_000;
/** Milliseconds at the agent's own end, for a sweep that has not ended by then. */
const END_MS = 2_000;

/** Removes what provably dead agents of this host left, and what only dead agents leave. Returns a line per object. Throws the first failure, once both were tried. */
export async function sweepOrphans(
  executor: Executor,
  host: string,
  how: { readonly signal: AbortSignal; readonly graceMs?: number; readonly hurry?: AbortSignal },
): Promise<string[]> {
  const here = processSpace();
  const only = (labels: Readonly<Record<string, string>>) => fateByLabels(labels, here) === 'dead';
  // One after the other: both would report what both see.
  const [elsewhere] = await Promise.allSettled([executor.sweepAbandoned?.(how.signal)]);
  const [ours] = await Promise.allSettled([executor.sweep(hostLabels(host), how.signal, { ...how, only })]);
  if (elsewhere.status === 'rejected') throw elsewhere.reason;
  if (ours.status === 'rejected') throw ours.reason;
  return [...(elsewhere.value ?? []), ...ours.value];
}

export interface OrphanSweepOptions extends Pick<OutageOptions, 'clock' | 'say'> {
  readonly executor: Executor;
  readonly host: string;
  /** From 0 to 1, by chance. */
  readonly random: () => number;
}

/** An agent's sweeps for what dead ones left: beside its work, never before it, and now and again while it waits. */
export class OrphanSweep {
  readonly #options: OrphanSweepOptions;
  readonly #outage: Outage;
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #dueAt = Number.NEGATIVE_INFINITY;

  constructor(options: OrphanSweepOptions) {
    this.#options = options;
    this.#outage = new Outage({ ...options, what: 'Looking for what dead agents left' });
  }

  /** Begins a sweep if one is due. Call it again and again. */
  begin(): void {
    if (this.#hurry.signal.aborted || this.#options.clock.steady() < this.#dueAt) return;
    this.#dueAt = Number.POSITIVE_INFINITY;
    this.#running = this.#sweep();
  }

  /** The agent ends: no sweep begins any more, and what still ends by itself isn't waited for. Never throws. */
  async end(): Promise<void> {
    this.#hurry.abort();
    await within(END_MS, NEVER, async () => this.#running).catch(() => this.#stop.abort());
  }

  async #sweep(): Promise<void> {
    const { executor, host, clock, random, say } = this.#options;
    const how = { signal: this.#stop.signal, hurry: this.#hurry.signal, graceMs: ORPHAN_GRACE_MS };
    try {
      for (const line of await sweepOrphans(executor, host, how))
        say('info', `${line} The agent that it belonged to is dead.`);
      this.#outage.over();
    } catch (cause) {
      const message = `What dead agents left could not be looked for: ${messageOf(cause)}`;
      if (!this.#stop.signal.aborted) this.#outage.failed(new Error(message, { cause }));
    }
    this.#dueAt = clock.steady() + AGAIN_MS * (0.75 + random() / 2);
  }
}
