import { isIP, type Socket } from 'node:net';
import { connect, type DetailedPeerCertificate, type SecureContext, type TLSSocket } from 'node:tls';
import type { OutcomeError } from '../../outcome.ts';
import { settled } from './dial.ts';
import { type Finding, reasonOf } from './examination.ts';
import { span } from './quantities.ts';
import { unreachable } from './unreachable.ts';

/** Days before its end from which on a certificate is worth a warning. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

interface TlsOptions {
  readonly host: string;
  readonly trust: SecureContext;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Shakes hands, looks at the certificates and hangs up. Throws OutcomeError `cloud-unreachable` when they can't be trusted. */
export async function certificate(socket: Socket, options: TlsOptions): Promise<Finding<undefined>> {
  const { host, signal } = options;
  let tls: TLSSocket;
  try {
    tls = await shaken(socket, options);
  } catch (cause) {
    signal.throwIfAborted();
    throw refused(host, ...handshakeReason(cause), cause);
  }
  const chain = chainOf(tls.getPeerCertificate(true));
  const problem = tls.authorizationError;
  tls.destroy();
  const [own] = chain;
  if (own === undefined) throw refused(host, 'it showed no certificate', 'Correct service_url.');
  // Node puts the code there, whatever its types say.
  if (problem) throw refused(host, ...distrust(String(problem), host, chain));
  const ends = Date.parse(own.valid_to);
  const left = Math.floor((ends - Date.now()) / DAY_MS);
  const detail = `${nameOf(own.subject)}, issued by ${issuerOf(own)}, good until ${day(ends)} (${left} days left)`;
  if (left >= SOON_DAYS) return { status: 'passed', detail, value: undefined };
  return { status: 'warning', detail: `${detail}. Whoever runs the service should renew it soon.`, value: undefined };
}

/** Takes any certificate: it is judged afterwards, and nothing is sent over this connection. */
function shaken(socket: Socket, { host, trust, timeoutMs, signal }: TlsOptions): Promise<TLSSocket> {
  const name = isIP(host) === 0 ? { servername: host } : {};
  const tls = connect({ socket, host, ...name, secureContext: trust, rejectUnauthorized: false });
  return settled(tls, 'secureConnect', AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]));
}

/** The certificates from the server's own upwards; the last one names itself as its issuer, or its issuer wasn't sent. */
function chainOf(first: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain: DetailedPeerCertificate[] = [];
  let next: DetailedPeerCertificate | undefined = first;
  while (next?.fingerprint256 !== undefined && !chain.some((seen) => seen.fingerprint256 === next?.fingerprint256)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

/** Why the chain isn't trusted, and what to do. */
function distrust(code: string, host: string, chain: readonly DetailedPeerCertificate[]): [string, string] {
  const [own] = chain;
  const top = chain.at(-1);
  switch (code) {
    case 'CERT_HAS_EXPIRED': {
      const expired = chain.find(({ valid_to }) => Date.parse(valid_to) < Date.now()) ?? own;
      const ended = Date.parse(expired?.valid_to ?? '');
      return [
        `the certificate of ${nameOf(expired?.subject)} expired on ${day(ended)}, ${span(Date.now() - ended)} ago`,
        "Have it renewed by whoever runs the service or the proxy before it; if this machine's clock is wrong, set it.",
      ];
    }
    case 'CERT_NOT_YET_VALID':
      return [`the certificate of ${nameOf(own?.subject)} is not valid yet`, "Set this machine's clock."];
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return [
        `the certificate is for ${own?.subjectaltname?.replace(/(?:DNS|IP Address):/g, '') ?? nameOf(own?.subject)}, not for ${host}`,
        'Correct service_url, or have the name added to the certificate.',
      ];
    default:
      return [
        `the certificate is issued by ${top === undefined ? 'nobody known' : issuerOf(top)}, whom this machine does not trust (${code})`,
        TRUST,
      ];
  }
}

const TRUST =
  "If that is your own authority's, or an inspecting proxy's, set ca_certificate to it; if it is neither, somebody is in between.";

function handshakeReason(error: unknown): [string, string] {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ETIMEDOUT') {
    return [
      `the TLS handshake was ${code === 'ETIMEDOUT' ? 'never answered' : 'cut'} (${code})`,
      'A firewall or an inspecting proxy on the way may do that: have the host allowed there.',
    ];
  }
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO') {
    return [`what answers there does not speak TLS as we do (${reasonOf(error)})`, 'Check the port in service_url.'];
  }
  return [reasonOf(error), 'Check what stands between here and there.'];
}

function refused(host: string, reason: string, advice: string, cause?: unknown): OutcomeError {
  return unreachable(`trust ${host}`, reason, advice, cause);
}

function nameOf(name: DetailedPeerCertificate['subject'] | undefined): string {
  const { CN, O } = name ?? {};
  return [CN ?? O ?? '(no name)'].flat().join(', ');
}

function issuerOf({ issuer }: DetailedPeerCertificate): string {
  const { CN, O } = issuer;
  const words = [O, CN].flat().filter((word) => word !== undefined);
  return words.length === 0 ? '(no name)' : [...new Set(words)].join(' ');
}

function day(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : 'an unknown day';
}
