import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { freePort } from '../../../src/engines/pulumi/agent-health.ts';
import { scriptOutput } from '../script.ts';
import { docker } from './images.ts';

/** Answers a request itself, or lets it pass by returning false. */
export type Fault = (call: IncomingMessage, answer: ServerResponse) => boolean;

/** A real registry, behind a proxy that can break what passes. Engines trust 127.0.0.0/8 without TLS. */
export interface Registry {
  /** `127.0.0.1:<port>`: what image names begin with. */
  readonly host: string;
  readonly credentials: { readonly username: string; readonly password: string };
  /** For DOCKER_CONFIG: a runner that is signed in there. */
  readonly dockerConfig: string;
  /** Takes part until it is replaced. */
  fault: Fault;
  /** Pushes a local image under `name` and forgets it locally; returns the full name. */
  push(image: string, name: string): Promise<string>;
  /** `sha256:…` of what a tag of a repository names. */
  digest(repository: string, tag: string): Promise<string>;
  close(): Promise<void>;
}

/** The media type of one platform's image. */
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';

export async function startRegistry(): Promise<Registry> {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const port = await freePort();
  const credentials = { username: 'robot+acme', password: 'p?>~ü"\\word' };
  const { username, password } = credentials;
  await scriptOutput('registry', ['start', folder, String(port), username, password]);
  const passOn = (call: IncomingMessage, answer: ServerResponse) => {
    const onward = request(
      { port, host: '127.0.0.1', method: call.method, path: call.url, headers: call.headers },
      (reply) => {
        if (answer.destroyed) return void reply.destroy();
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        // A reply that is cut cuts the answer.
        pipeline(reply, answer, () => undefined);
      },
    );
    onward.on('error', () => answer.destroy());
    call.pipe(onward);
  };
  const pass: Fault = () => false;
  const registry = { fault: pass };
  const proxy = createServer((call, answer) => {
    if (!registry.fault(call, answer)) passOn(call, answer);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  return Object.assign(registry, {
    host,
    dockerConfig: folder,
    credentials,
    async push(image: string, name: string) {
      const full = `${host}/${name}`;
      const [repo, tag] = [full.slice(0, full.lastIndexOf(':')), full.slice(full.lastIndexOf(':') + 1)];
      await docker.getImage(image).tag({ repo, tag });
      try {
        await promisify(execFile)('docker', ['--config', folder, 'push', full]);
      } finally {
        await docker.getImage(full).remove();
      }
      return full;
    },
    async digest(repository: string, tag: string) {
      const headers = { authorization: `Basic ${auth}`, accept: MANIFEST };
      const answer = await fetch(`http://127.0.0.1:${port}/v2/${repository}/manifests/${tag}`, {
        method: 'HEAD',
        headers,
      });
      return answer.headers.get('docker-content-digest') ?? '';
    },
    async close() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
      await scriptOutput('registry', ['stop', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  });
}
