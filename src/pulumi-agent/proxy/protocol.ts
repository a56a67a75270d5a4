import { z } from 'zod';
import { fieldsOf, parsedJson } from '../../base/json.ts';
import { decoded } from '../../base/url-parts.ts';
import { withoutTokens } from '../../cloud/refusal.ts';

/*
 * The protocol between Pulumi's agent and Pulumi Cloud, as far as the proxy and the recorder know it: which calls
 * exist, and the shapes of their bodies.
 */

/** The kind of a call of Pulumi's agent, with the job, step or deployment in its path. */
export type Endpoint =
  | { readonly kind: 'poll' | 'lease' | 'token-exchange' | 'worker-setup' | 'acknowledgement' | 'other' }
  | { readonly kind: 'deployment-status'; readonly deployment: string }
  | { readonly kind: 'definition' | 'heartbeat'; readonly job: string }
  | { readonly kind: 'step-status' | 'logs'; readonly job: string; readonly step: number };

type Route = readonly [method: string, path: RegExp, endpoint: (id: string, step: number) => Endpoint];

const ROUTES: readonly Route[] = [
  ['GET', /^\/api\/deployments\/poll$/, () => ({ kind: 'poll' })],
  ['POST', /^\/api\/background-activities\/worker\/lease\/acquire$/, () => ({ kind: 'lease' })],
  ['POST', /^\/api\/oauth\/token$/, () => ({ kind: 'token-exchange' })],
  ['GET', /^\/api\/background-activities\/token$/, () => ({ kind: 'worker-setup' })],
  ['POST', /^\/api\/background-activities\/configuration$/, () => ({ kind: 'worker-setup' })],
  ['POST', /^\/api\/agent-workflows\/[^/:]+$/, () => ({ kind: 'acknowledgement' })],
  [
    'POST',
    /^\/api\/agent-workflows\/[^/:]+:([^/]+)\/check$/,
    (deployment) => ({ kind: 'deployment-status', deployment }),
  ],
  [
    'GET',
    /^\/api\/deployments\/([^/]+)\/status$/,
    (deployment) => ({ kind: 'deployment-status', deployment }),
  ],
  ['GET', /^\/api\/workflow\/jobs\/([^/]+)$/, (job) => ({ kind: 'definition', job })],
  ['POST', /^\/api\/workflow\/jobs\/([^/]+)\/heartbeat$/, (job) => ({ kind: 'heartbeat', job })],
  [
    'PATCH',
    /^\/api\/workflow\/jobs\/([^/]+)\/(\d{1,4})\/status$/,
    (job, step) => ({ kind: 'step-status', job, step }),
  ],
  ['POST', /^\/api\/workflow\/jobs\/([^/]+)\/(\d{1,4})\/logs$/, (job, step) => ({ kind: 'logs', job, step })],
];

/** The endpoint of a call. The path can have a query, and any spelling that a router understands. */
export function endpointOf(method: string, path: string): Endpoint {
  const bare = decoded(path.split(/[?#]/, 1).join()).replace(/\/+(?=\/|$)/g, '');

  // Servers such as Go's answer HEAD as they answer GET.
  const routed = method === 'HEAD' ? 'GET' : method;

  for (const [routeMethod, pattern, endpoint] of ROUTES) {
    const match = routeMethod === routed ? pattern.exec(bare) : null;
    if (match !== null) return endpoint(match[1] ?? '', Number(match[2]));
  }

  return { kind: 'other' };
}

/** A path with a placeholder for each ID, so that all calls of one kind share it. */
export function pathTemplate(path: string): string {
  const [bare = ''] = path.split('?', 1);
  return bare
    .split('/')
    .map((part) => (/\d|^.{33,}$/.test(part) ? ':id' : part))
    .join('/')
    .slice(0, 200);
}

/** True for the calls that fetch work. Work is offered only once. */
export function fetchesWork({ kind }: Endpoint): boolean {
  return kind === 'poll' || kind === 'lease';
}

const MIB = 1024 * 1024;

/** The most bytes of a body that the proxy copies, for a call of that endpoint. */
export function maxBodyBytes({ kind }: Endpoint): number {
  if (kind === 'definition') return 16 * MIB;
  if (kind === 'logs') return 4 * MIB;
  // Read before the caller has shown a credential.
  if (kind === 'token-exchange') return MIB / 16;
  return MIB;
}

/** The ID token that a token exchange sends, as a form or as JSON; empty if there is none. */
export function subjectTokenIn(request: string): string {
  const form = request.startsWith('{') ? undefined : new URLSearchParams(request).get('subject_token');
  return (form ?? String(fieldsOf(parsedJson(request))['subject_token'] ?? '')).trim();
}

/** The answer to a token exchange. */
export const tokenAnswerSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().optional(),
});

/** Calls whose answers can hold a token for the agent. A definition's tokens are the job's. */
const GIVES_TOKENS: ReadonlySet<Endpoint['kind']> = new Set([
  'token-exchange',
  'worker-setup',
  'poll',
  'lease',
  'acknowledgement',
]);

export function givesTokens({ kind }: Endpoint): boolean {
  return GIVES_TOKENS.has(kind);
}

/** The least characters of a token: an empty field, or a page's number, is no credential. */
const SHORTEST_TOKEN = 8;

/**
 * The tokens that an answer holds for the agent, and not for the job's programs, as a claim's
 * `oidcToken` is.
 */
export function tokensIn(json: unknown): string[] {
  return Object.entries(fieldsOf(json)).flatMap(([name, value]) => {
    if (typeof value !== 'string') return name === 'env' ? [] : tokensIn(value);
    return value.length >= SHORTEST_TOKEN && /(?<!oidc|id_?)token$/i.test(name) ? [value] : [];
  });
}

export const stepStatusSchema = z.object({ status: z.enum(['running', 'succeeded', 'failed']) });

/** A deployment's status, in either of its forms. */
export const deploymentStatusSchema = z.union([
  z.string(),
  z.object({ status: z.string() }).transform(({ status }) => status),
]);

/** Lines of a step in a log call; `offset` counts those in the calls before. */
export interface LogLines {
  readonly offset: number | undefined;
  readonly texts: readonly string[];
}

/**
 * The lines of a log call; undefined if it isn't one. Checked by hand: a schema would copy a
 * thousand lines.
 */
export function logLinesIn(json: unknown): LogLines | undefined {
  const { offset, lines } = (json ?? {}) as { offset?: unknown; lines?: unknown };
  if (!Array.isArray(lines)) return undefined;
  const texts = lines.map((line: { l?: unknown } | null) => line?.l);
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return { offset: Number.isInteger(offset) ? Number(offset) : undefined, texts };
}

const errorSchema = z
  .object({ message: z.string(), error_description: z.string(), error: z.string() })
  .partial();

/** An answer's error message, at most 300 characters, without tokens; empty if it has none. */
export function errorMessageIn(json: unknown): string {
  const { message, error_description: description, error } = errorSchema.safeParse(json).data ?? {};
  return withoutTokens(message ?? description ?? error ?? '').slice(0, 300);
}
