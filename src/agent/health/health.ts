import { isIPv6 } from 'node:net';
import { type Moment, momentOf, passedSince, type Timepiece } from '../../clock.ts';
import type { HealthSnapshot } from '../../record/schema.ts';
import { type HttpServer, jsonPage, type ListenOptions, type Page, serveHttp } from './http-server.ts';
import type { AgentState } from './metric-table.ts';
import type { LogFigures, Metrics } from './metrics.ts';

/** Milliseconds between two snapshots in the run directory. */
const SNAPSHOT_MS = 30_000;

interface HealthOptions {
  /** Milliseconds without activity after which the agent calls itself unhealthy. */
  readonly thresholdMs: number;
  readonly clock: Timepiece;
  readonly onSnapshot: (snapshot: HealthSnapshot) => void;
  /** Served as `/metrics`; that page is missing without them. */
  readonly metrics?: Metrics;
}

/**
 * Knows how the agent does, and tells it to the run directory and over HTTP: `/livez` that the process works at all, `/healthz`
 * (protocol section 6) whether it gets on with Pulumi Cloud too, and `/metrics`.
 */
export class Health {
  readonly #options: HealthOptions;
  #state: AgentState = 'starting';
  #lastActivity: Moment;
  /** While a job runs. */
  #lastHeartbeat: Moment | undefined;
  #server: HttpServer | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#lastActivity = momentOf(options.clock);
  }

  /** Pulumi Cloud answered. */
  active(): void {
    this.#lastActivity = momentOf(this.#options.clock);
  }

  /** What became of a heartbeat. */
  heartbeat(result: 'accepted' | 'failed'): void {
    this.#options.metrics?.heartbeat(result);
    if (result === 'failed') return;
    this.active();
    this.#lastHeartbeat = this.#lastActivity;
  }

  /** A step's log grows: bytes of output, lines that Pulumi Cloud took, or did not in the end. */
  log(figures: LogFigures): void {
    this.#options.metrics?.log(figures);
  }

  become(state: AgentState): void {
    this.#state = state;
    this.active();
    // The claim counts as the first heartbeat.
    if (state === 'running') this.#lastHeartbeat = this.#lastActivity;
    else if (state !== 'stopping') this.#lastHeartbeat = undefined;
    this.#options.onSnapshot(this.snapshot());
  }

  snapshot(): HealthSnapshot {
    const { clock } = this.#options;
    return {
      t: new Date(clock.now()).toISOString(),
      status: this.#healthy ? 'healthy' : 'unhealthy',
      state: this.#state,
      lastActivity: new Date(this.#lastActivity.now).toISOString(),
      rssBytes: process.memoryUsage.rss(),
    };
  }

  /** Serves it. Returns a URL of `/healthz`. Throws OutcomeError `config-error` when port and address can't be had. */
  async listen({ port, address }: ListenOptions): Promise<string> {
    const { metrics } = this.#options;
    const pages = new Map<string, () => Page | Promise<Page>>([
      ['/livez', () => jsonPage(200, { status: 'alive' })],
      ['/healthz', () => this.#healthz()],
    ]);
    if (metrics !== undefined) pages.set('/metrics', () => this.#metrics(metrics));
    this.#server = await serveHttp({ port, address }, pages);
    this.#timer = setInterval(() => this.#options.onSnapshot(this.snapshot()), SNAPSHOT_MS).unref();
    return `http://${hostOf(address)}:${this.#server.port}/healthz`;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server?.close();
  }

  get #healthy(): boolean {
    const { clock, thresholdMs } = this.#options;
    return passedSince(this.#lastActivity, clock).surely <= thresholdMs;
  }

  #healthz(): Page {
    const { status, t, lastActivity } = this.snapshot();
    return jsonPage(status === 'healthy' ? 200 : 503, { status, currentTime: t, lastActivity });
  }

  async #metrics(metrics: Metrics): Promise<Page> {
    const { text, contentType } = await metrics.scrape({
      state: this.#state,
      healthy: this.#healthy,
      lastActivity: this.#lastActivity.now,
      lastHeartbeat: this.#lastHeartbeat?.steady,
    });
    return { status: 200, contentType, body: text };
  }
}

/** The host of a URL that reaches what listens on `address` from this machine. */
function hostOf(address: string | undefined): string {
  if (address === undefined || address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return isIPv6(address) ? `[${address}]` : address;
}
