import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import * as tls from 'node:tls';
import { messageOf, OutcomeError } from '../outcome.ts';

/**
 * All trusted certificates in PEM, without duplicates: Node.js's own, the system's (or those of
 * `SSL_CERT_FILE` and `SSL_CERT_DIR`, as in Go), those of `NODE_EXTRA_CA_CERTS` and of
 * `ca_certificate`. Throws OutcomeError `config-error` if that setting is invalid.
 */
export function trustedCertificates(caCertificate?: string): readonly string[] {
  const installed = (['bundled', 'system', 'extra'] as const).flatMap((source) =>
    tls.getCACertificates(source),
  );
  const certificates = [
    ...installed,
    ...(caCertificate === undefined ? [] : configuredCertificates(caCertificate)),
  ];
  // Compared without white space: sources wrap lines differently.
  return [...new Map(certificates.map((pem) => [pem.replaceAll(/\s/g, ''), pem.trim()])).values()];
}

/**
 * A TLS context that trusts these. An intermediate authority suffices without its root, as in Go.
 */
export function contextOf(certificates: readonly string[]): tls.SecureContext {
  return tls.createSecureContext({ ca: [...certificates], allowPartialTrustChain: true });
}

/**
 * Makes later TLS connections trust the result of `trustedCertificates`. Throws as it does. No-op before
 * Node.js 24.5.
 */
export function trustByDefault(caCertificate?: string): void {
  const certificates = trustedCertificates(caCertificate);
  if (typeof tls.setDefaultCACertificates === 'function') tls.setDefaultCACertificates(certificates);
}

/**
 * The certificates in `ca_certificate`, PEM text or a file's path. Throws OutcomeError
 * `config-error` if invalid.
 */
export function configuredCertificates(caCertificate: string): string[] {
  const isText = caCertificate.includes('-----BEGIN');
  const refused = (reason: string, cause?: unknown) => {
    const message = `Failed to read ${isText ? 'ca_certificate' : `ca_certificate ${caCertificate}`} for the agent: ${reason}. Provide the certificate of the authority in PEM form, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, or the path of a PEM file.`;
    return new OutcomeError('config-error', message, { code: 'PRA-CONFIG-03', cause });
  };

  let text: string;

  try {
    text = isText ? caCertificate : readFileSync(caCertificate, 'utf8');
  } catch (cause) {
    throw refused(messageOf(cause), cause);
  }

  const blocks = text.match(/-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs) ?? [];
  if (blocks.length === 0) throw refused('it contains no certificate');

  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block).toString();
    } catch (cause) {
      throw refused(
        `${blocks.length === 1 ? 'its certificate' : `certificate ${index + 1} in it`} is damaged`,
        cause,
      );
    }
  });
}
