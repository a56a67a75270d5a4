import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { docker } from './images.ts';

const run = promisify(execFile);
const script = join(import.meta.dirname, '../../../scripts/registry');

/** Answers a request itself, or lets it pass by returning false. */
export type Fault = (call: IncomingMessage, answer: ServerResponse) => boolean;

/** A real registry, behind a proxy that can break what passes. Engines trust 127.0.0.0/8 without TLS. */
export interface Registry {
  /** `127.0.0.1:<port>`: what image names begin with. */
  readonly host: string;
  readonly credentials: { readonly username: string; readonly password: string };
  /** Takes part until it is replaced. */
  fault: Fault;
  /** Pushes a local image under `name` and forgets it locally; returns the full name. */
  push(image: string, name: string): Promise<string>;
  close(): Promise<void>;
}

export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const port = await freePort();
  const credentials = { username: 'robot+acme', password: 'p?>~ü"\\word' };
  // Its output is not ours to wait for: the registry itself inherits it.
  await new Promise<void>((resolve, reject) => {
    const started = spawn('bash', [script, 'start', folder, String(port), credentials.username, credentials.password], {
      stdio: 'ignore',
    });
    started.on('error', reject);
    started.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`scripts/registry ended with ${code}`))));
  });
  const pass: Fault = () => false;
  const registry = { fault: pass };
  const proxy = createServer((call, answer) => {
    if (registry.fault(call, answer)) return;
    const onward = request(
      { port, host: '127.0.0.1', method: call.method, path: call.url, headers: call.headers },
      (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    call.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return Object.assign(registry, {
    host,
    credentials,
    async push(image: string, name: string) {
      const full = `${host}/${name}`;
      const [repo, tag] = [full.slice(0, full.lastIndexOf(':')), full.slice(full.lastIndexOf(':') + 1)];
      await docker.getImage(image).tag({ repo, tag });
      try {
        const stream = await docker.getImage(full).push({ authconfig: { ...credentials, serveraddress: host } });
        await new Promise<void>((resolve, reject) =>
          docker.modem.followProgress(stream, (error: Error | null, frames: { error?: string }[]) => {
            const failed = error ?? frames.find((frame) => frame.error !== undefined)?.error;
            failed === undefined || failed === null ? resolve() : reject(failed);
          }),
        );
      } finally {
        await docker.getImage(full).remove();
      }
      return full;
    },
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await run('bash', [script, 'stop', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  });
}

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
