import type { Answer } from './call.ts';
import type { WireFault } from './wire-faults.ts';

/** How a scripted call ends: with another answer, a reset connection, silence until the client gives up, or bytes of its own. */
export type FaultAnswer = Answer | 'reset' | 'hang' | WireFault;

/** Which calls to answer differently, and how. Each is checked as any other before. */
export interface Script {
  /** Any unless given. */
  readonly method?: string;
  /** Tested against the path without its query; `CALLS` has the usual ones. */
  readonly path: RegExp;
  /** How many matching calls it serves; 1 by default, and without end in a window. */
  readonly times?: number;
  /** For how long it is in force, by the emulator's clock. */
  readonly window?: { readonly ms: number };
  /** `before` (the default): the call is not processed at all. `after`: it is processed, then its answer is lost. */
  readonly when?: 'before' | 'after';
  /** How many of a log call's lines are stored before the fault. */
  readonly stores?: number;
  /** Narrows the match further, for instance by what the body holds. */
  readonly matches?: (request: ScriptedRequest) => boolean;
  readonly answer: FaultAnswer;
}

/** What a script may look at. */
export interface ScriptedRequest {
  readonly method: string;
  readonly path: string;
  /** The body. */
  readonly text: string;
}

/** Sets of an agent's calls, as scripts name them. */
export const CALLS = {
  poll: /^\/api\/deployments\/poll$/,
  acknowledgement: /^\/api\/agent-workflows\/deployment$/,
  /** All that carry the job's token. */
  job: /^\/api\/workflow\/jobs\//,
  definition: /^\/api\/workflow\/jobs\/[^/]+$/,
  heartbeat: /^\/api\/workflow\/jobs\/[^/]+\/heartbeat$/,
  statuses: /^\/api\/workflow\/jobs\/[^/]+\/\d+\/status$/,
  logs: /^\/api\/workflow\/jobs\/[^/]+\/\d+\/logs$/,
  /** Where an agent looks for a cancel. */
  look: /^\/api\/(?:deployments\/[^/]+\/status|agent-workflows\/deployment:[^/]+\/check)$/,
  /** All about a job that was claimed. */
  aboutJob: /^\/api\/(?:workflow\/jobs\/.*|deployments\/[^/]+\/status|agent-workflows\/deployment:[^/]+\/check)$/,
} as const;

/** An answer of Pulumi Cloud's own shape. */
export function failing(status: number, message = 'not this time'): FaultAnswer {
  return { status, body: { code: status, message } };
}

/** A script in force. */
export interface ActiveScript {
  /** Ends it early. */
  remove(): void;
}

/** The answers that tests have scripted, tried in the order in which they were added. */
export class Faults {
  readonly #scripts = new Set<{ readonly script: Script; readonly addedAt: number; hits: number }>();

  add(script: Script, now: number): ActiveScript {
    const entry = { script, hits: 0, addedAt: now };
    this.#scripts.add(entry);
    return { remove: () => void this.#scripts.delete(entry) };
  }

  /** Takes the script for a call, and counts it. */
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
