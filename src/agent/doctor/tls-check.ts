import { once } from 'node:events';
import { isIP, type Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { certificateFault } from '../../network/failure.ts';
import type { Way } from '../../network/way.ts';
import { OutcomeError } from '../../outcome.ts';
import { span } from '../../quantity.ts';
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
  const shown = tls.getPeerX509Certificate();
  if (shown === undefined) throw distrust(hostname, 'it showed no certificate. Correct service_url');
  const { validToDate } = shown;
  const leftMs = validToDate.getTime() - Date.now();
  const left = leftMs < 0 ? `${span(leftMs)} ago` : `${Math.floor(leftMs / DAY_MS)} days left`;
  const ends = `${validToDate.toISOString().slice(0, 10)} (${left})`;
  const detail = `${nameOf(shown.subject)}, issued by ${nameOf(shown.issuer)}, good until ${ends}`;
  if (!tls.authorized) {
    // Node puts the code there, whatever its types say.
    const code = String(tls.authorizationError);
    const fault =
      certificateFault({ code, cert: { subjectaltname: shown.subjectAltName } }, host, 'service_url') ??
      `it is refused (${code})`;
    const warning = code.includes('EXPIRED') ? '' : ". If you don't know its issuer, something else may be in between";
    throw distrust(hostname, `${fault}. It is ${detail}${warning}`);
  }
  if (leftMs >= SOON_DAYS * DAY_MS) return { status: 'passed', detail };
  return { status: 'warning', detail: `${detail}. Have it renewed soon.` };
}

/** A distinguished name, which has a line for each of its parts, on one line; Node has none for an empty one, as its types don't say. */
function nameOf(name: string | undefined): string {
  return name?.replaceAll('\n', ', ') || '(no name)';
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
