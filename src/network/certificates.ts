import { X509Certificate } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';

/** Where distributions keep the bundle of what they trust, and folders of it: crypto/x509 of Go looks there too. */
const BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];
const FOLDERS = ['/etc/ssl/certs', '/etc/pki/tls/certs'];

/** The certificates in a PEM text, each as `BEGIN` to `END` without spaces around lines: equal ones are equal texts. Unchecked. */
export function certificatesIn(pem: string): string[] {
  const blocks = pem.matchAll(/-----BEGIN CERTIFICATE-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE-----/g);
  return Array.from(blocks, ([, body = '']) => {
    const lines = body.replace(/\s+/g, '').match(/.{1,64}/g) ?? [];
    return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----'].join('\n');
  });
}

/** True for a certificate that OpenSSL can read. */
export function isReadable(certificate: string): boolean {
  try {
    return new X509Certificate(certificate).raw.length > 0;
  } catch {
    return false;
  }
}

/**
 * What this machine trusts. On Linux and its like the first of the distributions' bundles and all files of their folders, as Go
 * reads them; elsewhere what Node makes of the system's store. (On Linux, too, Node has one, but takes 50 ms and more for it.)
 * Whatever can't be read is left out.
 */
export function systemCertificates(platform: NodeJS.Platform): string[] {
  if (platform === 'darwin' || platform === 'win32') return getCACertificates('system').flatMap(certificatesIn);
  const certificates: string[] = [];
  for (const bundle of BUNDLES) {
    const text = readable(() => readFileSync(bundle, 'utf8'));
    if (text === undefined) continue;
    certificates.push(...certificatesIn(text));
    break;
  }
  for (const folder of FOLDERS) {
    certificates.push(...(readable(() => certificatesInFolder(folder)) ?? []));
  }
  return certificates;
}

/** The certificates of every file in a folder that has any. Throws what node:fs throws when there is no such folder. */
export function certificatesInFolder(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    // A link beside its file is the name that OpenSSL looks for: the file itself is there too.
    if (entry.isSymbolicLink() && readable(() => readlinkSync(path))?.includes('/') === false) return [];
    const text = readable(() => readFileSync(path, 'utf8'));
    return text === undefined ? [] : certificatesIn(text);
  });
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
