import { randomBytes } from 'node:crypto';
import Fastify from 'fastify';
import { SignJWT } from 'jose';
import { ArtifactRegistry, type Caller, type StoredArtifact, TwirpError } from './artifact-registry.ts';
import { ArtifactStore } from './artifact-store.ts';
import type { BlobStore } from './azurite.ts';
import { applyFault, FaultScript } from './faults.ts';
import type { Violation } from './violations.ts';

const SERVICE = '/twirp/github.actions.results.api.v1.ArtifactService/';

/** GitHub's artifact service over a real blob store, as @actions/artifact 6.2.1 speaks to it: Twirp in JSON. What it refuses is a violation. */
export class ArtifactService {
  /** Operations are the Twirp methods' names. */
  readonly faults = new FaultScript();
  /** The methods that were called, in order. */
  readonly calls: string[] = [];
  readonly violations: Violation[] = [];
  readonly #callers = new Map<string, Caller>();
  readonly #server = Fastify({ forceCloseConnections: true });
  readonly #registry: ArtifactRegistry;
  #url = '';

  private constructor(blobs: Promise<BlobStore>) {
    this.#registry = new ArtifactRegistry(new ArtifactStore(blobs));
  }

  /** Starts the service on loopback; requests wait for the blob store to be ready. */
  static async start(blobs: Promise<BlobStore>): Promise<ArtifactService> {
    const service = new ArtifactService(blobs);
    await service.#listen();
    return service;
  }

  /** What `ACTIONS_RESULTS_URL` holds. */
  get url(): string {
    return `${this.#url}/`;
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

  async #listen(): Promise<void> {
    const called = (url: string): string => url.replace(SERVICE, '');
    this.#server.post(`${SERVICE}:method`, async (request, reply) => {
      const method = called(request.url);
      this.calls.push(method);
      if (await applyFault(this.faults.take(method), reply)) return reply;
      const [, token = ''] = /^Bearer (\S+)$/u.exec(request.headers.authorization ?? '') ?? [];
      const caller = this.#callers.get(token);
      if (caller === undefined) throw new TwirpError('unauthenticated', 'no token of a job');
      return this.#registry.answer(method, request.body, caller);
    });
    this.#server.setNotFoundHandler(() => {
      throw new TwirpError('bad_route', 'there is nothing');
    });
    this.#server.setErrorHandler((error, request, reply) => {
      const refusal = error instanceof TwirpError ? error : new TwirpError('internal', String(error));
      const detail = `${request.method} ${called(request.url)}: ${refusal.message}`;
      this.violations.push({ rule: `artifact-${refusal.code}`, detail });
      return reply.code(refusal.status).send({ code: refusal.code, msg: refusal.message });
    });
    this.#url = await this.#server.listen({ host: '127.0.0.1', port: 0 });
  }
}
