import { OutcomeError } from '../outcome.ts';
import { isListed, isLoopback, type Place } from './no-proxy.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface HttpProxy {
  /** Scheme, host and port: what may be shown. */
  readonly address: string;
  /** The value of `Proxy-Authorization`, when the variable names a user. */
  readonly authorization?: string;
  /** What of it no log may show. */
  readonly secrets: readonly string[];
  /** The environment variable, or the setting, that names it. */
  readonly variable: string;
  /** It is for one service alone: NO_PROXY has no say. */
  readonly isFixed?: true;
}

/** How calls to one place go: through a proxy, or directly although there is one. */
export interface Route {
  readonly proxy?: HttpProxy;
  /** The variable that keeps the proxy out. */
  readonly exempted?: string;
}

/**
 * The route to `url` as the environment has it, by the rules of Go's net/http, as the official agent is a Go program:
 * `HTTPS_PROXY` for https, `HTTP_PROXY` for http, each in upper case before lower case, minus what `NO_PROXY` lists and this
 * machine itself. (curl and undici read the lower case first, and undici also takes `HTTP_PROXY` for https.)
 * Throws OutcomeError `config-error` for a proxy that can't be used; Go silently goes without.
 */
export function routeTo(url: URL, environment: Environment): Route {
  const found = firstSet(environment, url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  const place: Place = { hostname: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) };
  if (found === undefined || isLoopback(place)) return {};
  const exempting = firstSet(environment, 'NO_PROXY');
  if (exempting !== undefined && isListed(exempting.text, place)) return { exempted: exempting.name };
  return { proxy: readProxy(found) };
}

/** The proxy that the setting `name` has for one service alone. Throws OutcomeError `config-error` for one that can't be used. */
export function fixedProxy(name: string, text: string): HttpProxy {
  return { ...readProxy({ name, text }), isFixed: true };
}

interface Variable {
  readonly name: string;
  readonly text: string;
}

/** The first of a name in upper case and in lower case that is set and not blank. */
function firstSet(environment: Environment, name: string): Variable | undefined {
  for (const each of [name, name.toLowerCase()]) {
    const text = environment[each]?.trim();
    if (text) return { name: each, text };
  }
  return undefined;
}

function readProxy({ name, text }: Variable): HttpProxy {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    // The text is not shown: it may hold a password.
    throw new OutcomeError(
      'config-error',
      `Failed to read ${name} for the agent: it is not the address of an HTTP proxy. Write one such as http://proxy.example.com:3128, a user and a password before an @, their special characters as %XX.`,
      { code: 'PRA-CONFIG-03' },
    );
  }
  const [user, password] = [decoded(url.username), decoded(url.password)];
  const address = `${url.protocol}//${url.host}`;
  if (user === '' && password === '') return { address, secrets: [], variable: name };
  const credentials = Buffer.from(`${user}:${password}`).toString('base64');
  return {
    address,
    authorization: `Basic ${credentials}`,
    secrets: [credentials, url.password, password].filter((secret) => secret !== ''),
    variable: name,
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A per cent sign that encodes nothing stands for itself.
    return text;
  }
}
