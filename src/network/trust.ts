import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { messageOf, OutcomeError } from '../outcome.ts';
import type { Environment } from './proxy.ts';

export interface TrustSources {
  /** The setting `ca_certificate`: PEM text, or the path of such a file. */
  readonly caCertificate?: string | undefined;
  readonly environment: Environment;
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
export function trusted({ caCertificate, environment }: TrustSources): Trust {
  const notices: string[] = [];
  const named = (variable: string, read: (path: string) => string[], separator?: string): string[] => {
    const text = environment[variable]?.trim() ?? '';
    const paths = separator === undefined ? [text] : text.split(separator);
    return paths.flatMap((path) => {
      if (path === '') return [];
      try {
        return read(path).filter(isReadable);
      } catch (error) {
        notices.push(`${variable} names what can't be read, so nothing of it is trusted: ${messageOf(error)}.`);
        return [];
      }
    });
  };
  const certificates = new Set([
    ...tls.getCACertificates('bundled').flatMap(certificatesIn),
    ...machineCertificates(),
    ...named('NODE_EXTRA_CA_CERTS', certificatesOf),
    ...named('SSL_CERT_FILE', certificatesOf),
    ...named('SSL_CERT_DIR', certificatesInFolder, ':'),
    ...(caCertificate === undefined ? [] : configuredCertificates(caCertificate)),
  ]);
  return { certificates: [...certificates], notices };
}

/** What TLS connections need to trust these. An authority below a root may stand alone, as in Go. */
export function contextOf(certificates: readonly string[]): tls.SecureContext {
  return tls.createSecureContext({ ca: [...certificates], allowPartialTrustChain: true });
}

/**
 * Has every later TLS connection of this process trust what `trusted` finds, for calls of libraries that take no certificates.
 * Node.js before 24.5 can't: then nothing changes. Throws OutcomeError `config-error` when the setting holds no certificate.
 */
export function trustByDefault(sources: TrustSources): void {
  const { certificates } = trusted(sources);
  if (typeof tls.setDefaultCACertificates === 'function') tls.setDefaultCACertificates(certificates);
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
    throw refused(messageOf(cause), cause);
  }
  if (certificates.length === 0) throw refused('there is no certificate in it');
  const bad = certificates.findIndex((certificate) => !isReadable(certificate));
  if (bad === -1) return certificates;
  throw refused(`${certificates.length === 1 ? 'its certificate' : `certificate ${bad + 1} in it`} is damaged`);
}

/** The certificates in a PEM text, each as `BEGIN` to `END` without spaces around lines: equal ones are equal texts. Unchecked. */
export function certificatesIn(pem: string): string[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g);
  return Array.from(blocks, ([, body = '']) => {
    const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n');
  });
}

/** The certificates of every file in a folder that has any. Throws what node:fs throws when there is no such folder. */
export function certificatesInFolder(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    // A link beside its file is the name that OpenSSL looks for: the file itself is there too.
    if (readable(() => readlinkSync(path))?.includes('/') === false) return [];
    return readable(() => certificatesOf(path)) ?? [];
  });
}

/**
 * What the machine trusts by itself. On Linux Node.js would let the `SSL_CERT_` variables replace that, and write to stderr where
 * the folder is missing.
 */
function machineCertificates(): string[] {
  if (process.platform === 'linux') return readable(() => certificatesInFolder('/etc/ssl/certs')) ?? [];
  return tls.getCACertificates('system').flatMap(certificatesIn);
}

function certificatesOf(path: string): string[] {
  return certificatesIn(readFileSync(path, 'utf8'));
}

function isReadable(certificate: string): boolean {
  return readable(() => new X509Certificate(certificate)) !== undefined;
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
