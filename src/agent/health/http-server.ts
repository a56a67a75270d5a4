import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf, OutcomeError } from '../../outcome.ts';

/** What a page says. */
export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

export interface HttpServer {
  readonly port: number;
  /** Cuts open connections too. */
  close(): void;
}

/** Where to listen. */
export interface ListenOptions {
  readonly port: number;
  readonly address?: string | undefined;
}

const JSON_TYPE = 'application/json';
const EMPTY = '{}\n';

/** A page of JSON. */
export function jsonPage(status: number, value: object): Page {
  return { status, contentType: JSON_TYPE, body: `${JSON.stringify(value)}\n` };
}

/**
 * Serves `pages`, by path, on `port` (0: any free one) of `address`, by default of every one that the machine has. It keeps the process from nothing.
 * Throws OutcomeError `config-error` when they can't be had.
 */
export async function serveHttp(
  { port, address }: ListenOptions,
  pages: ReadonlyMap<string, () => Page | Promise<Page>>,
): Promise<HttpServer> {
  const server = createServer({ requestTimeout: 5_000, keepAliveTimeout: 1_000 }, async (request, response) => {
    const page = pages.get((request.url ?? '').split('?')[0] ?? '');
    const answer = (status: number, headers: Record<string, string>, body: string) =>
      response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers }).end(body);
    if (page === undefined) {
      answer(404, { 'content-type': JSON_TYPE }, EMPTY);
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      answer(405, { 'content-type': JSON_TYPE, allow: 'GET, HEAD' }, EMPTY);
    } else {
      const { status, contentType, body } = await asked(page);
      answer(status, { 'content-type': contentType, 'cache-control': 'no-store' }, body);
    }
  });
  try {
    await once(server.listen({ port, host: address }), 'listening');
  } catch (cause) {
    throw new OutcomeError(
      'config-error',
      `Failed to serve /healthz for the agent: ${messageOf(cause)}. Set http_server_port to a free port, or to 0 for any, and http_server_address to an address of this machine.`,
      { cause },
    );
  }
  server.on('error', () => undefined);
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A page that can't be made must not end the agent. */
async function asked(page: () => Page | Promise<Page>): Promise<Page> {
  try {
    return await page();
  } catch (error) {
    return jsonPage(500, { error: messageOf(error) });
  }
}
