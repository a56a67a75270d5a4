import { z } from 'zod';
import { fieldsOf, parsedJson } from '../../base/json.ts';
import type { Body } from '../proxy/body.ts';
import type { Exchange } from '../proxy/exchange.ts';
import type { ObservedLines } from './observed-step.ts';

/* The shapes of the calls and answers that the relay reads. */

export const statusSchema = z.object({ status: z.enum(['running', 'succeeded', 'failed']) });

export const exchangeSchema = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().optional(),
});

/** A deployment's status, in either of its forms. */
export const deploymentSchema = z.union([
  z.string(),
  z.object({ status: z.string() }).transform(({ status }) => status),
]);

/**
 * The lines of a log call; undefined if it isn't one. Checked by hand: a schema would copy a
 * thousand lines.
 */
export function logCallOf(json: unknown): ObservedLines | undefined {
  const { offset, lines } = (json ?? {}) as { offset?: unknown; lines?: unknown };
  if (!Array.isArray(lines)) return undefined;
  const texts = lines.map((line: { l?: unknown } | null) => line?.l);
  if (!texts.every((text) => typeof text === 'string')) return undefined;
  return { offset: Number.isInteger(offset) ? Number(offset) : undefined, texts };
}

/** A header of the request; undefined unless it has a single value. */
export function header({ requestHeaders }: Exchange, name: string): string | undefined {
  const value = requestHeaders[name];
  return typeof value === 'string' ? value : undefined;
}

/** The body that a call sends, as JSON; undefined if it isn't JSON. */
export function sentIn(exchange: Exchange): unknown {
  return exchange.request.json(header(exchange, 'content-encoding'));
}

/** The body of the answer, as JSON; undefined if it isn't JSON. */
export function receivedIn({ response, responseHeaders }: Exchange): unknown {
  return response.json(responseHeaders['content-encoding']);
}

/** The ID token that a token exchange sends, as a form or as JSON; empty if there is none. */
export function subjectTokenIn(request: Body): string {
  const sent = request.text() ?? '';
  const form = sent.startsWith('{') ? undefined : new URLSearchParams(sent).get('subject_token');
  return (form ?? String(fieldsOf(parsedJson(sent))['subject_token'] ?? '')).trim();
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

const messageSchema = z
  .object({ message: z.string(), error_description: z.string(), error: z.string() })
  .partial();

/** An answer's error message, at most 300 characters; empty if it has none. */
export function messageIn(json: unknown): string {
  const { message, error_description: description, error } = messageSchema.safeParse(json).data ?? {};
  return (message ?? description ?? error ?? '').slice(0, 300);
}

/** A path with a placeholder for each ID, so that all calls of one kind share it. */
export function shapeOf(path: string): string {
  const [bare = ''] = path.split('?', 1);
  return bare
    .split('/')
    .map((part) => (/\d|^.{33,}$/.test(part) ? ':id' : part))
    .join('/')
    .slice(0, 200);
}
