import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A server's certificate and key, in PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

export interface Issued {
  /** As OpenSSL writes them: `DNS:localhost,IP:127.0.0.1`. */
  readonly names: string;
  /** Days until it expires; -1 has expired. */
  readonly days?: number;
}

interface Certificate {
  readonly subject: string;
  readonly extensions: string;
  readonly days?: number;
  /** The authority that signs it; self-signed when absent. */
  readonly by?: string | undefined;
}

/** A private authority like a company's: a root and one below it that signs servers' certificates. Made by openssl. */
export class Authority {
  /** The certificates of the root and of the authority below it. */
  readonly certificate: string;
  readonly intermediate: string;
  readonly #folder = mkdtempSync(join(tmpdir(), 'authority-'));
  #issued = 0;

  constructor(name = 'Private') {
    const authority = 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign\n';
    this.#certify('root', { subject: `/CN=${name} Root`, extensions: authority });
    this.#certify('below', { subject: `/CN=${name} Issuing`, extensions: authority, by: 'root' });
    this.certificate = this.#read('root.crt');
    this.intermediate = this.#read('below.crt');
  }

  /** The file of the root's certificate. */
  get path(): string {
    return join(this.#folder, 'root.crt');
  }

  /** A server's certificate, sent with that of the authority below the root, as servers should. */
  issue(issued: Issued): Identity {
    const { cert, key } = this.#server(issued, 'below');
    return { cert: `${cert}${this.intermediate}`, key };
  }

  selfSigned(issued: Issued): Identity {
    return this.#server(issued);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #server({ names, days = 30 }: Issued, by?: string): Identity {
    const name = `server-${this.#issued++}`;
    this.#certify(name, { subject: '/CN=server', extensions: `subjectAltName=${names}\n`, days, by });
    return { cert: this.#read(`${name}.crt`), key: this.#read(`${name}.key`) };
  }

  #certify(name: string, { subject, extensions, days = 3650, by }: Certificate): void {
    const key = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      `${name}.key`,
    ];
    this.#openssl('req', '-new', ...key, '-subj', subject, '-out', `${name}.csr`);
    writeFileSync(join(this.#folder, `${name}.ext`), extensions);
    const signer =
      by === undefined ? ['-signkey', `${name}.key`] : ['-CA', `${by}.crt`, '-CAkey', `${by}.key`];
    const serial = ['-set_serial', String(Date.now() * 1000 + this.#issued)];
    const content = [...serial, '-days', String(days), '-extfile', `${name}.ext`];
    this.#openssl('x509', '-req', '-in', `${name}.csr`, ...signer, ...content, '-out', `${name}.crt`);
  }

  #openssl(...args: string[]): void {
    execFileSync('openssl', args, { cwd: this.#folder, stdio: ['ignore', 'ignore', 'pipe'] });
  }

  #read(file: string): string {
    return readFileSync(join(this.#folder, file), 'utf8');
  }
}
