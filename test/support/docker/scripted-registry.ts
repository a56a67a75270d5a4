import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { listen, owned } from '../../integration/network/servers.ts';

/** Answers a request for `content` and returns true, or returns false to have it served. */
type BlobFault = (answer: ServerResponse, content: Buffer) => boolean;

/** By the blob that is requested. */
export type BlobFaults = Partial<Record<'config' | 'layer', BlobFault>>;

/** More than the 1 MiB that containerd reads before it counts them. */
const LAYER_BYTES = 4 * 1024 ** 2;

const TYPE = 'application/vnd.docker';
const digest = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

/**
 * A registry with one image of random content, until the running test is over: no engine has its
 * layer, which one with the containerd store keeps after the image is removed. Engines trust
 * 127.0.0.0/8 without TLS.
 */
export async function scriptedRegistry(faults: BlobFaults) {
  const archive = pack();
  archive.entry({ name: 'file' }, randomBytes(LAYER_BYTES));
  archive.finalize();
  const files = await buffer(archive);
  const layer = gzipSync(files);

  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const rootfs = { type: 'layers', diff_ids: [digest(files)] };
  const config = Buffer.from(JSON.stringify({ os: 'linux', architecture, config: {}, rootfs }));
  const part = (mediaType: string, content: Buffer) => ({
    mediaType: `${TYPE}.${mediaType}`,
    size: content.length,
    digest: digest(content),
  });
  const manifestType = `${TYPE}.distribution.manifest.v2+json`;
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: part('container.image.v1+json', config),
      layers: [part('image.rootfs.diff.tar.gzip', layer)],
    }),
  );

  const serve = ({ method, url = '' }: IncomingMessage, answer: ServerResponse) => {
    const kind = url.endsWith(digest(layer)) ? 'layer' : 'config';
    const blob = { layer, config }[kind];
    const isBlob = url.includes('/blobs/');
    if (method === 'GET' && isBlob && faults[kind]?.(answer, blob)) return;
    const [type, content] = isBlob ? ['application/octet-stream', blob] : [manifestType, manifest];
    answer.setHeader('docker-content-digest', digest(content));
    answer.setHeader('content-length', content.length);
    answer.setHeader('content-type', type);
    answer.end(method === 'HEAD' ? undefined : content);
  };

  const { port } = owned(await listen(createServer(serve), '127.0.0.1'));
  return { image: `127.0.0.1:${port}/acme/scripted:1` };
}
