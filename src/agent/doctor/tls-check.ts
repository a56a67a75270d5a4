import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { certificateFault } from '../../network/failure.ts';
import type { Way } from '../../network/way.ts';
import { OutcomeError } from '../../outcome.ts';
import { type Finding, reasonOf } from './examination.ts';

/** Days before its end from which on a certificate is worth a warning. */
const SOON_DAYS = 14;
const DAY_MS = 86_400_000;

/**
 * Shakes hands on a connection to the service, looks at its certificates and hangs up. Any are taken and judged afterwards, by
 * what the agent trusts: nothing is sent. Throws OutcomeError `cloud-unreachable` when they can't be trusted.
 */
export async function certificateCheck(way: Way, socket: Socket, signal: AbortSignal): Promise<Finding> {
  const { service, trust, timeoutMs } = way;
  const host = service.hostname.replace(/^\[|\]$/g, '');
  const servername = isIP(host) === 0 ? host : '';
  const tls = connect({ socket, host, servername, rejectUnauthorized: false, ...(trust && { secureContext: trust }) });
  try {
    await once(tls, 'secureConnect', { signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]) }).catch(
      (cause: unknown) => {
        throw distrust(host, handshakeFault(cause, service), cause);
      },
    );
    return judged(tls, service);
  } finally {
    tls.on('error', () => undefined).destroy();
  }
}

function judged(tls: TLSSocket, { host, hostname }: URL): Finding {
  const chain = chainOf(tls.getPeerCertificate(true));
  const [own] = chain;
  if (own === undefined) throw distrust(hostname, 'it showed no certificate. Correct service_url');
  // Node puts the code there, whatever its types say.
  const code = tls.authorizationError ? String(tls.authorizationError) : undefined;
  const shown = code === 'CERT_HAS_EXPIRED' ? (chain.find((each) => daysLeft(each) < 0) ?? own) : own;
  const left = daysLeft(shown);
  const ends = `${dayOf(shown)} (${left < 0 ? `${Math.floor(-left)} days ago` : `${Math.floor(left)} days left`})`;
  const detail = `${nameOf(shown.subject)}, issued by ${issuersOf(chain).join(', ')}, good until ${ends}`;
  if (code !== undefined) {
    const fault = certificateFault({ code, cert: own }, host, 'service_url') ?? `its certificate is refused (${code})`;
    const warning = code.includes('EXPIRED') ? '' : ". If you don't know its issuer, something else may be in between";
    throw distrust(hostname, `${fault}. It is ${detail}${warning}`);
  }
  if (left >= SOON_DAYS) return { status: 'passed', detail };
  return { status: 'warning', detail: `${detail}. Have it renewed soon.` };
}

function distrust(host: string, reason: string, cause?: unknown): OutcomeError {
  return new OutcomeError('cloud-unreachable', `Failed to trust ${host} for Pulumi Cloud: ${reason}.`, { cause });
}

function handshakeFault(error: unknown, { host }: URL): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const passage = 'A firewall or an inspecting proxy on the way may do that: have the host allowed there';
  if (code === 'ABORT_ERR') return `the TLS handshake was never answered (ETIMEDOUT). ${passage}`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return `the TLS handshake was cut (${code}). ${passage}`;
  const fault = error instanceof Error ? certificateFault(error, host, 'service_url') : undefined;
  return fault ?? `the TLS handshake failed: ${reasonOf(error)}. Check the port in service_url`;
}

/** The certificates from the server's own upwards; the last one names itself as its issuer, or its issuer wasn't sent. */
function chainOf(first: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = new Map<string, DetailedPeerCertificate>();
  let next: DetailedPeerCertificate | undefined = first;
  while (next?.fingerprint256 !== undefined && !chain.has(next.fingerprint256)) {
    chain.set(next.fingerprint256, next);
    next = next.issuerCertificate;
  }
  return [...chain.values()];
}

/** Those who signed the chain, each once. */
function issuersOf(chain: readonly DetailedPeerCertificate[]): string[] {
  return [...new Set(chain.map(({ issuer }) => nameOf(issuer)))];
}

function nameOf({ CN, O }: DetailedPeerCertificate['subject']): string {
  const words = [O, CN].flat().filter((word) => word !== undefined);
  return words.length === 0 ? '(no name)' : [...new Set(words)].join(' ');
}

function daysLeft({ valid_to }: DetailedPeerCertificate): number {
  return (Date.parse(valid_to) - Date.now()) / DAY_MS;
}

function dayOf({ valid_to }: DetailedPeerCertificate): string {
  const ends = Date.parse(valid_to);
  return Number.isNaN(ends) ? 'an unknown day' : new Date(ends).toISOString().slice(0, 10);
}
