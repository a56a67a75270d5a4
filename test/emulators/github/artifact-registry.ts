import { createHash, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import { fromBufferPromise } from 'yauzl';
import type { ArtifactStore } from './artifact-store.ts';
import { type RequestOf, TwirpError } from './artifact-wire.ts';

/** An artifact as the service keeps it. */
export interface StoredArtifact {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Absent when the repository's default retention holds. */
  readonly expiresAt: Date | undefined;
  /** False between `CreateArtifact` and `FinalizeArtifact`; such ones hold their name. */
  readonly finalized: boolean;
  readonly size: number;
  /** `sha256:<hex>` of the blob; absent before it is finalized. */
  readonly digest: string | undefined;
}

interface Entry extends StoredArtifact {
  readonly blob: string;
}

/** What the artifact service knows; its methods are the service's, each answer in proto3 JSON, each refusal a TwirpError. */
export class ArtifactRegistry {
  readonly #artifacts = new Map<string, Entry>();
  readonly #store: ArtifactStore;
  #nextId = 4_108_330_001;

  constructor(store: ArtifactStore) {
    this.#store = store;
  }

  /** Everything that was created, finalized or not. */
  all(): StoredArtifact[] {
    return [...this.#artifacts.values()].map(({ blob: _, ...artifact }) => artifact);
  }

  /** The entries of a finalized artifact's zip by name. @throws when there is no such artifact, or it is no sound zip */
  async download(name: string): Promise<Map<string, Buffer>> {
    const artifact = [...this.#artifacts.values()].find((one) => one.name === name && one.finalized);
    const content = artifact && (await this.#store.read(artifact.blob));
    if (content === undefined) throw new Error(`Failed to download artifact "${name}": there is none.`);
    return unzip(content);
  }

  async create(request: RequestOf<'CreateArtifact'>): Promise<unknown> {
    const { name, workflow_run_backend_id: run, workflow_job_run_backend_id: job } = request;
    const key = keyOf(run, name);
    // A name is taken from its creation on, whether or not the upload came to an end.
    if (this.#artifacts.has(key)) {
      throw new TwirpError('already_exists', 'an artifact with this name already exists on the workflow run');
    }
    const blob = `workflow-run-${run}/workflow-job-run-${job}/artifacts/${randomUUID()}.zip`;
    this.#artifacts.set(key, {
      id: this.#nextId++,
      name,
      createdAt: new Date(),
      expiresAt: request.expires_at === undefined ? undefined : new Date(request.expires_at),
      finalized: false,
      size: 0,
      digest: undefined,
      blob,
    });
    return { ok: true, signed_upload_url: await this.#store.signedUrl(blob) };
  }

  async finalize(request: RequestOf<'FinalizeArtifact'>): Promise<unknown> {
    const key = keyOf(request.workflow_run_backend_id, request.name);
    const artifact = this.#artifacts.get(key);
    if (artifact === undefined) throw new TwirpError('not_found', `no artifact "${request.name}" was created`);
    if (artifact.finalized) throw new TwirpError('failed_precondition', `"${request.name}" is final already`);
    const content = await this.#store.read(artifact.blob);
    if (content === undefined)
      throw new TwirpError('failed_precondition', `nothing was uploaded for "${request.name}"`);
    const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
    if (content.length !== Number(request.size)) {
      throw new TwirpError('invalid_argument', `size ${request.size} was said, ${content.length} bytes were uploaded`);
    }
    if (request.hash !== undefined && request.hash !== digest) {
      throw new TwirpError('invalid_argument', `hash ${request.hash} was said, the upload has ${digest}`);
    }
    this.#artifacts.set(key, { ...artifact, finalized: true, size: content.length, digest });
    return { ok: true, artifact_id: String(artifact.id) };
  }
}

function keyOf(run: string, name: string): string {
  return `${run}/${name}`;
}

/** Unpacks a zip's files. Throws when it is no zip, or holds an entry twice, an unsafe name, a wrong size or checksum. */
async function unzip(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true });
  const entries = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry()) {
    const { fileName } = entry;
    if (fileName.endsWith('/')) continue;
    if (entries.has(fileName)) throw new Error(`Failed to unzip an artifact: "${fileName}" is in it twice.`);
    const content = await buffer(await zip.openReadStreamPromise(entry));
    if (crc32(content) !== entry.crc32)
      throw new Error(`Failed to unzip an artifact: the checksum of "${fileName}" is wrong.`);
    entries.set(fileName, content);
  }
  return entries;
}
