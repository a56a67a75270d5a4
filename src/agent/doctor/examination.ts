import { defined } from '../../defined.ts';
import { DeadlineError, NEVER, within } from '../../executor/deadline.ts';
import { codeOf, messageOf, type Outcome, OutcomeError } from '../../outcome.ts';
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

/** How a check ended: what it hands on, or why it can't. */
export type Checked<T> = { readonly value: T; readonly missing?: never } | { readonly missing: string };

type Values<N extends readonly Checked<unknown>[]> = { [K in keyof N]: N[K] extends Checked<infer T> ? T : never };

interface ExaminationOptions {
  /** Ends all of it; its reason is what the running check says then. */
  readonly signal: AbortSignal;
  /** Takes every line that is printed. */
  readonly redact: (text: string) => string;
  readonly onReport: (check: DoctorCheck) => void;
}

/** Makes checks one after the other. None takes longer than its deadline, whatever it does with its signal. */
export class Examination {
  readonly reports: DoctorCheck[] = [];
  readonly #options: ExaminationOptions;
  /** What was begun, also where nothing waits for it any more. */
  readonly #running: Promise<unknown>[] = [];

  constructor(options: ExaminationOptions) {
    this.#options = options;
  }

  /** Makes a check if all of `needs` hand something on. What `run` throws is the failure, in its own words. */
  async check<T = undefined, const N extends readonly Checked<unknown>[] = readonly []>(
    { id, title, outcome, deadlineMs }: CheckSpec,
    needs: N,
    run: (signal: AbortSignal, ...values: Values<N>) => Promise<Finding<T>> | Finding<T>,
  ): Promise<Checked<T>> {
    const { signal, redact } = this.#options;
    const began = performance.now();
    const report = (status: CheckStatus, detail: string, more: Partial<DoctorCheck> = {}): void => {
      const lines = redact(detail).split(/\s*\n\s*/);
      const seconds = Math.round(performance.now() - began) / 1000;
      const check = { id, title, status, detail: lines.filter((line) => line !== '').join(' | '), seconds, ...more };
      this.reports.push(check);
      this.#options.onReport(check);
    };
    const missing = signal.aborted ? 'interrupted' : needs.find((need) => need.missing !== undefined)?.missing;
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
      const late = `It took longer than ${deadlineMs / 1000} s, so it was given up. What it asked may be overloaded.`;
      const detail = error instanceof DeadlineError ? late : messageOf(error);
      const ended = signal.aborted ? 'interrupted' : error instanceof OutcomeError ? error.outcome : outcome;
      report('failed', detail, { outcome: ended, ...defined({ code: codeOf(error) }) });
      return { missing: `"${title}" failed` };
    }
  }

  /** Resolves when everything that was begun has cleaned up after itself, or after `ms` milliseconds. */
  async settled(ms: number): Promise<void> {
    await within(ms, NEVER, () => Promise.allSettled(this.#running)).catch(() => undefined);
  }
}
