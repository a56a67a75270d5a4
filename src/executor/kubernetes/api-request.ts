import { randomBytes } from 'node:crypto';
import http, { type IncomingMessage } from 'node:http';
import https, { type RequestOptions } from 'node:https';

/** No object of ours is longer; a list of them neither. */
const BODY_BYTES = 32 * 1024 ** 2;

/** What is asked of an API server. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the server's address, as in `/api/v1/namespaces/x/pods`; with a query where `query` is absent. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** `application/json` when absent. */
  readonly contentType?: string;
  /** A WebSocket is asked for, and closed as soon as it is there. */
  readonly isWebSocket?: true;
}

export interface ApiAnswer {
  /** Of HTTP. */
  readonly status: number;
  readonly text: string;
  /** The header of that name. */
  readonly date: string | undefined;
}

/** Asks once, whatever the answer; `options` are the connection's. Throws what node:http throws, and for an answer that is too long. */
export function ask(
  server: string,
  options: RequestOptions,
  { method, path, query, body, contentType = 'application/json', isWebSocket }: ApiRequest,
  signal: AbortSignal,
): Promise<ApiAnswer> {
  const url = new URL(`${server.replace(/\/+$/, '')}${path}`);
  if (query !== undefined) url.search = new URLSearchParams(query).toString();
  const text = body === undefined ? undefined : JSON.stringify(body);
  const { request } = url.protocol === 'http:' ? http : https;
  return new Promise((resolve, reject) => {
    const headers = {
      ...options.headers,
      accept: 'application/json',
      ...(text === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(text) }),
      ...(isWebSocket && upgradeHeaders(url.origin)),
    };
    const call = request(url, { ...options, method, headers, signal }, (response: IncomingMessage) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      response.on('data', (piece: Buffer) => {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > BODY_BYTES) call.destroy(new Error('the answer is too long'));
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode: status = 0, headers: said } = response;
        resolve({ status, text: Buffer.concat(pieces).toString(), date: said.date });
      });
    });
    call.on('error', reject);
    call.on('upgrade', ({ statusCode: status = 0, headers: said }, socket) => {
      socket.destroy();
      resolve({ status, text: '', date: said.date });
    });
    call.end(text);
  });
}

/** As RFC 6455 has a client ask. The API server's watches want an origin, any. */
function upgradeHeaders(origin: string): Record<string, string> {
  return {
    connection: 'Upgrade',
    upgrade: 'websocket',
    origin,
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  };
}
