import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** An authority in a folder of its own, as the Docker CLI wants one: `ca.pem`, `cert.pem` and `key.pem` of a client; and servers'. */
export interface Authority {
  readonly folder: string;
  /** Makes `<name>.pem` and `<name>-key.pem` for a server at `address`, valid for as many days from now as told; less than 0 is over. */
  server(name: string, address: string, days: number): void;
}

export async function makeAuthority(folder: string): Promise<Authority> {
  await mkdir(folder, { recursive: true });
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  openssl(...['req', '-x509', ...KEY, '-days', '2', '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=test CA']);
  const sign = (name: string, extension: string, dates: readonly string[]) => {
    openssl('req', ...KEY, '-keyout', `${name}-key.pem`, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
    writeFileSync(
      join(folder, `${name}.cnf`),
      `[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\nrand_serial = yes\nnew_certs_dir = .\ndefault_md = sha256\npolicy = any
unique_subject = no\nx509_extensions = extensions\n[any]\ncommonName = supplied\n[extensions]\n${extension}\n`,
    );
    openssl('ca', '-batch', '-notext', '-config', `${name}.cnf`, ...signed(name), ...dates);
  };
  await writeFile(join(folder, 'index.txt'), '');
  sign('client', 'extendedKeyUsage = clientAuth', validity(2));
  await copyFile(join(folder, 'client.pem'), join(folder, 'cert.pem'));
  await copyFile(join(folder, 'client-key.pem'), join(folder, 'key.pem'));
  return {
    folder,
    server: (name, address, days) => sign(name, `subjectAltName = IP:${address}`, validity(days)),
  };
}

function signed(name: string): readonly string[] {
  return ['-cert', 'ca.pem', '-keyfile', 'ca-key.pem', '-in', `${name}.csr`, '-out', `${name}.pem`];
}

function validity(days: number): readonly string[] {
  const at = (day: number) =>
    `${new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`;
  return ['-startdate', at(days - 3), '-enddate', at(days)];
}
