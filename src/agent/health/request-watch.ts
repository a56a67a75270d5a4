import { subscribe, unsubscribe } from 'node:diagnostics_channel';

/** A request that is over. */
export interface RequestSeen {
  readonly purpose: string;
  /** The class of its status, as `2xx`, or `no-answer`. */
  readonly result: string;
  readonly seconds: number;
  /** As in `GET /api/deployments/poll: 204 in 12 ms`; holds IDs, and no secret. */
  readonly text: string;
}

/** What undici tells on its diagnostics channels, as far as it is used here (its documents, api/DiagnosticsChannel). */
interface Message {
  readonly request: { readonly method: string; readonly path: string };
  readonly response?: { readonly statusCode: number };
  readonly error?: unknown;
}

const PURPOSES: readonly (readonly [RegExp, string | undefined])[] = [
  // They have a counter of their own.
  [/\/api\/workflow\/jobs\/[^/]+\/heartbeat$/, undefined],
  [/\/api\/workflow\/jobs\/[^/]+\/\d+\/logs$/, 'log-lines'],
  [/\/api\/workflow\/jobs\/[^/]+\/\d+\/status$/, 'step-status'],
  [/\/api\/workflow\/jobs\/[^/]+$/, 'job-definition'],
  [/\/api\/deployments\/poll$/, 'poll'],
  [/\/api\/deployments\/[^/]+\/status$/, 'deployment-status'],
  [/\/api\/oauth\/token$/, 'token-exchange'],
  [/\/api\/agent-workflows\//, 'acknowledgement'],
  [/\/api\/background-activities\//, 'greeting'],
];
const OTHER = [undefined, 'other'] as const;

/** Tells each request to Pulumi Cloud once it is over, until the function that it returns is called. */
export function watchRequests(onSeen: (request: RequestSeen) => void): () => void {
  const begun = new WeakMap<object, { readonly at: number; status?: number }>();
  const create = (message: unknown) => begun.set((message as Message).request, { at: performance.now() });
  const headers = (message: unknown) => {
    const { request, response } = message as Message;
    const known = begun.get(request);
    if (known !== undefined && response !== undefined) known.status = response.statusCode;
  };
  const over = (message: unknown) => {
    const { request, error } = message as Message;
    const known = begun.get(request);
    begun.delete(request);
    // A proxy's tunnel is the way, not a request.
    if (known === undefined || request.method === 'CONNECT') return;
    const path = request.path.split('?', 1).join();
    const [, purpose] = PURPOSES.find(([pattern]) => pattern.test(path)) ?? OTHER;
    if (purpose === undefined) return;
    const seconds = (performance.now() - known.at) / 1000;
    const status = error === undefined ? known.status : undefined;
    const result = status === undefined ? 'no-answer' : `${Math.floor(status / 100)}xx`;
    const text = `${request.method} ${path}: ${status ?? 'no answer'} in ${Math.round(seconds * 1000)} ms`;
    onSeen({ purpose, result, seconds, text });
  };
  const channels = [
    ['undici:request:create', create],
    ['undici:request:headers', headers],
    ['undici:request:trailers', over],
    ['undici:request:error', over],
  ] as const;
  for (const [name, listener] of channels) subscribe(name, listener);
  return () => channels.forEach(([name, listener]) => void unsubscribe(name, listener));
}
