import type { Body } from './body.ts';
import type { Call } from './calls.ts';

/** One call with a credential of the run that went through or was cut off. */
export interface Exchange {
  readonly call: Call;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly requestHeaders: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly request: Body;
  /** Undefined when no answer came. */
  readonly status: number | undefined;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly response: Body;
  /** Why there is no answer, or only part of one. */
  readonly failure?: string;
  /** When the call arrived, in milliseconds since the epoch. */
  readonly at: number;
  /** The same by the steady clock, to compare it with other moments. */
  readonly began: number;
  /** Milliseconds from then to the end of the answer. */
  readonly ms: number;
}
