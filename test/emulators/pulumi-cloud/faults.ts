import type { Answer } from './call.ts';
import type { WireFault } from './wire-faults.ts';

/** How a scripted call ends: another answer, a reset connection, silence until the client gives up, or custom bytes. */
export type FaultAnswer = Answer | 'reset' | 'hang' | WireFault;

/** Which calls to answer differently, and how. Each call is first checked like any other. */
export interface Script {
  /** Any method by default. */
  readonly method?: string;
  /** Tested against the path without its query; `CALLS` has the usual ones. */
  readonly path: RegExp;
  /** How many matching calls it serves; by default 1, or any number with a window. */
  readonly times?: number;
  /** How long it stays in force, by the emulator's clock. */
  readonly window?: { readonly ms: number };
  /** `before` (the default): the call is not processed, except for `stores`. `after`: it is, but the fault answers. */
  readonly when?: 'before' | 'after';
  /** How many of a log call's lines are stored before the fault. */
  readonly stores?: number;
  /** Narrows the match further, for instance by the body. */
  readonly matches?: (request: ScriptedRequest) => boolean;
  readonly answer: FaultAnswer;
}

/** The parts of a request that a script can match. */
export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  /** The body. */
  readonly text: string;
}

/** Path patterns for an agent's calls, for use in scripts. */
export const CALLS = {
  poll: /^\/api\/deployments\/poll$/,
  acknowledgement: /^\/api\/agent-workflows\/deployment$/,
  /** Every call made with the job's token. */
  job: /^\/api\/workflow\/jobs\//,
  definition: /^\/api\/workflow\/jobs\/[^/]+$/,
  heartbeat: /^\/api\/workflow\/jobs\/[^/]+\/heartbeat$/,
  statuses: /^\/api\/workflow\/jobs\/[^/]+\/\d+\/status$/,
  logs: /^\/api\/workflow\/jobs\/[^/]+\/\d+\/logs$/,
  /** The calls that look for a cancellation. */
  look: /^\/api\/(?:deployments\/[^/]+\/status|agent-workflows\/deployment:[^/]+\/check)$/,
  /** Every call about a claimed job. */
  aboutJob:
    /^\/api\/(?:workflow\/jobs\/.*|deployments\/[^/]+\/status|agent-workflows\/deployment:[^/]+\/check)$/,
} as const;

/** An error answer in Pulumi Cloud's own shape. */
export function failing(status: number, message = 'not this time'): FaultAnswer {
  return { status, body: { code: status, message } };
}

/** A script in force. */
export interface ActiveScript {
  /** Ends it early. */
  remove(): void;
}

/** The answers that tests script, tried in the order added. */
export class Faults {
  readonly #scripts = new Set<{ readonly script: Script; readonly addedAt: number; hits: number }>();

  add(script: Script, now: number): ActiveScript {
    const entry = { script, hits: 0, addedAt: now };
    this.#scripts.add(entry);
    return { remove: () => void this.#scripts.delete(entry) };
  }

  /** Finds the script for a call and counts the hit. */
  take(request: ScriptedRequest, now: number): Script | undefined {
    const entry = [...this.#scripts].find(
      ({ script, hits, addedAt }) =>
        hits < (script.times ?? (script.window === undefined ? 1 : Number.POSITIVE_INFINITY)) &&
        (script.method ?? request.method) === request.method &&
        request.path.search(script.path) >= 0 &&
        now < addedAt + (script.window?.ms ?? Number.POSITIVE_INFINITY) &&
        (script.matches?.(request) ?? true),
    );
    if (entry === undefined) return undefined;
    entry.hits += 1;
    return entry.script;
  }
}
