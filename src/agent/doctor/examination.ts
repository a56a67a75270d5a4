import { defined } from '../../defined.ts';
import { within } from '../../executor/deadline.ts';
import { clause, codeOf, messageOf, type Outcome, OutcomeError } from '../../outcome.ts';
import type { CheckStatus, DoctorCheck } from '../../record/doctor-report.ts';

/** What a check saw, and what it hands to those that build on it. */
export type Finding<T = undefined> = {
  readonly status: Exclude<CheckStatus, 'failed'>;
  readonly detail: string;
} & (undefined extends T ? { readonly value?: T } : { readonly value: T });

export interface CheckSpec {
  readonly id: string;
  readonly title: string;
  /** The outcome of a run that fails here, unless the error knows a better one. */
  readonly outcome: Outcome;
  /** Milliseconds. */
  readonly deadlineMs: number;
}

/** How a check ended. */
interface Ended<T> {
  readonly report: DoctorCheck;
  /** For those that build on it. */
  readonly value?: T;
  /** Why it failed or couldn't be made: then the checks that need it are skipped. */
  readonly missing?: string;
}

/** A check that was begun. */
export interface Checked<T> {
  readonly title: string;
  readonly ended: Promise<Ended<T>>;
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
  /** What was begun, also where nobody waits for it any more. */
  readonly #running: Promise<unknown>[] = [];

  /** `redact` takes every line that is told; `signal` ends all of it, and its reason is what is told then. */
  constructor(signal: AbortSignal, redact: (text: string) => string) {
    this.#signal = signal;
    this.#redact = redact;
  }

  /** Begins a check once all of `needs` hand something on. What `run` throws is the failure, told by its message. */
  check<T = undefined, const N extends readonly Checked<unknown>[] = readonly []>(
    spec: CheckSpec,
    needs: N,
    run: (signal: AbortSignal, ...values: Values<N>) => Promise<Finding<T>> | Finding<T>,
  ): Checked<T> {
    const checked = { title: spec.title, ended: this.#examine(spec, needs, run) };
    this.#checks.push(checked);
    return checked;
  }

  /** The reports in their order, each as soon as it and those before it are there. */
  async *reports(): AsyncGenerator<DoctorCheck> {
    for (const { ended } of this.#checks) yield (await ended).report;
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

  async #examine<T, N extends readonly Checked<unknown>[]>(
    { id, title, outcome, deadlineMs }: CheckSpec,
    needs: N,
    run: (signal: AbortSignal, ...values: Values<N>) => Promise<Finding<T>> | Finding<T>,
  ): Promise<Ended<T>> {
    const values: unknown[] = [];
    for (const { ended } of needs) {
      const { value, missing } = await ended;
      if (missing !== undefined)
        return { report: { id, title, status: 'skipped', detail: `skipped: ${missing}`, seconds: 0 }, missing };
      values.push(value);
    }
    const began = performance.now();
    const told = (status: CheckStatus, detail: string): DoctorCheck => {
      const lines = this.#redact(detail)
        .split('\n')
        .map((line) => line.trim());
      const seconds = Math.round(performance.now() - began) / 1000;
      return { id, title, status, detail: lines.filter((line) => line !== '').join(' | '), seconds };
    };
    let given: AbortSignal | undefined;
    try {
      const { status, detail, value } = await within(deadlineMs, this.#signal, (signal) => {
        given = signal;
        const running = (async () => run(signal, ...(values as unknown as Values<N>)))();
        this.#running.push(running);
        return running;
      });
      return { report: told(status, detail), value: value as T };
    } catch (error) {
      const detail =
        given?.reason === error && !this.#signal.aborted
          ? `It took longer than ${deadlineMs / 1000} s, so it was given up. Whatever it asked may be overloaded.`
          : messageOf(error);
      const ended = this.#signal.aborted ? 'interrupted' : error instanceof OutcomeError ? error.outcome : outcome;
      return {
        report: { ...told('failed', detail), outcome: ended, ...defined({ code: codeOf(error) }) },
        missing: `"${title}" failed`,
      };
    }
  }
}

/** A cause as a part of a sentence, without its full stop. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.map(reasonOf).join('; ');
  return clause(messageOf(error));
}
