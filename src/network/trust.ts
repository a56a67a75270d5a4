import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { messageOf, OutcomeError } from '../outcome.ts';

/**
 * Everything that is trusted, in PEM, each once: Node.js's own, this machine's (or that of `SSL_CERT_FILE` and `SSL_CERT_DIR`, as for Go), that of
 * `NODE_EXTRA_CA_CERTS` and of `ca_certificate`. Throws OutcomeError `config-error` when that setting holds none.
 */
export function trusted(caCertificate?: string): readonly string[] {
  const certificates = [
    ...tls.getCACertificates('bundled'),
    ...tls.getCACertificates('system'),
    ...tls.getCACertificates('extra'),
    ...(caCertificate === undefined ? [] : configuredCertificates(caCertificate)),
  ];
  // Their lines are of different lengths.
  return [...new Map(certificates.map((pem) => [pem.replaceAll(/\s/g, ''), pem.trim()])).values()];
}

/** What TLS connections need to trust these. An authority below a root may stand alone, as in Go. */
export function contextOf(certificates: readonly string[]): tls.SecureContext {
  return tls.createSecureContext({ ca: [...certificates], allowPartialTrustChain: true });
}

/** Has every later TLS connection of this process trust what `trusted` finds, and throws as it does. Node.js before 24.5 can't: nothing changes. */
export function trustByDefault(caCertificate?: string): void {
  const certificates = trusted(caCertificate);
  if (typeof tls.setDefaultCACertificates === 'function') tls.setDefaultCACertificates(certificates);
}

/** The certificates of `ca_certificate`, PEM text or a file's path. Throws OutcomeError `config-error` for none, or one that can't be read. */
export function configuredCertificates(caCertificate: string): string[] {
  const isText = caCertificate.includes('-----BEGIN');
  const refused = (reason: string, cause?: unknown) =>
    new OutcomeError(
      'config-error',
      `Failed to read ${isText ? 'ca_certificate' : `ca_certificate ${caCertificate}`} for the agent: ${reason}. Give the certificate of the authority in PEM form, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, or the path of such a file.`,
      { code: 'PRA-CONFIG-03', cause },
    );
  let text: string;
  try {
    text = isText ? caCertificate : readFileSync(caCertificate, 'utf8');
  } catch (cause) {
    throw refused(messageOf(cause), cause);
  }
  const blocks = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  if (blocks.length === 0) throw refused('there is no certificate in it');
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block).toString();
    } catch (cause) {
      throw refused(`${blocks.length === 1 ? 'its certificate' : `certificate ${index + 1} in it`} is damaged`, cause);
    }
  });
}
