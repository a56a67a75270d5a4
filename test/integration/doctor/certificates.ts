import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { onTestFinished } from 'vitest';
import { folder } from './command.ts';

/** An authority of the test's own and a certificate of it for 127.0.0.1. */
export interface Certificates {
  /** The authority's certificate. */
  readonly caFile: string;
  readonly cert: Buffer;
  readonly key: Buffer;
}

/** `dates`: from and until when, as OpenSSL wants them (YYYYMMDDHHMMSSZ). */
export async function certificates(dates: readonly [string, string], name = 'IP:127.0.0.1'): Promise<Certificates> {
  const directory = await folder();
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-days',
    '30',
    '-subj',
    '/O=Acme/CN=Acme Inspection',
  );
  openssl('req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=service');
  await writeFile(join(directory, 'index.txt'), '');
  await writeFile(join(directory, 'serial'), '01\n');
  await writeFile(
    join(directory, 'ca.cnf'),
    `[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = ${name}
`,
  );
  const [from, until] = dates;
  const validity = ['-startdate', from, '-enddate', until];
  const signing = [
    '-config',
    'ca.cnf',
    '-cert',
    'ca.pem',
    '-keyfile',
    'ca.key',
    '-in',
    'server.csr',
    '-out',
    'server.pem',
  ];
  openssl('ca', '-batch', '-notext', ...signing, ...validity);
  return {
    caFile: join(directory, 'ca.pem'),
    cert: await readFile(join(directory, 'server.pem')),
    key: await readFile(join(directory, 'server.key')),
  };
}

/** A date as OpenSSL wants it, `days` from now. */
export function inDays(days: number): string {
  const iso = new Date(Date.now() + days * 86_400_000).toISOString();
  return `${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
}

/** A TLS server on loopback before `target` (`http://host:port`); returns its https address. */
export async function encrypt(target: string, { cert, key }: Certificates): Promise<string> {
  const { hostname, port } = new URL(target);
  const server = createServer({ cert, key }, (socket) => {
    const onward = connect(Number(port), hostname);
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.on('tlsClientError', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
