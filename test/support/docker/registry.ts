import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { promisify } from 'node:util';
import { freePort } from '../../../src/pulumi-agent/agent-health.ts';
import { listen } from '../../integration/network/servers.ts';
import { scriptOutput } from '../script.ts';
import { docker } from './images.ts';

/** Answers a request and returns true, or returns false to let it pass. */
export type Fault = (call: IncomingMessage, answer: ServerResponse) => boolean;

export type Registry = Awaited<ReturnType<typeof startRegistry>>;

/** The media types of one platform's image: Docker's, and since Docker 29 OCI's. */
const MANIFEST = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
].join(', ');

/** A real registry behind a proxy that can inject faults. Docker engines trust 127.0.0.0/8 without TLS. */
export async function startRegistry() {
  const folder = await mkdtemp(join(tmpdir(), 'registry-'));
  const port = await freePort();
  const credentials = { username: 'robot+acme', password: 'p?>~ü"\\word' };
  const { username, password } = credentials;
  await scriptOutput('registry', ['start', folder, String(port), username, password]);
  const passOn = (call: IncomingMessage, answer: ServerResponse, most?: number) => {
    const onward = request(
      { port, host: '127.0.0.1', method: call.method, path: call.url, headers: call.headers },
      (reply) => {
        if (answer.destroyed) return void reply.destroy();
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        // A cut reply cuts the answer too.
        if (most === undefined) pipeline(reply, answer, () => undefined);
        else
          reply.once('data', (data: Buffer) => answer.write(data.subarray(0, most), () => answer.destroy()));
      },
    );
    onward.on('error', () => answer.destroy());
    call.pipe(onward);
  };
  /** The fault applies until it is replaced. */
  const registry: { fault: Fault } = { fault: () => false };
  const proxy = createServer((call, answer) => {
    if (!registry.fault(call, answer)) passOn(call, answer);
  });
  const listening = await listen(proxy, '127.0.0.1');
  const host = `127.0.0.1:${listening.port}`;
  const auth = Buffer.from(`${credentials.username}:${credentials.password}`).toString('base64');
  await writeFile(join(folder, 'config.json'), JSON.stringify({ auths: { [host]: { auth } } }));
  const manifest = (repository: string, tag: string) => {
    const headers = { authorization: `Basic ${auth}`, accept: MANIFEST };
    return fetch(`http://127.0.0.1:${port}/v2/${repository}/manifests/${tag}`, { headers });
  };
  return Object.assign(registry, {
    /** `127.0.0.1:<port>`, which image names begin with. */
    host,
    /** For DOCKER_CONFIG: a folder that is signed in to this registry. */
    dockerConfig: folder,
    credentials,
    /** Passes a request on, and cuts the answer after so many bytes. */
    cutAfter: (bytes: number, call: IncomingMessage, answer: ServerResponse) => passOn(call, answer, bytes),
    /** Pushes a local image under `name` and removes that tag locally; returns the full name. */
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
    /** The digest, `sha256:…`, that a repository's tag names. */
    digest: async (repository: string, tag: string) =>
      (await manifest(repository, tag)).headers.get('docker-content-digest') ?? '',
    /** The digests of the layers of a repository's tag. */
    async layers(repository: string, tag: string): Promise<string[]> {
      const { layers } = (await (await manifest(repository, tag)).json()) as { layers: { digest: string }[] };
      return layers.map(({ digest }) => digest);
    },
    async close() {
      await listening.close();
      await scriptOutput('registry', ['stop', folder]);
      await rm(folder, { recursive: true, force: true });
    },
  });
}
