import { clause, messageOf, type Outcome, OutcomeError } from '../../outcome.ts';
import type { CheckStatus, DoctorCheck } from '../../record/doctor-report.ts';

/** What a check saw, and what it hands to those that build on it. */
export interface Finding<T> {
  readonly status: Exclude<CheckStatus, 'failed'>;
  readonly detail: string;
  readonly value: T;
}

export interface CheckSpec {
  readonly id: string;
  readonly title: string;
  /** The outcome of a run that fails here, unless the error knows a better one. */
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly deadlineMs: number;
}

/** A check that was begun. */
export interface Checked<T> {
  readonly id: string;
  readonly title: string;
  readonly report: Promise<DoctorCheck>;
  /** Undefined when it failed or couldn't be made: then whatever builds on it is skipped. */
  readonly value: Promise<{ readonly of: T } | undefined>;
  /** Why it has no value, for those that build on it. */
  readonly missing: Promise<string>;
}

type Values<N extends readonly Checked<unknown>[]> = { [K in keyof N]: N[K] extends Checked<infer T> ? T : never };

/**
 * Makes checks, side by side where they don't build on each other, and keeps their reports in the order in which they were
 * begun. A check never takes longer than its deadline, whatever it does with its signal.
 */
export class Examination {
  readonly #signal: AbortSignal;
  readonly #redact: (text: string) => string;
  readonly #checks: Checked<unknown>[] = [];
  /** What was begun and hasn't ended, also where nobody waits for it any more. */
  readonly #running = new Set<Promise<unknown>>();

  /** `redact` takes every line that is told; `signal` ends all of it. */
  constructor(signal: AbortSignal, redact: (text: string) => string) {
    this.#signal = signal;
    this.#redact = redact;
  }

  /** Begins a check once all of `needs` have a value. What `run` throws is the failure, told by its message. */
  check<T, const N extends readonly Checked<unknown>[]>(
    spec: CheckSpec,
    needs: N,
    run: (signal: AbortSignal, ...values: Values<N>) => Promise<Finding<T>> | Finding<T>,
  ): Checked<T> {
    const done = this.#examine(spec, needs, run as (signal: AbortSignal, ...values: unknown[]) => Promise<Finding<T>>);
    const checked: Checked<T> = {
      id: spec.id,
      title: spec.title,
      report: done.then(({ report }) => report),
      value: done.then(({ finding }) => (finding === undefined ? undefined : { of: finding.value })),
      missing: done.then(({ missing }) => missing),
    };
    this.#checks.push(checked);
    return checked;
  }

  /** The reports in their order, each as soon as it and those before it are there. */
  async *reports(): AsyncGenerator<DoctorCheck> {
    for (const { report } of this.#checks) yield await report;
  }

  /** The longest title, in characters. */
  get width(): number {
    return Math.max(...this.#checks.map(({ title }) => title.length));
  }

  /** Resolves when everything that was begun has cleaned up after itself, or after `ms` milliseconds. */
  async settled(ms: number): Promise<void> {
    const { promise: enough, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    await Promise.race([Promise.allSettled(this.#running), enough]);
    clearTimeout(timer);
  }

  async #examine<T>(
    { id, title, outcome, deadlineMs }: CheckSpec,
    needs: readonly Checked<unknown>[],
    run: (signal: AbortSignal, ...values: unknown[]) => Promise<Finding<T>>,
  ): Promise<{ report: DoctorCheck; finding?: Finding<T>; missing: string }> {
    const values: unknown[] = [];
    for (const need of needs) {
      const value = await need.value;
      if (value === undefined) {
        const missing = await need.missing;
        return { report: { id, title, status: 'skipped', detail: `skipped: ${missing}`, seconds: 0 }, missing };
      }
      values.push(value.of);
    }
    const began = performance.now();
    const told = (status: CheckStatus, detail: string): DoctorCheck => {
      const seconds = Math.round(performance.now() - began) / 1000;
      return { id, title, status, detail: this.#line(detail), seconds };
    };
    try {
      const finding = await within(deadlineMs, this.#signal, (signal) => this.#tracked(run(signal, ...values)));
      return { report: told(finding.status, finding.detail), finding, missing: '' };
    } catch (error) {
      const report = told('failed', messageOf(error));
      const ended = this.#signal.aborted ? 'interrupted' : error instanceof OutcomeError ? error.outcome : outcome;
      return { report: { ...report, outcome: ended }, missing: `"${title}" failed` };
    }
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    const running = Promise.resolve(work).finally(() => this.#running.delete(running));
    running.catch(() => undefined);
    this.#running.add(running);
    return running;
  }

  #line(detail: string): string {
    return this.#redact(detail)
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join(' | ');
  }
}

/** A cause as a part of a sentence: the innermost message, without its full stop. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return clause(messageOf(error));
}

async function within<T>(ms: number, outer: AbortSignal, run: (signal: AbortSignal) => Promise<T> | T): Promise<T> {
  const inner = new AbortController();
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (reason: Error) => {
    reject(reason);
    inner.abort(reason);
  };
  const onAbort = () => end(new Error('interrupted'));
  const timer = setTimeout(
    () =>
      end(new Error(`It took longer than ${ms / 1000} s, so it was given up. Whatever it asked may be overloaded.`)),
    ms,
  );
  outer.addEventListener('abort', onAbort, { once: true });
  if (outer.aborted) onAbort();
  try {
    return await Promise.race([Promise.resolve(inner.signal).then(run), ended]);
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', onAbort);
    ended.catch(() => undefined);
  }
}
