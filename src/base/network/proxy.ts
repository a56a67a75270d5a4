import type { Environment } from '../environment.ts';
import { OutcomeError } from '../outcome.ts';
import { basicCredentials, decoded, isLoopback } from '../url-parts.ts';
import { isListed } from './no-proxy.ts';

export interface HttpProxy {
  /** Scheme, host and port, without secrets. */
  readonly address: string;
  /** The value of `Proxy-Authorization`, if the variable names a user. */
  readonly authorization?: string | undefined;
  /** Its parts that no log may show. */
  readonly secrets: readonly string[];
  /** The environment variable or setting that names it. */
  readonly variable: string;
  /** For one service only; NO_PROXY does not apply. */
  readonly isFixed?: boolean | undefined;
}

/** The route to one destination. */
export interface ProxyChoice {
  readonly proxy?: HttpProxy | undefined;
  /** The variable that exempts the destination from the proxy. */
  readonly exempted?: string | undefined;
}

/**
 * The environment's route to `url`, by the rules of Go's net/http, since the official agent is a Go
 * program: `HTTPS_PROXY` for https, `HTTP_PROXY` for http, each in upper case before lower case,
 * except for destinations in `NO_PROXY` and this machine. (curl and undici read lower case first,
 * and undici also uses `HTTP_PROXY` for https.) Throws OutcomeError `config-error` for an invalid
 * proxy, which Go silently ignores.
 */
export function proxyFor(url: URL, environment: Environment): ProxyChoice {
  const { hostname } = url;
  const isHttps = url.protocol === 'https:';
  const variable = firstSet(environment, isHttps ? 'HTTPS_PROXY' : 'HTTP_PROXY');
  if (variable === undefined || isLoopback(hostname)) return {};

  const noProxy = firstSet(environment, 'NO_PROXY');
  const port = Number(url.port) || (isHttps ? 443 : 80);
  if (noProxy !== undefined && isListed(noProxy.text, hostname, port)) return { exempted: noProxy.name };

  return { proxy: readProxy(variable) };
}

/**
 * The proxy that the setting `name` specifies for one service. Throws OutcomeError `config-error`
 * if it is invalid.
 */
export function fixedProxy(name: string, text: string): HttpProxy {
  return { ...readProxy({ name, text }), isFixed: true };
}

interface Variable {
  readonly name: string;
  readonly text: string;
}

/** The variable `name`, or its lower-case form, whichever first is set and not blank. */
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
    // It omits the text, which may contain a password.
    const message = `Failed to read ${name} for the agent: it is not the address of an HTTP proxy. Set one such as http://proxy.example.com:3128, or http://USER:PASSWORD@HOST:PORT with special characters as %XX.`;
    throw new OutcomeError('config-error', message, { code: 'PRA-CONFIG-03' });
  }

  const password = decoded(url.password);
  const address = `${url.protocol}//${url.host}`;
  if (url.username === '' && url.password === '') return { address, secrets: [], variable: name };

  const credentials = basicCredentials(url.username, url.password);
  const secrets = [credentials, url.password, password].filter((secret) => secret !== '');

  return { address, authorization: `Basic ${credentials}`, secrets, variable: name };
}
