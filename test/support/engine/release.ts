import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';

/** A file, folder or link in an archive. */
export interface Entry extends Omit<Partial<Header>, 'name'> {
  readonly name: string;
  readonly content?: string;
}

/** A key pair like cosign's; the public half in PEM. */
export interface TestKey {
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

export const FOLDER = 'customer-managed-workflow-agent';

export function testKey(): TestKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(), privateKey };
}

/** Signs as `cosign sign-blob --key` does: base64 of an ECDSA signature in DER over the file's SHA-256. */
export function signatureOf(file: Buffer, { privateKey }: TestKey): Buffer {
  return Buffer.from(sign('sha256', file, { key: privateKey, dsaEncoding: 'der' }).toString('base64'));
}

/** A release's entries: programs that write to `canary` whenever they run, and print their version. */
export function programs(version: string, canary: string): Entry[] {
  const program = `#!/bin/sh\necho "$0 $*" >>'${canary}'\n[ "$1" != version ] || echo 'v${version}'\n`;
  return [
    { name: `${FOLDER}/`, type: 'directory', mode: 0o755 },
    { name: `${FOLDER}/workflow-runner-embeddable`, mode: 0o755, content: program },
    { name: `${FOLDER}/pulumi-workflow-agent.yaml.sample`, mode: 0o644, content: 'token:\n' },
    { name: `${FOLDER}/customer-managed-workflow-agent`, mode: 0o755, content: program },
    { name: `${FOLDER}/workflow-runner`, mode: 0o755, content: program },
  ];
}

export async function archiveOf(entries: readonly Entry[]): Promise<Buffer> {
  const archive = pack();
  for (const { content, ...header } of entries) archive.entry(header, content ?? '');
  archive.finalize();
  return gzipSync(await buffer(archive));
}

/** `checksums.txt` as goreleaser writes it. */
export function checksumsOf(files: ReadonlyMap<string, Buffer>): Buffer {
  const lines = [...files].map(
    ([name, file]) => `${createHash('sha256').update(file).digest('hex')}  ${name}\n`,
  );
  return Buffer.from(lines.join(''));
}

/** The archive's name for this machine. */
export function archiveName(version: string): string {
  return `${FOLDER}-v${version}-${process.platform}-${process.arch}.tar.gz`;
}

/** A release for this machine, by file name: its archive, checksums and signature. */
export async function signedRelease(
  version: string,
  entries: readonly Entry[],
  key: TestKey,
): Promise<Map<string, Buffer>> {
  const files = new Map([[archiveName(version), await archiveOf(entries)]]);
  const checksums = checksumsOf(files);
  return files.set('checksums.txt', checksums).set('checksums.txt.sig', signatureOf(checksums, key));
}

/** A copy with one bit flipped, by default in the middle byte. */
export function flipped(file: Buffer, at = Math.floor(file.length / 2)): Buffer {
  const copy = Buffer.from(file);
  copy[at]! ^= 1;
  return copy;
}
