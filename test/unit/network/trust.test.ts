import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates } from 'node:tls';
import { describe, expect, it, onTestFinished } from 'vitest';
import { certificatesIn, certificatesInFolder, configuredCertificates, trusted } from '../../../src/network/trust.ts';
import { OutcomeError } from '../../../src/outcome.ts';

const [first = '', second = '', third = ''] = getCACertificates('bundled').flatMap(certificatesIn);
const DAMAGED = first.replace(/\n.{64}/, `\n${'A'.repeat(64)}`);

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'trust-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe('PEM', () => {
  it('is read whatever stands around it and however its lines end', () => {
    const text = `# Acme Root\r\n${first.replaceAll('\n', '\r\n')}\r\ntext\n  ${second}  `;
    expect(certificatesIn(text)).toEqual([first, second]);
    expect(
      certificatesIn(`${first.replace(/(?<=-----\n)[\s\S]*(?=\n-----)/, (body) => body.replaceAll('\n', ''))}`),
    ).toEqual([first]);
    expect(certificatesIn('nothing')).toEqual([]);
  });
});

describe('a folder of certificates', () => {
  it('gives those of its files and of links to elsewhere, once', async () => {
    const path = await folder();
    const certificates = join(path, 'certs');
    mkdirSync(join(certificates, 'below'), { recursive: true });
    writeFileSync(join(path, 'elsewhere.pem'), second);
    writeFileSync(join(certificates, 'a.pem'), `${first}\n${third}\n`);
    writeFileSync(join(certificates, 'key.pem'), 'no certificate');
    symlinkSync('a.pem', join(certificates, '3513523f.0'));
    symlinkSync(join(path, 'elsewhere.pem'), join(certificates, 'b.pem'));
    symlinkSync(join(path, 'gone.pem'), join(certificates, 'c.pem'));
    expect(certificatesInFolder(certificates)).toEqual([first, third, second]);
  });
});

describe('what is trusted', () => {
  it('is what Node.js brings and what the machine holds, each once', () => {
    const { certificates, notices } = trusted({ environment: {} });
    expect(notices).toEqual([]);
    expect(certificates).toEqual([...new Set(certificates)]);
    for (const kind of ['bundled', 'system'] as const)
      expect(certificates).toEqual(expect.arrayContaining(getCACertificates(kind).flatMap(certificatesIn)));
  });

  it('loses nothing of the machine’s where a variable names more', () => {
    const environment = { SSL_CERT_FILE: '/no/file', SSL_CERT_DIR: '/no/folder:/nowhere' };
    const system = getCACertificates('system').flatMap(certificatesIn);
    expect(trusted({ environment }).certificates).toEqual(expect.arrayContaining(system));
  });

  it('does without a file that a variable names in vain, and says so', () => {
    const environment = { NODE_EXTRA_CA_CERTS: '/no/extra', SSL_CERT_FILE: '/no/file', SSL_CERT_DIR: '/no/folder' };
    const { certificates, notices } = trusted({ environment });
    expect(certificates).toContain(first);
    expect(notices).toEqual([
      expect.stringMatching(
        /^NODE_EXTRA_CA_CERTS names what can't be read, so nothing of it is trusted: ENOENT.*\/no\/extra/,
      ),
      expect.stringMatching(/^SSL_CERT_FILE names .*\/no\/file/),
      expect.stringMatching(/^SSL_CERT_DIR names .*\/no\/folder/),
    ]);
  });
});

describe('ca_certificate', () => {
  it('is a text or a file, of one certificate or more', async () => {
    const path = join(await folder(), 'ca.pem');
    writeFileSync(path, `${first}\n${second}\n`);
    expect(configuredCertificates(path)).toEqual([first, second]);
    expect(configuredCertificates(`${first}\n${second}`)).toEqual([first, second]);
  });

  it.each([
    ['ca_certificate', '-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----', 'there is no certificate in it'],
    ['ca_certificate', DAMAGED, 'its certificate is damaged'],
    ['ca_certificate', `${first}\n${DAMAGED}`, 'certificate 2 in it is damaged'],
    ['ca_certificate /no/ca.pem', '/no/ca.pem', "ENOENT: no such file or directory, open '/no/ca.pem'"],
    ['ca_certificate /dev/null', '/dev/null', 'there is no certificate in it'],
  ])('is refused by name (%s) when it is none', (name, value, reason) => {
    const reading = () => configuredCertificates(value);
    expect(reading).toThrow(OutcomeError);
    expect(reading).toThrow(`Failed to read ${name} for the agent: ${reason}. Give the certificate of the authority`);
    expect(() => trusted({ environment: {}, caCertificate: value })).toThrow(reason);
  });
});
