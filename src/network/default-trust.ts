import * as tls from 'node:tls';
import { isReadable } from './certificates.ts';
import { type TrustSources, trusted } from './trust.ts';

/**
 * Has every later TLS connection of this process trust what `trusted` finds, for calls of libraries that take no certificates.
 * Takes 50 ms. Node.js before 24.5 can't: then nothing changes. Throws OutcomeError `config-error` when the setting holds no
 * certificate.
 */
export function trustByDefault(sources: TrustSources): void {
  const { certificates } = trusted(sources);
  if (typeof tls.setDefaultCACertificates !== 'function') return;
  try {
    tls.setDefaultCACertificates(certificates);
  } catch {
    // One that OpenSSL can't read spoils them all; whoever keeps it on the machine may have a use for it.
    tls.setDefaultCACertificates(certificates.filter(isReadable));
  }
}
