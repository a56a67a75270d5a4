import type { SecureContext } from 'node:tls';
import type { AgentConfig } from '../../config/agent-config.ts';
import { type HttpProxy, routeTo } from '../../network/proxy.ts';
import { contextOf, trusted } from '../../network/trust.ts';
import type { Surroundings } from '../configuration.ts';

/** Milliseconds; shorter than a check's deadline, so that whoever didn't answer is named. */
const ANSWER_MS = 8_000;

/** The way to Pulumi Cloud, as the agent takes it. */
export interface Way {
  readonly service: URL;
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
  readonly proxy?: HttpProxy;
  /** The variable that keeps the proxy out. */
  readonly exempted?: string;
  /** Whom to trust; absent where nothing is encrypted. */
  readonly trust?: SecureContext;
  /** Milliseconds that a connection, and what is asked over it, may take. */
  readonly timeoutMs: number;
  /** What of it no report may show. */
  readonly secrets: readonly string[];
  /** Files that were named and could not be used. */
  readonly notices: readonly string[];
}

/** Works out the way as `connect` does. Throws OutcomeError `config-error` for a proxy or a certificate that can't be used. */
export function wayTo(
  { serviceUrl, caCertificate, requestTimeoutMs }: AgentConfig,
  environment: Surroundings['environment'],
): Way {
  const service = new URL(serviceUrl);
  const { proxy, exempted } = routeTo(service, environment);
  const encrypted = service.protocol === 'https:' || proxy?.address.startsWith('https:') === true;
  const sources = {
    environment,
    platform: process.platform,
    ...(caCertificate === undefined ? {} : { caCertificate }),
  };
  const { certificates, notices } = encrypted ? trusted(sources) : { certificates: [], notices: [] };
  return {
    service,
    ...placeOf(service),
    ...(proxy === undefined ? {} : { proxy }),
    ...(exempted === undefined ? {} : { exempted }),
    ...(encrypted ? { trust: contextOf(certificates) } : {}),
    timeoutMs: Math.min(ANSWER_MS, requestTimeoutMs),
    secrets: proxy?.secrets ?? [],
    notices,
  };
}

/** Where to connect to for `url`. */
export function placeOf({ hostname, port, protocol }: URL): { readonly host: string; readonly port: number } {
  const usual = protocol === 'https:' ? 443 : 80;
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual : Number(port) };
}
