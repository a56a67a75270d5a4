import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { crc32 } from 'node:zlib';
import Fastify from 'fastify';
import { SignJWT } from 'jose';
import { fromBufferPromise } from 'yauzl';
import { z } from 'zod';
import type { BlobStore } from './azurite.ts';
import { applyFault, FaultScript } from './faults.ts';
import type { Violation } from './violations.ts';

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';

const FIRST_ID = 4_108_330_001;

/** An artifact as the service keeps it. */
export interface StoredArtifact {
  readonly id: number;
  readonly name: string;
  readonly createdAt: Date;
  /** Absent when the repository's default retention applies. */
  readonly expiresAt: Date | undefined;
  /** False between `CreateArtifact` and `FinalizeArtifact`; its name is taken all the same. */
  readonly finalized: boolean;
  /** Its path in the blob store. */
  readonly blob: string;
}

/** The job that a call's token belongs to. */
interface Caller {
  readonly workflow_run_backend_id: string;
  readonly workflow_job_run_backend_id: string;
}

/** The HTTP status of each Twirp error. */
const STATUS = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  bad_route: 404,
  not_found: 404,
  already_exists: 409,
  failed_precondition: 412,
  internal: 500,
} as const;

/** A refusal by the service. */
class TwirpError extends Error {
  override readonly name = 'TwirpError';
  readonly code: keyof typeof STATUS;

  constructor(code: keyof typeof STATUS, message: string) {
    super(message);
    this.code = code;
  }
}

/** Calls of @actions/artifact 6.2.1: proto3 JSON, proto names, no defaults, int64 and wrapped strings as strings. */
const artifact = z.strictObject({
  workflow_run_backend_id: z.string(),
  workflow_job_run_backend_id: z.string(),
  /** GitHub refuses these characters in a name; the client checks for them too. */
  name: z.string().regex(/^[^":<>|*?\\/\r\n]{1,260}$/u, 'a forbidden character, or no name'),
});
const createSchema = artifact.extend({
  // Absent when the repository's default applies.
  expires_at: z.iso.datetime().optional(),
  version: z.literal(7),
  mime_type: z.string().optional(),
});
const finalizeSchema = artifact.extend({ size: z.string().default('0'), hash: z.string().optional() });

/** GitHub's artifact service for @actions/artifact 6.2.1: Twirp in JSON, a real blob store. Refusals are violations. */
export class ArtifactService {
  /** Operations are named like the Twirp methods. */
  readonly faults = new FaultScript();
  /** The methods that were called, in order. */
  readonly calls: string[] = [];
  readonly violations: Violation[] = [];
  readonly #callers = new Map<string, Caller>();
  readonly #artifacts = new Map<string, StoredArtifact>();
  readonly #server = Fastify({ forceCloseConnections: true });
  readonly #blobs: Promise<BlobStore>;
  #url = '';

  private constructor(blobs: Promise<BlobStore>) {
    this.#blobs = blobs;
    const called = (url: string): string => url.replace(SERVICE, '');
    this.#server.post(`${SERVICE}:method`, async (request, reply) => {
      const method = called(request.url);
      this.calls.push(method);
      if (await applyFault(this.faults.take(method), reply)) return reply;
      const [, token = ''] = /^Bearer (\S+)$/u.exec(request.headers.authorization ?? '') ?? [];
      const caller = this.#callers.get(token);
      if (caller === undefined) throw new TwirpError('unauthenticated', 'no token of a job');
      return this.#answer(method, request.body, caller);
    });
    this.#server.setNotFoundHandler(() => {
      throw new TwirpError('bad_route', 'there is nothing');
    });
    this.#server.setErrorHandler((error, request, reply) => {
      const refusal = error instanceof TwirpError ? error : new TwirpError('internal', String(error));
      const detail = `${request.method} ${called(request.url)}: ${refusal.message}`;
      this.violations.push({ rule: `artifact-${refusal.code}`, detail });
      return reply.code(STATUS[refusal.code]).send({ code: refusal.code, msg: refusal.message });
    });
  }

  /** Starts the service on loopback; requests wait for the blob store to be ready. */
  static async start(blobs: Promise<BlobStore>): Promise<ArtifactService> {
    const service = new ArtifactService(blobs);
    service.#url = await service.#server.listen({ host: '127.0.0.1', port: 0 });
    return service;
  }

  /** The value of `ACTIONS_RESULTS_URL`. */
  get url(): string {
    return `${this.#url}/`;
  }

  /** Every artifact that was created, finalized or not. */
  list(): StoredArtifact[] {
    return [...this.#artifacts.values()];
  }

  /** The entries of a finalized artifact's zip by name. @throws if there is no such artifact or its zip is invalid */
  async download(name: string): Promise<Map<string, Buffer>> {
    const artifact = [...this.#artifacts.values()].find((one) => one.name === name && one.finalized);
    const content = artifact && (await (await this.#blobs).read(artifact.blob));
    if (content === undefined) throw new Error(`Failed to download artifact "${name}": there is none.`);
    return unzip(content);
  }

  /** Issues an `ACTIONS_RUNTIME_TOKEN` for a job. */
  async runtimeToken(run: string, job: string): Promise<string> {
    const token = await new SignJWT({ scp: `Actions.ExampleScope Actions.Results:${run}:${job}` })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(randomBytes(32));
    this.#callers.set(token, { workflow_run_backend_id: run, workflow_job_run_backend_id: job });
    return token;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Answers a call in proto3 JSON. @throws TwirpError for a refusal */
  #answer(method: string, body: unknown, caller: Caller): Promise<object> {
    switch (method) {
      case 'CreateArtifact':
        return this.#create(requestOf(createSchema, body, caller));
      case 'FinalizeArtifact':
        return this.#finalize(requestOf(finalizeSchema, body, caller));
      default:
        throw new TwirpError('bad_route', 'there is no such method');
    }
  }

  async #create(request: z.output<typeof createSchema>): Promise<object> {
    const { name, workflow_run_backend_id: run, workflow_job_run_backend_id: job } = request;
    // A name is taken once created, whether or not the upload completed.
    if (this.#artifacts.has(keyOf(request))) {
      throw new TwirpError('already_exists', 'an artifact with this name already exists on the workflow run');
    }
    const blob = `workflow-run-${run}/workflow-job-run-${job}/artifacts/${randomUUID()}.zip`;
    this.#artifacts.set(keyOf(request), {
      id: FIRST_ID + this.#artifacts.size,
      name,
      createdAt: new Date(),
      expiresAt: request.expires_at === undefined ? undefined : new Date(request.expires_at),
      finalized: false,
      blob,
    });
    return { ok: true, signed_upload_url: await (await this.#blobs).signedUrl(blob) };
  }

  async #finalize(request: z.output<typeof finalizeSchema>): Promise<object> {
    const artifact = this.#artifacts.get(keyOf(request));
    if (artifact === undefined)
      throw new TwirpError('not_found', `no artifact "${request.name}" was created`);
    if (artifact.finalized) throw new TwirpError('failed_precondition', `"${request.name}" is final already`);
    const content = await (await this.#blobs).read(artifact.blob);
    if (content === undefined)
      throw new TwirpError('failed_precondition', `nothing was uploaded for "${request.name}"`);
    if (content.length !== Number(request.size))
      throw new TwirpError('invalid_argument', `${content.length} bytes were uploaded`);
    this.#artifacts.set(keyOf(request), { ...artifact, finalized: true });
    return { ok: true, artifact_id: String(artifact.id) };
  }
}

function keyOf({ workflow_run_backend_id: run, name }: z.output<typeof artifact>): string {
  return `${run}/${name}`;
}

function requestOf<T extends Caller>(schema: z.ZodType<T>, body: unknown, caller: Caller): T {
  const { data, error } = schema.safeParse(body);
  if (error !== undefined) throw new TwirpError('invalid_argument', error.message);
  const { workflow_run_backend_id: run, workflow_job_run_backend_id: job } = data;
  if (run !== caller.workflow_run_backend_id || job !== caller.workflow_job_run_backend_id)
    throw new TwirpError('permission_denied', `run ${run}, job ${job} are not the token's`);
  return data;
}

/** Unpacks a zip's files. Throws for an invalid zip, a duplicate entry, an unsafe name, a wrong size or checksum. */
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
