import { messageOf } from '../outcome.ts';
import { processSpace } from '../record/fate.ts';
import type { Target } from '../target/target.ts';
import { fateByLabels, hostLabels } from './labels.ts';

/** Milliseconds that a dead agent's container gets to interrupt its step and to end by itself: it takes ten seconds at most. */
export const ORPHAN_GRACE_MS = 12_000;
/** Milliseconds after a claim: what is measured of a job's start is over by then. */
const AFTER_CLAIM_MS = 3_000;
/** Milliseconds at the agent's own end, for a sweep that has not ended by then. */
const END_MS = 2_000;

/** Removes what agents of this host left whose process is provably dead. Returns a line per object removed. */
export async function sweepOrphans(
  target: Target,
  host: string,
  how: { readonly signal: AbortSignal; readonly graceMs?: number; readonly hurry?: AbortSignal },
): Promise<string[]> {
  const here = processSpace();
  const only = (labels: Readonly<Record<string, string>>) => fateByLabels(labels, here) === 'dead';
  const abandoned = (await target.sweepAbandoned?.(how.signal)) ?? [];
  return [...abandoned, ...(await target.sweep(hostLabels(host), how.signal, { ...how, only }))];
}

export interface OrphanSweepOptions {
  readonly target: Target;
  readonly host: string;
  /** Told each object that was removed. */
  readonly onRemoved: (line: string) => void;
  readonly onFailure: (message: string) => void;
}

/** An agent's one look for what others left: beside its work, never before it. */
export class OrphanSweep {
  readonly #options: OrphanSweepOptions;
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #run: Promise<void> | undefined;

  constructor(options: OrphanSweepOptions) {
    this.#options = options;
  }

  /** Begins, unless it has begun. */
  start(): void {
    this.#run ??= this.#sweep();
  }

  /** Begins a little later. */
  startSoon(): void {
    this.#timer ??= setTimeout(() => this.start(), AFTER_CLAIM_MS);
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

  async #sweep(): Promise<void> {
    const { target, host, onRemoved, onFailure } = this.#options;
    try {
      const how = { signal: this.#stop.signal, hurry: this.#hurry.signal, graceMs: ORPHAN_GRACE_MS };
      for (const line of await sweepOrphans(target, host, how)) onRemoved(line);
    } catch (error) {
      if (!this.#stop.signal.aborted) onFailure(messageOf(error));
    }
  }
}
