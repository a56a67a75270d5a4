import type { CloudLine } from './cloud-batch.ts';
import { cutPosition } from './text-cut.ts';

/** With fewer characters than this left, only the notice is sent. */
const SHORTEST_REST = 256;
/** No server's limit for a call is believed to be under this many characters. */
const PLAUSIBLE_LIMIT = 4 * 1024;

/** Shortens a line that Pulumi Cloud refuses as too large, and says so in the line. */
export class LineCutter {
  readonly #line: CloudLine;
  #kept: number;

  constructor(line: CloudLine) {
    this.#line = line;
    this.#kept = line.l.length;
  }

  /** True when nothing of the line is left but the notice. */
  get exhausted(): boolean {
    return this.#kept === 0;
  }

  /** True when so little is left that the line's size can't have been the reason. */
  get refusedForContent(): boolean {
    return this.#kept < PLAUSIBLE_LIMIT;
  }

  /** The line with half of what was left of it. */
  next(): CloudLine {
    const { t, l } = this.#line;
    const half = Math.floor(this.#kept / 2);
    this.#kept = half < SHORTEST_REST ? 0 : cutPosition(l, half);
    return {
      t,
      l: `${l.slice(0, this.#kept)}[${l.length - this.#kept} characters cut: Pulumi Cloud refused the line]\n`,
    };
  }
}
