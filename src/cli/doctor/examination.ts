import { NEVER } from '../../base/clock.ts';
import { DeadlineError, within } from '../../base/deadline.ts';
import { defined } from '../../base/defined.ts';
import { codeOf, messageOf, type Outcome, OutcomeError } from '../../base/outcome.ts';
import type { CheckStatus, DoctorCheck } from '../../record/doctor-report.ts';

/** The finding of a check, and the value it passes to checks that depend on it. */
export type Finding<T = undefined> = {
  readonly status: Exclude<CheckStatus, 'failed'>;
  readonly detail: string;
} & (undefined extends T ? { readonly value?: T } : { readonly value: T });

export interface CheckSpec {
  readonly id: string;
  readonly title: string;
  /** The outcome of a run that fails here, unless the error carries its own. */
  readonly outcome: Outcome;
  readonly deadlineMs: number;
}

/** How a check ended: the value it passes on, or why there is none. */
export type Checked<T> = { readonly value: T; readonly missing?: never } | { readonly missing: string };

type Values<N extends readonly Checked<unknown>[]> = {
  [K in keyof N]: N[K] extends Checked<infer T> ? T : never;
};

/** Runs checks one by one. None takes longer than its deadline, even if it ignores its signal. */
export class Examination {
  readonly reports: DoctorCheck[] = [];
  readonly #signal: AbortSignal;
  readonly #redact: (text: string) => string;
  readonly #show: (check: DoctorCheck) => void;
  /** Every check begun, including those abandoned at their deadline. */
  readonly #running: Promise<unknown>[] = [];

  /**
   * `signal` aborts the examination, and its reason becomes the running check's detail; `redact` is
   * applied to every detail.
   */
  constructor(signal: AbortSignal, redact: (text: string) => string, show: (check: DoctorCheck) => void) {
    this.#signal = signal;
    this.#redact = redact;
    this.#show = show;
  }

  /**
   * Runs a check if all of `needs` have a value. A failure's detail is the message of what `run`
   * throws.
   */
  async check<T = undefined, const N extends readonly Checked<unknown>[] = readonly []>(
    { id, title, outcome, deadlineMs }: CheckSpec,
    needs: N,
    run: (signal: AbortSignal, ...values: Values<N>) => Promise<Finding<T>> | Finding<T>,
  ): Promise<Checked<T>> {
    const signal = this.#signal;
    const began = performance.now();

    const report = (status: CheckStatus, detail: string, more: Partial<DoctorCheck> = {}): void => {
      const lines = this.#redact(detail).split(/\s*\n\s*/);
      const seconds = Math.round(performance.now() - began) / 1000;

      const check = {
        id,
        title,
        status,
        detail: lines.filter((line) => line !== '').join(' | '),
        seconds,
        ...more,
      };

      this.reports.push(check);
      this.#show(check);
    };

    const missing = signal.aborted
      ? 'interrupted'
      : needs.find((need) => need.missing !== undefined)?.missing;

    if (missing !== undefined) {
      report('skipped', `skipped: ${missing}`);
      return { missing };
    }

    const values = needs.map((need) => ('value' in need ? need.value : undefined)) as unknown as Values<N>;
    try {
      const { status, detail, value } = await within(deadlineMs, signal, (limited) => {
        const running = (async () => run(limited, ...values))();
        this.#running.push(running);
        return running;
      });
      report(status, detail);
      return { value: value as T };
    } catch (error) {
      const late = `Gave up after ${deadlineMs / 1000} s without a result. Perhaps the other side is overloaded.`;
      const detail = error instanceof DeadlineError ? late : messageOf(error);
      const ended = signal.aborted ? 'interrupted' : error instanceof OutcomeError ? error.outcome : outcome;
      report('failed', detail, { outcome: ended, ...defined({ code: codeOf(error) }) });
      return { missing: `"${title}" failed` };
    }
  }

  /** Resolves when every check begun has settled, or after `ms` milliseconds. */
  async settled(ms: number): Promise<void> {
    await within(ms, NEVER, () => Promise.allSettled(this.#running)).catch(() => undefined);
  }
}
