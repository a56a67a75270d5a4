import { randomBytes, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { z } from 'zod';
import { applyFault, FaultScript } from './faults.ts';
import type { Issuer } from './issuer.ts';
import { type JobIdentity, runClaims } from './job-environment.ts';
import type { Violation } from './violations.ts';

/** GitHub's ID tokens live for five minutes. */
const LIFETIME_SECONDS = 300;

/** The URL's own query and what a client appends to it. */
const querySchema = z.strictObject({ 'api-version': z.literal('2.0'), audience: z.string().optional() });

/** GitHub's ID-token endpoint: anything but a GET with the job's token and at most one `audience` is a violation. */
export class IdTokenEndpoint {
  /** The only operation is `token`. */
  readonly faults = new FaultScript();
  readonly violations: Violation[] = [];
  readonly #jobs = new Map<
    string,
    { readonly identity: JobIdentity; readonly called: string | undefined; readonly token: string }
  >();
  readonly #server = Fastify({ forceCloseConnections: true });
  readonly #issuer: Issuer;
  #origin = '';

  private constructor(issuer: Issuer) {
    this.#issuer = issuer;
    this.#server.all<{ Params: { id: string } }>('/idtoken/:id', async (request, reply) => {
      const job = this.#jobs.get(request.params.id);
      const query = querySchema.safeParse(request.query);
      const refuse = (status: number, rule: string, detail: string) => {
        this.violations.push({ rule, detail });
        return reply.code(status).send({ message: detail });
      };
      if (request.method !== 'GET') return refuse(405, 'id-token-method', `${request.method} instead of GET`);
      if (job === undefined || request.headers.authorization !== `Bearer ${job.token}`)
        return refuse(401, 'id-token-authorization', 'not "Bearer <request token>" of a live job');
      if (!query.success) return refuse(400, 'id-token-query', query.error.message);
      if (await applyFault(this.faults.take('token'), reply)) return reply;
      const value = await this.issue(job.identity, query.data.audience, job.called);
      return reply.send({ count: value.length, value });
    });
  }

  /** Starts the endpoint on loopback. */
  static async start(issuer: Issuer): Promise<IdTokenEndpoint> {
    const endpoint = new IdTokenEndpoint(issuer);
    endpoint.#origin = await endpoint.#server.listen({ host: '127.0.0.1', port: 0 });
    return endpoint;
  }

  /** Grants a job `id-token: write`, which a workflow that was `called` may have; returns the URL and bearer token for its requests. */
  register(identity: JobIdentity, called?: string): { url: string; token: string; revoke: () => void } {
    const id = randomUUID();
    const token = randomBytes(32).toString('base64url');
    this.#jobs.set(id, { identity, called, token });
    // Like GitHub's, the URL already has a query; clients append "&audience=".
    const url = `${this.#origin}/idtoken/${id}?api-version=2.0`;
    return { url, token, revoke: () => void this.#jobs.delete(id) };
  }

  /** Issues a token as the endpoint does. */
  issue(identity: JobIdentity, audience?: string, called?: string): Promise<string> {
    const { repository, ref } = identity;
    const claims = runClaims(identity);
    const iat = Math.floor(Date.now() / 1000);
    return this.#issuer.sign({
      ...claims,
      // The workflow file that the job stands in: the called one, where one is.
      job_workflow_ref: called ?? claims['workflow_ref'],
      jti: randomUUID(),
      // The form for a job without an environment.
      sub: `repo:${repository}:ref:${ref}`,
      aud: audience ?? `https://github.com/${claims['repository_owner']}`,
      iat,
      nbf: iat - 600,
      exp: iat + LIFETIME_SECONDS,
    });
  }

  close(): Promise<void> {
    return this.#server.close();
  }
}
