import { Agent, type Dispatcher } from 'undici';
import { explained } from './failure.ts';
import { growingTrust } from './growing-trust.ts';
import { routeTo } from './proxy.ts';
import type { Environment } from './proxy-variable.ts';
import { contextOf, trusted } from './trust.ts';
import { type TlsOptions, tunnel } from './tunnel.ts';

export interface WayOptions {
  readonly serviceUrl: string;
  /** Milliseconds until a connection must stand. */
  readonly connectTimeoutMs: number;
  /** The setting `ca_certificate`. */
  readonly caCertificate?: string;
  /** The certificates are wanted, whether or not the way needs them. */
  readonly wantsCertificates: boolean;
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
}

/** How calls to the service go. */
export interface Way {
  readonly dispatcher: Dispatcher;
  /** Lines for the log. */
  readonly notices: readonly string[];
  /** What no log may show. */
  readonly secrets: readonly string[];
  /** Everything that is trusted, in PEM; undefined when nothing needed it. */
  readonly certificates?: readonly string[];
}

/**
 * Opens the way to a service as environment and settings have it: proxy, trusted certificates, and failures that say what to do.
 * Throws OutcomeError `config-error` for a proxy or a certificate that can't be used.
 */
export async function openWay(options: WayOptions): Promise<Way> {
  const { environment, platform, caCertificate, connectTimeoutMs: timeout } = options;
  const url = new URL(options.serviceUrl);
  const { proxy, exempted } = routeTo(url, environment);
  const notices: string[] = [];
  if (proxy !== undefined)
    notices.push(`Pulumi Cloud is reached through the proxy ${proxy.address} (${proxy.variable}).`);
  if (exempted !== undefined) notices.push(`Pulumi Cloud is reached directly: ${exempted} lists ${url.host}.`);
  const secured = url.protocol === 'https:' || proxy?.address.startsWith('https:') === true;
  const trust = () => {
    const found = trusted({ environment, platform, ...(caCertificate === undefined ? {} : { caCertificate }) });
    return { ...found, context: () => contextOf(found.certificates) };
  };
  let certificates: readonly string[] | undefined;
  let tls: TlsOptions = { timeout, allowH2: false };
  if ((secured && proxy !== undefined) || mustTrustMore(options)) {
    const found = trust();
    certificates = found.certificates;
    notices.push(...found.notices);
    if (secured) tls = { ...tls, secureContext: found.context() };
  }
  const grows = secured && certificates === undefined;
  const connections =
    proxy === undefined
      ? new Agent({
          allowH2: false,
          connect: grows ? growingTrust(timeout, async () => trust().context()) : tls,
        })
      : tunnel(proxy, tls);
  return {
    dispatcher: connections.compose(
      (dispatch) => (request, handler) =>
        dispatch(
          request,
          explaining(handler, (error) => explained(error, { url, ...(proxy && { proxy }) })),
        ),
    ),
    notices,
    secrets: proxy?.secrets ?? [],
    ...(certificates === undefined ? {} : { certificates }),
  };
}

/** True when something was named to trust, which is looked at first of all: it may be wrong. */
function mustTrustMore({ caCertificate, wantsCertificates, environment }: WayOptions): boolean {
  const named = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR'].some((name) => environment[name]);
  return named || caCertificate !== undefined || wantsCertificates;
}

/** The handler, told `explain`'s errors instead of the dispatcher's own. */
function explaining(handler: Dispatcher.DispatchHandler, explain: (error: Error) => Error): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...told) => handler.onRequestStart?.(...told),
    onRequestUpgrade: (...told) => handler.onRequestUpgrade?.(...told),
    onResponseStart: (...told) => handler.onResponseStart?.(...told),
    onResponseData: (...told) => handler.onResponseData?.(...told),
    onResponseEnd: (...told) => handler.onResponseEnd?.(...told),
    onResponseError: (controller, error) => handler.onResponseError?.(controller, explain(error)),
  };
}
