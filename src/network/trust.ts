import { readFileSync } from 'node:fs';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { messageOf, OutcomeError } from '../outcome.ts';
import { certificatesIn, certificatesInFolder, isReadable, systemCertificates } from './certificates.ts';
import type { Environment } from './proxy-variable.ts';

export interface TrustSources {
  /** The setting `ca_certificate`: PEM text, or the path of such a file. */
  readonly caCertificate?: string;
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
}

/** Whom to trust, and what to say about it. */
export interface Trust {
  /** PEM, one certificate each, no two the same. */
  readonly certificates: readonly string[];
  /** Files that were named and could not be used. */
  readonly notices: readonly string[];
}

/**
 * Everything that is trusted: Node's own certificates, this machine's, what `NODE_EXTRA_CA_CERTS`, `SSL_CERT_FILE` and
 * `SSL_CERT_DIR` name, and the setting. Each adds to the others, while for Go the `SSL_CERT_` variables replace the machine's.
 * Throws OutcomeError `config-error` when the setting holds no certificate.
 */
export function trusted({ caCertificate, environment, platform }: TrustSources): Trust {
  const notices: string[] = [];
  const named = (variable: string, read: (path: string) => string[], separator?: string): string[] => {
    const text = environment[variable]?.trim() ?? '';
    const paths = separator === undefined ? [text] : text.split(separator);
    return paths.flatMap((path) => {
      if (path === '') return [];
      try {
        return read(path);
      } catch (error) {
        const reason = messageOf(error);
        notices.push(`${variable} names what can't be read, so nothing of it is trusted: ${reason}.`);
        return [];
      }
    });
  };
  const certificates = new Set([
    ...getCACertificates('bundled').flatMap(certificatesIn),
    ...systemCertificates(platform),
    ...named('NODE_EXTRA_CA_CERTS', certificatesOf),
    ...named('SSL_CERT_FILE', certificatesOf),
    ...named('SSL_CERT_DIR', certificatesInFolder, ':'),
    ...(caCertificate === undefined ? [] : configuredCertificates(caCertificate)),
  ]);
  return { certificates: [...certificates], notices };
}

/**
 * The certificates of the setting `ca_certificate`.
 * Throws OutcomeError `config-error` when there are none, or one of them can't be read.
 */
export function configuredCertificates(caCertificate: string): string[] {
  const isText = caCertificate.includes('-----BEGIN');
  const name = isText ? 'ca_certificate' : `ca_certificate ${caCertificate}`;
  const refused = (reason: string, cause?: unknown) =>
    new OutcomeError(
      'config-error',
      `Failed to read ${name} for the agent: ${reason}. Give the certificate of the authority in PEM form, from -----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----, or the path of such a file.`,
      { cause },
    );
  let certificates: string[];
  try {
    certificates = isText ? certificatesIn(caCertificate) : certificatesOf(caCertificate);
  } catch (cause) {
    throw refused(cause instanceof Error ? cause.message : String(cause), cause);
  }
  if (certificates.length === 0) throw refused('there is no certificate in it');
  const bad = certificates.findIndex((certificate) => !isReadable(certificate));
  if (bad !== -1) {
    throw refused(`${certificates.length === 1 ? 'its certificate' : `certificate ${bad + 1} in it`} is damaged`);
  }
  return certificates;
}

/**
 * What TLS connections need to trust these; making it takes 10 to 30 ms. What OpenSSL can't read it passes over. An authority
 * below a root may stand alone, as in Go.
 */
export function contextOf(certificates: readonly string[]): SecureContext {
  return createSecureContext({ ca: [...certificates], allowPartialTrustChain: true });
}

function certificatesOf(path: string): string[] {
  return certificatesIn(readFileSync(path, 'utf8'));
}
