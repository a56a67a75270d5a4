import { randomBytes } from 'node:crypto';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import { jwtVerify, SignJWT } from 'jose';
import { ArtifactRegistry, type StoredArtifact } from './artifact-registry.ts';
import { ArtifactStore } from './artifact-store.ts';
import { isMethod, type Method, type RequestOf, requests, TwirpError } from './artifact-wire.ts';
import type { BlobStore } from './azurite.ts';
import { type BlobGate, startBlobGate } from './blob-gate.ts';
import { applyFault, FaultScript } from './faults.ts';
import type { Violation } from './violations.ts';

interface Caller {
  readonly run: string;
  readonly job: string;
}

const SERVICE = 'github.actions.results.api.v1.ArtifactService';

/** GitHub's artifact service over a real blob store, as @actions/artifact 6.2.1 speaks to it: Twirp in JSON. What it refuses is a violation. */
export class ArtifactService {
  /** Operations are the Twirp methods' names. */
  readonly faults = new FaultScript();
  /** The requests that came, in order. */
  readonly calls: { readonly method: string; readonly status: number | undefined }[] = [];
  readonly violations: Violation[] = [];
  readonly #secret = randomBytes(32);
  readonly #server = Fastify({ forceCloseConnections: true });
  readonly #registry: ArtifactRegistry;
  readonly #gate: BlobGate;
  #url = '';

  private constructor(registry: ArtifactRegistry, gate: BlobGate) {
    this.#registry = registry;
    this.#gate = gate;
  }

  /** Starts the service on loopback; requests wait for the blob store to be ready. */
  static async start(blobs: Promise<BlobStore>): Promise<ArtifactService> {
    const gate = await startBlobGate(async () => (await blobs).port);
    const service = new ArtifactService(new ArtifactRegistry(new ArtifactStore(blobs, gate.port)), gate);
    await service.#listen();
    return service;
  }

  /** What `ACTIONS_RESULTS_URL` holds. */
  get url(): string {
    return `${this.#url}/`;
  }

  /** The forwarder in front of the blob store: `stall` or `reset` it to break an upload. */
  get blobs(): Pick<BlobGate, 'set'> {
    return this.#gate;
  }

  /** Everything that was created, finalized or not. */
  list(): StoredArtifact[] {
    return this.#registry.all();
  }

  /** The entries of a finalized artifact's zip by name. @throws when there is no such artifact, or it is no sound zip */
  download(name: string): Promise<Map<string, Buffer>> {
    return this.#registry.download(name);
  }

  /** An `ACTIONS_RUNTIME_TOKEN` for a job. */
  runtimeToken(runBackendId: string, jobBackendId: string): Promise<string> {
    return new SignJWT({ scp: `Actions.ExampleScope Actions.Results:${runBackendId}:${jobBackendId}` })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime('6h')
      .sign(this.#secret);
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#gate.close();
  }

  async #listen(): Promise<void> {
    this.#server.removeAllContentTypeParsers();
    this.#server.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    this.#server.all('/*', async (request, reply) => {
      const method = new URL(request.url, this.#url).pathname.replace(`/twirp/${SERVICE}/`, '');
      const fault = this.faults.take(method);
      if (await applyFault(fault, reply)) {
        this.calls.push({ method, status: fault?.kind === 'status' ? fault.status : undefined });
        return reply;
      }
      return this.#answer(method, request, reply);
    });
    this.#url = await this.#server.listen({ host: '127.0.0.1', port: 0 });
  }

  async #answer(method: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    try {
      if (!isMethod(method) || request.method !== 'POST') {
        throw new TwirpError('bad_route', `no handler for ${request.method} ${request.url}`);
      }
      const answer = await this.#call(method, await this.#authenticate(request), request);
      this.calls.push({ method, status: 200 });
      return reply.code(200).send(answer);
    } catch (error) {
      const refusal = error instanceof TwirpError ? error : new TwirpError('internal', String(error));
      this.calls.push({ method, status: refusal.status });
      this.violations.push({ rule: `artifact-${refusal.code}`, detail: `${method}: ${refusal.message}` });
      return reply.code(refusal.status).send({ code: refusal.code, msg: refusal.message });
    }
  }

  async #authenticate(request: FastifyRequest): Promise<Caller> {
    const token = /^Bearer (\S+)$/u.exec(request.headers.authorization ?? '')?.[1];
    if (token === undefined) throw new TwirpError('unauthenticated', 'no bearer token');
    const {
      payload: { scp },
    } = await jwtVerify(token, this.#secret, { algorithms: ['HS256'] }).catch((error: unknown) => {
      throw new TwirpError('unauthenticated', `not a token of this service: ${String(error)}`);
    });
    const scope = /(?:^| )Actions\.Results:([^: ]+):([^: ]+)(?: |$)/u.exec(String(scp));
    if (scope?.[1] === undefined || scope[2] === undefined) {
      throw new TwirpError('permission_denied', 'the token has no scope Actions.Results:<run>:<job>');
    }
    return { run: scope[1], job: scope[2] };
  }

  #call(method: Method, caller: Caller, request: FastifyRequest): Promise<unknown> {
    if (request.headers['content-type'] !== 'application/json') {
      throw new TwirpError('malformed', `content type ${request.headers['content-type']}`);
    }
    let body: unknown;
    try {
      body = JSON.parse(String(request.body));
    } catch (error) {
      throw new TwirpError('malformed', `not JSON: ${String(error)}`);
    }
    const parse = <M extends Method>(name: M): RequestOf<M> => {
      const parsed = requests[name].safeParse(body);
      if (!parsed.success) throw new TwirpError('invalid_argument', parsed.error.message);
      const { workflow_run_backend_id: run, workflow_job_run_backend_id: job } = parsed.data;
      if (run !== caller.run || job !== caller.job) {
        throw new TwirpError('permission_denied', `run ${run}, job ${job} are not the token's`);
      }
      return parsed.data as RequestOf<M>;
    };
    switch (method) {
      case 'CreateArtifact':
        return this.#registry.create(parse('CreateArtifact'));
      case 'FinalizeArtifact':
        return this.#registry.finalize(parse('FinalizeArtifact'));
    }
  }
}
