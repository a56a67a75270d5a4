import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutcomeError } from '../outcome.ts';
import type { HealthSnapshot } from '../record/schema.ts';

/** What the agent is doing. */
export type AgentState = 'starting' | 'waiting' | 'running' | 'stopping' | 'stopped';

/** Milliseconds between two snapshots in the run directory. */
const SNAPSHOT_MS = 30_000;

interface HealthOptions {
  /** Milliseconds without activity after which the agent calls itself unhealthy. */
  readonly thresholdMs: number;
  readonly now: () => number;
  readonly onSnapshot: (snapshot: HealthSnapshot) => void;
}

/** Knows whether the agent lives, tells it over HTTP (`/healthz`, protocol section 6) and to the run directory. */
export class Health {
  readonly #options: HealthOptions;
  #state: AgentState = 'starting';
  #lastActivity: number;
  #server: Server | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: HealthOptions) {
    this.#options = options;
    this.#lastActivity = options.now();
  }

  /** Pulumi Cloud answered. */
  active(): void {
    this.#lastActivity = this.#options.now();
  }

  become(state: AgentState): void {
    this.#state = state;
    this.active();
    this.#options.onSnapshot(this.snapshot());
  }

  snapshot(): HealthSnapshot {
    const { now, thresholdMs } = this.#options;
    return {
      t: new Date(now()).toISOString(),
      status: now() - this.#lastActivity > thresholdMs ? 'unhealthy' : 'healthy',
      state: this.#state,
      lastActivity: new Date(this.#lastActivity).toISOString(),
      rssBytes: process.memoryUsage.rss(),
    };
  }

  /** Serves `/healthz` on `port` (0: any free one). Returns its URL. Throws OutcomeError `config-error` when it is taken. */
  async listen(port: number): Promise<string> {
    const server = createServer({ requestTimeout: 5_000, keepAliveTimeout: 1_000 }, (request, response) => {
      const known = (request.url ?? '').split('?')[0] === '/healthz';
      if (!known || (request.method !== 'GET' && request.method !== 'HEAD')) {
        response.writeHead(known ? 405 : 404, { 'content-type': 'application/json' }).end('{}\n');
        return;
      }
      const { status, t, lastActivity } = this.snapshot();
      response.writeHead(status === 'healthy' ? 200 : 503, { 'content-type': 'application/json' });
      response.end(`${JSON.stringify({ status, currentTime: t, lastActivity })}\n`);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, () => {
        server.removeListener('error', reject);
        resolve();
      });
    }).catch((cause: unknown) => {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new OutcomeError(
        'config-error',
        `Failed to serve /healthz for the agent: ${reason}. Set http_server_port to a free port, or to 0 for any.`,
        { cause },
      );
    });
    server.on('error', () => undefined);
    server.unref();
    this.#server = server;
    this.#timer = setInterval(() => this.#options.onSnapshot(this.snapshot()), SNAPSHOT_MS).unref();
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/healthz`;
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server?.close();
    this.#server?.closeAllConnections();
  }
}
