import type { IncomingHttpHeaders } from 'node:http';
import { gunzipSync } from 'node:zlib';
import type { Answer, Checked, Route, Router } from './call.ts';
import type { FaultAnswer, Faults } from './faults.ts';
import { clientOf, guard, readToken, type TokenStore, updateToken } from './tokens.ts';
import { ProtocolViolation, Refusal } from './violations.ts';

/** One request; it never holds a token's value. */
export interface JournalEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  /** 0 until answered; it stays 0 if the connection was reset, left hanging or given up. */
  readonly status: number;
  /** The token's id, such as `pool-token-2`. */
  readonly tokenId: string | undefined;
}

/** A request's head. */
export interface Head {
  readonly method: string;
  /** With its query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** A request that has not been answered yet. */
export interface Arrival {
  readonly head: Head;
  readonly entry: { -readonly [K in keyof JournalEntry]: JournalEntry[K] };
  readonly overlapping: number;
  /** Marks it as no longer in flight; may be called twice. */
  readonly release: () => void;
}

/** The outcome of a request: the right answer, if it was processed, and the fault that takes its place. */
export interface Reply {
  readonly answer: Answer | undefined;
  readonly fault: FaultAnswer | undefined;
  /** Milliseconds to hold back the answer. */
  readonly delayMs: number;
}

/** What requests are checked against. */
export interface ReceptionOptions {
  readonly router: Router;
  readonly tokens: TokenStore;
  readonly faults: Faults;
  /** Milliseconds since the epoch. */
  readonly clock: () => number;
}

/** Journals and checks every request, processes it unless a fault takes its place, and records violations. */
export class Reception {
  readonly #options: ReceptionOptions;
  readonly #inFlight = new Map<string, Set<() => boolean>>();
  /** Jobs whose own token was accepted, and those where it was refused before. */
  readonly #acceptedJobs = new Set<string>();
  readonly #refusedJobs = new Set<string>();
  readonly journal: JournalEntry[] = [];
  readonly violations: string[] = [];

  constructor(options: ReceptionOptions) {
    this.#options = options;
  }

  /** Journals a request. @param inFlight returns whether its client still waits for the answer. */
  arrive(head: Head, inFlight: () => boolean = () => true): Arrival {
    const { method, url, headers } = head;
    const path = url.split('?', 1).join();
    const tokenId = readToken(headers, this.#options.tokens)?.id;
    const entry: Arrival['entry'] = { at: this.#options.clock(), method, path, status: 0, tokenId };
    this.journal.push(entry);
    const key = `${method} ${path}`;
    const same = this.#inFlight.get(key) ?? new Set();
    const overlapping = [...same].filter((each) => each()).length;
    this.#inFlight.set(key, same.add(inFlight));
    return { head, entry, overlapping, release: () => void same.delete(inFlight) };
  }

  /** Checks a request, and processes it unless a fault takes its place. */
  async serve(arrival: Arrival, sent: Buffer): Promise<Reply> {
    const body = unpacked(arrival.head.headers, sent);
    const { entry } = arrival;
    const request = { method: entry.method, path: entry.path, text: String(body) };
    const script = this.#options.faults.take(request, this.#options.clock());
    const replaces = script !== undefined && script.when !== 'after';
    const found = this.#options.router.find(entry.method, entry.path);
    let checked: Checked | undefined;
    const answer = await this.#recorded(entry, async () => {
      // `doctor` needs only the Date header, which every answer has.
      if (found === undefined && entry.method === 'HEAD') return { status: 404 };
      if (found === undefined) throw new ProtocolViolation(404, 'there is no such call');
      checked = this.#checked(arrival, body, found.route, found.params);
      if (!replaces) return checked.take();
      checked.takePart?.(script.stores ?? 0);
      return undefined;
    });
    const fault = script?.answer;
    const status = fault === undefined ? (answer?.status ?? 0) : statusOf(fault);
    checked?.answered?.(status);
    const [, , , , jobId] = entry.path.split('/');
    if (entry.tokenId?.startsWith('job-') === true && jobId !== undefined) {
      if (status >= 200 && status < 300) this.#acceptedJobs.add(jobId);
      if (status === 401 && !this.#acceptedJobs.has(jobId)) this.#refusedJobs.add(jobId);
    }
    return {
      answer: replaces ? undefined : answer,
      fault,
      delayMs: found?.route.answerDelayMs ?? 0,
    };
  }

  #checked(
    { head, overlapping }: Arrival,
    body: Buffer,
    route: Route,
    params: Record<string, string>,
  ): Checked {
    const { url, headers } = head;
    const mayTryPool = () => this.#refusedJobs.has(params['jobId'] ?? '');
    const token = guard(route, headers, body.length, this.#options.tokens, this.#options.clock(), mayTryPool);
    const query = Object.fromEntries(new URLSearchParams(url.split('?', 2)[1]));
    const client = clientOf(headers);
    return route.check({
      params,
      query,
      body,
      token,
      client,
      overlapping,
      updateToken: updateToken(headers),
    });
  }

  /** Turns a refusal into its answer and records violations; a bug of the emulator is one too, so that tests fail. */
  async #recorded(entry: JournalEntry, work: () => Promise<Answer | undefined>): Promise<Answer | undefined> {
    try {
      return await work();
    } catch (error) {
      const refusal =
        error instanceof Refusal
          ? error
          : new ProtocolViolation(500, `the emulator failed: ${String(error)}`);
      if (refusal instanceof ProtocolViolation)
        this.violations.push(`${entry.method} ${entry.path}: ${refusal.message}`);
      return { status: refusal.status, body: refusal.body };
    }
  }
}

/** The body, which Pulumi's CLI compresses where it is long. */
function unpacked(headers: IncomingHttpHeaders, body: Buffer): Buffer {
  return headers['content-encoding'] === 'gzip' && body.length > 0 ? gunzipSync(body) : body;
}

/** The status that a client sees from a fault; 0 if it sees none, or if the fault writes its own bytes. */
function statusOf(fault: FaultAnswer): number {
  return typeof fault === 'object' ? fault.status : 0;
}
