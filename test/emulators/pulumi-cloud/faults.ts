import type { WireFault } from './wire-faults.ts';

/**
 * How a scripted call ends: with another answer, a reset connection, one that is closed without an answer, silence until the
 * client gives up, or bytes of its own.
 */
export type FaultAnswer =
  | {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly body?: unknown;
    }
  | 'reset'
  | 'close'
  | 'hang'
  | WireFault;

/** Which calls to answer differently, and how. */
export interface Script {
  readonly method: string;
  /** Tested against the path without its query. */
  readonly path: RegExp;
  /** How many matching calls it serves; 1 by default, `Infinity` for all. */
  readonly times?: number;
  /** `before` (the default): the call is not processed at all. `after`: it is processed, then its answer is lost. */
  readonly when?: 'before' | 'after';
  /** Narrows the match further, for instance by a header. */
  readonly matches?: (request: ScriptedRequest) => boolean;
  readonly answer: FaultAnswer;
}

/** What a script may look at: the request's head, its body not having been read yet. */
export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A script in force. */
export interface ActiveScript {
  /** How many calls it has taken. */
  readonly hits: number;
  /** Ends it early. */
  remove(): void;
}

/** The answers that tests have scripted, tried in the order in which they were added. */
export class Faults {
  readonly #scripts: { script: Script; hits: number }[] = [];

  add(script: Script): ActiveScript {
    const entry = { script, hits: 0 };
    this.#scripts.push(entry);
    return {
      get hits() {
        return entry.hits;
      },
      remove: () => {
        const index = this.#scripts.indexOf(entry);
        if (index >= 0) this.#scripts.splice(index, 1);
      },
    };
  }

  /** Takes the script for a call that arrives, and counts it; decided on arrival so that order is the client's. */
  take(request: ScriptedRequest): Script | undefined {
    const entry = this.#scripts.find(
      ({ script, hits }) =>
        hits < (script.times ?? 1) &&
        script.method === request.method &&
        request.path.search(script.path) >= 0 &&
        (script.matches?.(request) ?? true),
    );
    if (entry === undefined) return undefined;
    entry.hits += 1;
    return entry.script;
  }
}
