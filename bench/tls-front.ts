import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { createServer, type TLSSocket } from 'node:tls';
import { promisify } from 'node:util';

/** A way by TLS to a server of this process that speaks without. */
export interface TlsFront {
  readonly url: string;
  /** The file of the certificate that a client must trust. */
  readonly certificate: string;
  readonly close: () => Promise<void>;
}

/** Listens on a free port for connections to `url`; key and certificate, made by openssl, go into `folder`. */
export async function startTlsFront(url: string, folder: string): Promise<TlsFront> {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2'];
  const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  await promisify(execFile)('openssl', ['req', ...kind, ...subject, '-keyout', key, '-out', certificate]);
  const { hostname, port } = new URL(url);
  const open = new Set<TLSSocket>();
  const server = createServer({ key: await readFile(key), cert: await readFile(certificate) }, (socket) => {
    open.add(socket);
    const inner = connect(Number(port), hostname);
    pipeline(socket, inner, socket, () => {
      open.delete(socket);
      inner.destroy();
      socket.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
