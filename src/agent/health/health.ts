import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, isIPv6, type Socket } from 'node:net';
import { elapsedSince, type Moment, momentOf, type TimeSource } from '../../base/clock.ts';
import type { ErrorCode } from '../../base/error-codes.ts';
import { keepNewest } from '../../base/keep-newest.ts';
import { messageOf, OutcomeError } from '../../base/outcome.ts';
import type { HealthSnapshot } from '../../record/schema.ts';
import type { RunIds } from '../logging/log-line.ts';
import type { AgentState, Metrics } from './metrics.ts';

/** Time between two snapshots in the run directory. */
const SNAPSHOT_MS = 30_000;

/**
 * Connections kept open: more than one turn of the event loop accepts, so that each one's request
 * is read first.
 */
const MOST_CONNECTIONS = 600;

interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface HealthOptions {
  /** Time without activity after which the agent calls itself unhealthy. */
  readonly thresholdMs: number;
  readonly clock: TimeSource;
  readonly onSnapshot: (snapshot: HealthSnapshot) => void;
  /** Served as `/metrics`. */
  readonly metrics: Metrics;
}

/**
 * Reports the agent's health in the run directory and over HTTP: `/livez` (it runs), `/healthz`
 * (Pulumi Cloud answers, protocol section 6), `/metrics`.
 */
export class Health {
  readonly #options: HealthOptions;
  #state: AgentState = 'starting';
  #lastActivity: Moment;
  /** Set while a job runs. */
  #lastHeartbeat: Moment | undefined;
  /** The deployment whose job runs. */
  #run: RunIds | undefined;
  /** Set while nothing is claimed after a fault of the runner. */
  #pause: { readonly code: ErrorCode | undefined } | undefined;
  #cancelUnseen: Moment | undefined;
  #server: Server | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#lastActivity = momentOf(options.clock);
  }

  /** Notes that the agent made progress, such as an answer from Pulumi Cloud. */
  active(): void {
    this.#lastActivity = momentOf(this.#options.clock);
  }

  heartbeat(result: 'accepted' | 'failed'): void {
    this.#options.metrics.heartbeat(result);
    if (result === 'failed') return;
    this.active();
    this.#lastHeartbeat = this.#lastActivity;
  }

  become(state: AgentState): void {
    this.#state = state;
    this.active();
    // The claim counts as the first heartbeat.
    if (state === 'running') this.#lastHeartbeat = this.#lastActivity;
    else if (state !== 'stopping') this.#lastHeartbeat = this.#cancelUnseen = undefined;
    this.#options.onSnapshot(this.snapshot());
  }

  /** Reports unhealthy while nothing is claimed; `code` is the fault's. */
  pause(code: ErrorCode | undefined): void {
    this.#pause = { code };
    this.#options.onSnapshot(this.snapshot());
  }

  /** Ends the pause of `pause`. */
  resume(): void {
    this.#pause = undefined;
    this.active();
  }

  /** Notes since when a cancel of the running job in Pulumi Cloud would go unseen, if it would. */
  cancelUnseen(since: Moment | undefined): void {
    this.#cancelUnseen = since;
  }

  /** Notes which deployment's job runs, if one does. */
  serves(run: RunIds | undefined): void {
    this.#run = run;
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

  /**
   * Serves on `port` (0: any) of `address` (all by default). Returns the URL of `/healthz`. Throws
   * OutcomeError `config-error` if it can't listen there.
   */
  async listen(port: number, address?: string): Promise<string> {
    const server = createServer(
      { requestTimeout: 5_000, keepAliveTimeout: 1_000 },
      async (request, response) => {
        // A failing page must not end the agent.
        const page = await this.#page(request).catch((error) => json(500, { error: messageOf(error) }));
        const headers = {
          'content-length': Buffer.byteLength(page.body),
          'cache-control': 'no-store',
          ...page.headers,
        };

        response.writeHead(page.status, headers).end(page.body);
      },
    );

    // Refusing new ones would fail the probes that keep an agent alive.
    const open = new Set<Socket>();
    server.on('connection', (socket) => keepNewest(open, socket, MOST_CONNECTIONS));

    try {
      await once(server.listen({ port, host: address }), 'listening');
    } catch (cause) {
      throw new OutcomeError(
        'config-error',
        `Failed to serve /healthz for the agent: ${messageOf(cause)}. Set http_server_port to a free port, or to 0 for any, and http_server_address to an address of this machine.`,
        { code: 'PRA-CONFIG-06', cause },
      );
    }

    server.on('error', () => undefined).unref();
    this.#server = server;
    this.#timer = setInterval(() => this.#options.onSnapshot(this.snapshot()), SNAPSHOT_MS).unref();

    return `http://${hostOf(address)}:${(server.address() as AddressInfo).port}/healthz`;
  }

  /** Stops serving, and closes open connections. */
  close(): void {
    clearInterval(this.#timer);
    this.#server?.close();
    this.#server?.closeAllConnections();
  }

  get #healthy(): boolean {
    const { clock, thresholdMs } = this.#options;
    if (this.#pause !== undefined) return false;
    return elapsedSince(this.#lastActivity, clock).atLeast <= thresholdMs;
  }

  async #page({ method, url }: IncomingMessage): Promise<Page> {
    const { metrics } = this.#options;
    const path = url?.split('?')[0];
    if (path !== '/livez' && path !== '/healthz' && path !== '/metrics') return json(404, {});
    if (method !== 'GET' && method !== 'HEAD') return json(405, {}, { allow: 'GET, HEAD' });
    if (path === '/livez') return json(200, { status: 'alive' });

    const { status, t: currentTime, lastActivity } = this.snapshot();
    if (path === '/healthz')
      return json(status === 'healthy' ? 200 : 503, {
        status,
        currentTime,
        lastActivity,
        deployment: this.#run,
        ...(this.#pause && { claiming: 'paused', code: this.#pause.code }),
        cancelUnseenSince: this.#cancelUnseen && new Date(this.#cancelUnseen.now).toISOString(),
      });

    const { text, contentType } = await metrics.scrape({
      state: this.#state,
      healthy: this.#healthy,
      paused: this.#pause !== undefined,
      lastActivity: this.#lastActivity.now,
      lastHeartbeat: this.#lastHeartbeat?.steady,
    });

    return { status: 200, headers: { 'content-type': contentType }, body: text };
  }
}

function json(status: number, value: object, headers: Page['headers'] = {}): Page {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${JSON.stringify(value)}\n`,
  };
}

/** The host for a URL that reaches `address` from this machine. */
function hostOf(address: string | undefined): string {
  if (address === undefined || address === '0.0.0.0' || address === '::') return '127.0.0.1';
  return isIPv6(address) ? `[${address}]` : address;
}
