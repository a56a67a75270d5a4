import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Registry, startRegistry } from '../../support/docker/registry.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../../..');
const INDEX = 'application/vnd.oci.image.index.v1+json';
const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

let registry: Registry;
beforeAll(async () => {
  registry = await startRegistry();
}, 120_000);
afterAll(() => registry?.close());

/** Writes `image.tar` as BuildKit does: an index of two processors, and the attestation of one of them. */
async function builtImage(folder: string): Promise<string> {
  const blobs = join(folder, 'layout/blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const blob = async (content: object | string, mediaType: string, more: object = {}) => {
    const bytes = typeof content === 'string' ? content : JSON.stringify(content);
    const hex = createHash('sha256').update(bytes).digest('hex');
    await writeFile(join(blobs, hex), bytes);
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(bytes), ...more };
  };
  const manifest = async (architecture: string, layers: object[], more: object) => {
    const config = await blob(
      { architecture, os: 'linux', rootfs: { type: 'layers', diff_ids: [] } },
      'application/vnd.oci.image.config.v1+json',
    );
    return blob({ schemaVersion: 2, mediaType: MANIFEST, config, layers }, MANIFEST, more);
  };
  const processors = await Promise.all(
    ['amd64', 'arm64'].map((architecture) =>
      manifest(architecture, [], { platform: { architecture, os: 'linux' } }),
    ),
  );
  const statement = await blob(
    '{"predicateType":"https://slsa.dev/provenance/v1"}',
    'application/vnd.in-toto+json',
  );
  const attestation = await manifest('unknown', [statement], {
    platform: { architecture: 'unknown', os: 'unknown' },
    annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
  });
  const index = await blob(
    { schemaVersion: 2, mediaType: INDEX, manifests: [...processors, attestation] },
    INDEX,
  );
  await writeFile(join(folder, 'layout/oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(
    join(folder, 'layout/index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [index] }),
  );
  execFileSync('tar', [
    '--create',
    '--file',
    join(folder, 'image.tar'),
    '--directory',
    join(folder, 'layout'),
    'index.json',
    'oci-layout',
    'blobs',
  ]);
  return index.digest;
}

it('the image that a release pushes is the attested one, byte by byte, with its attestations', {
  timeout: 120_000,
}, async () => {
  const folder = await temporaryDirectory();
  const digest = await builtImage(folder);
  // Ubuntu's package brings a policy; the signed-in registry is as docker login leaves it.
  await mkdir(join(folder, '.config/containers'), { recursive: true });
  await writeFile(
    join(folder, '.config/containers/policy.json'),
    '{"default":[{"type":"insecureAcceptAnything"}]}',
  );
  const registries = join(folder, '.config/containers/registries.conf');
  await writeFile(registries, `[[registry]]\nlocation = "${registry.host}"\ninsecure = true\n`);
  const env = {
    PATH: process.env['PATH'],
    HOME: folder,
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(process.env['HOME'] ?? '/root', '.cache'),
    DOCKER_CONFIG: registry.dockerConfig,
    REGISTRY_AUTH_FILE: join(registry.dockerConfig, 'config.json'),
    GITHUB_REPOSITORY: 'Acme/infrastructure',
    REGISTRY: registry.host,
  };
  const { stdout } = await promisify(execFile)(join(ROOT, 'scripts/release'), ['push', 'v1.2.0', folder], {
    env,
  });
  expect(stdout).toBe(`${registry.host}/acme/pulumi-runner-agent@${digest}\n`);
  const { username, password } = registry.credentials;
  const response = await fetch(`http://${registry.host}/v2/acme/pulumi-runner-agent/manifests/1.2.0`, {
    headers: {
      accept: INDEX,
      authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  expect(`sha256:${createHash('sha256').update(bytes).digest('hex')}`).toBe(digest);
  expect(JSON.parse(bytes.toString()).manifests).toHaveLength(3);
});
