import type { z } from 'zod';
import type { Token, TokenKind } from './tokens.ts';
import { ProtocolViolation } from './violations.ts';

/** Pulumi's CLI, or an agent and its commands. */
export type Client = 'cli' | 'agent';

/** One request as the handlers see it, its headers and token already checked. */
export interface Call {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** The token that authorized the call; absent if the route takes none. */
  readonly token: Token | undefined;
  /** The program that makes the call. */
  readonly client: Client;
  /** How many calls of the same method and path were unanswered when this one arrived. */
  readonly overlapping: number;
  /** The value of a running update's token; empty in a call with another. */
  readonly updateToken: string;
}

/** What to answer; `body` is sent as JSON, but a string goes out verbatim if `headers` set the content type. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A call that passed its checks and has had no effect yet. */
export interface Checked {
  /** Does what the call asks for. @throws Refusal. */
  take(): Answer | Promise<Answer>;
  /** Does part of it, like a service that fails halfway: stores `count` of a log call's lines. */
  takePart?(count: number): void;
  /** Called with the status that the client got, 0 for no answer. */
  answered?(status: number): void;
}

/** One endpoint: its method and path, the one kind of token it takes, and what it does. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE' | 'HEAD';
  /** A path such as `/api/deployments/:deploymentId/status`. */
  readonly path: string;
  readonly token: TokenKind;
  /** The one program that makes the call; any by default. */
  readonly client?: Client;
  /** Milliseconds between processing and answering over HTTP: exposes a client that does not wait for the answer. */
  readonly answerDelayMs?: number;
  /** Checks the call without any effect, since a fault may take its place. @throws ProtocolViolation, Refusal. */
  check(call: Call): Checked;
}

/** A check's result: the answer if the call has no effect, a function that acts and answers, or a whole `Checked`. */
type Found = Answer | Checked['take'] | Checked;

/** Returns a builder of routes for one kind of token, and for one program if only that calls them. */
export function routesFor(token: TokenKind, client?: Route['client']) {
  return (method: Route['method'], path: string, check: (call: Call) => Found): Route => ({
    method,
    path,
    token,
    ...(client !== undefined && { client }),
    check: (call) => {
      const found = check(call);
      if (typeof found === 'function') return { take: found };
      return 'take' in found ? found : { take: () => found };
    },
  });
}

/** A path parameter; the route's pattern guarantees that it exists. */
export function param(call: Call, name: string): string {
  return call.params[name] ?? '';
}

/** The token of a call whose route requires one. */
export function tokenOf(call: Call): Token {
  if (call.token === undefined) throw new Error('Failed to read the token of a call: its route takes none.');
  return call.token;
}

/** Parses a JSON body against a schema. @throws ProtocolViolation (400) naming the fields, never their values. */
export function jsonBody<T>(call: Call, schema: z.ZodType<T>): T {
  return checked('body', parseJson(call.body), schema);
}

/** Validates the query parameters against a schema. @throws ProtocolViolation (400). */
export function query<T>(call: Call, schema: z.ZodType<T>): T {
  return checked('query', call.query, schema);
}

/** Validates what a client sent. @throws ProtocolViolation (400) naming the fields, never their values. */
function checked<T>(what: string, value: unknown, schema: z.ZodType<T>): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issues = result.error.issues
    .map((issue) => `${issue.path.join('.') || what}: ${sentence(issue)}`)
    .slice(0, 5);
  throw new ProtocolViolation(400, `the ${what} is not what the protocol shows: ${issues.join('; ')}`);
}

function sentence(issue: z.core.$ZodIssue): string {
  return issue.code === 'unrecognized_keys' ? `unknown ${issue.keys.join(', ')}` : issue.message;
}

/** Parses JSON without quoting it in the error, as it may hold a token. @throws ProtocolViolation (400). */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    throw new ProtocolViolation(400, `the body (${body.length} bytes) is not JSON`);
  }
}

/** Finds the endpoint of a call. */
export class Router {
  readonly #places: readonly { readonly route: Route; readonly pattern: URLPattern }[];

  constructor(routes: readonly Route[]) {
    this.#places = routes.map((route) => ({ route, pattern: new URLPattern({ pathname: route.path }) }));
  }

  /** The endpoint and its path parameters; undefined if there is none. */
  find(method: string, pathname: string): { route: Route; params: Record<string, string> } | undefined {
    for (const { route, pattern } of this.#places) {
      const match = route.method === method ? pattern.exec({ pathname }) : null;
      if (match === null) continue;
      const params = Object.entries(match.pathname.groups);
      return {
        route,
        params: Object.fromEntries(params.map(([name, value = '']) => [name, decodeURIComponent(value)])),
      };
    }
    return undefined;
  }
}
