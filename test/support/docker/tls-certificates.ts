import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const ISSUER = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-days', '2'];

/** An authority in a folder of its own, as the Docker CLI wants one: `ca.pem`, `cert.pem` and `key.pem` of a client; and servers'. */
export interface Authority {
  readonly folder: string;
  /** Makes `<name>.pem` and `<name>-key.pem` for a server at `address`. */
  server(name: string, address: string): void;
}

export async function makeAuthority(folder: string): Promise<Authority> {
  await mkdir(folder, { recursive: true });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  openssl(...['req', '-x509', ...KEY, '-days', '2', '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=test CA']);
  const sign = (name: string, extension: string) => {
    openssl('req', ...KEY, '-keyout', `${name}-key.pem`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(join(folder, `${name}.cnf`), extension);
    openssl('x509', '-req', '-in', `${name}.csr`, ...ISSUER, '-extfile', `${name}.cnf`, '-out', `${name}.pem`);
  };
  sign('client', 'extendedKeyUsage = clientAuth');
  await copyFile(join(folder, 'client.pem'), join(folder, 'cert.pem'));
  await copyFile(join(folder, 'client-key.pem'), join(folder, 'key.pem'));
  return { folder, server: (name, address) => sign(name, `subjectAltName = IP:${address}`) };
}
