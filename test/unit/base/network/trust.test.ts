import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { configuredCertificates, trustedCertificates } from '../../../../src/base/network/trust.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

const [first = '', second = ''] = getCACertificates('bundled');
const DAMAGED = first.replace(/\n.{64}/, `\n${'A'.repeat(64)}`);
const unwrapped = (certificates: readonly string[]) => certificates.map((pem) => pem.replaceAll(/\s/g, ''));

describe('the trusted certificates', () => {
  it('are those of Node.js and of the machine, each once', () => {
    const certificates = unwrapped(trustedCertificates());
    expect(certificates).toEqual([...new Set(certificates)]);
    for (const kind of ['bundled', 'system'] as const)
      expect(certificates).toEqual(expect.arrayContaining(unwrapped(getCACertificates(kind))));
  });
});

describe('ca_certificate', () => {
  it('is a text or a file with one or more certificates, whatever surrounds them and however lines end', async () => {
    const path = join(await temporaryDirectory(), 'ca.pem');
    const text = `# Acme Root\r\n${first.replaceAll('\n', '\r\n')}\r\ntext\n${second}  `;
    writeFileSync(path, text);
    for (const value of [path, text])
      expect(unwrapped(configuredCertificates(value))).toEqual(unwrapped([first, second]));
  });

  it.each([
    [
      'ca_certificate',
      '-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----',
      'its certificate is damaged',
    ],
    ['ca_certificate', `${first}\n${DAMAGED}`, 'certificate 2 in it is damaged'],
    ['ca_certificate /no/ca.pem', '/no/ca.pem', "ENOENT: no such file or directory, open '/no/ca.pem'"],
    ['ca_certificate /dev/null', '/dev/null', 'it contains no certificate'],
  ])('is refused by name (%s) when it is invalid', (name, value, reason) => {
    const sentence = `Failed to read ${name} for the agent: ${reason}. Provide the certificate of the authority`;
    expect(() => trustedCertificates(value)).toThrow(sentence);
  });
});
