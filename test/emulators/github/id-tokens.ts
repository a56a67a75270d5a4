import { randomBytes, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { applyFault, FaultScript } from './faults.ts';
import type { Issuer } from './issuer.ts';
import { type JobIdentity, runClaims } from './job-environment.ts';
import type { Violation } from './violations.ts';

export interface IdTokenOptions {
  readonly issuer: Issuer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** GitHub's ID tokens live five minutes. */
const LIFETIME_SECONDS = 300;

/** GitHub's ID-token endpoint, for `core.getIDToken`: anything but a GET of the URL with the job's token and one `audience` is a violation. */
export class IdTokenEndpoint {
  /** For the operation `token`. */
  readonly faults = new FaultScript();
  readonly violations: Violation[] = [];
  readonly #jobs = new Map<string, { readonly identity: JobIdentity; readonly token: string }>();
  readonly #server = Fastify({ forceCloseConnections: true });
  readonly #options: IdTokenOptions;
  #origin = '';

  constructor(options: IdTokenOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#server.all<{ Params: { id: string } }>('/idtoken/:id', async (request, reply) => {
      const url = new URL(request.url, this.#origin);
      const job = this.#jobs.get(request.params.id);
      const audience = url.searchParams.get('audience') ?? undefined;
      const refuse = (status: number, rule: string, detail: string) => {
        this.violations.push({ rule, detail });
        return reply.code(status).send({ message: detail });
      };
      if (request.method !== 'GET') return refuse(405, 'id-token-method', `${request.method} instead of GET`);
      if (job === undefined || request.headers.authorization !== `Bearer ${job.token}`) {
        return refuse(
          401,
          'id-token-authorization',
          'the Authorization header is not "Bearer <request token>" of a live job',
        );
      }
      const wrong = wrongQuery(url.searchParams);
      if (wrong !== undefined) return refuse(400, 'id-token-query', wrong);
      if (await applyFault(this.faults.take('token'), reply)) return reply;
      const value = await this.issue(job.identity, audience);
      return reply.send({ count: value.length, value });
    });
    this.#origin = await this.#server.listen({ host: '127.0.0.1', port: 0 });
  }

  /** Grants a job `id-token: write`: the URL and bearer token of its requests. */
  register(identity: JobIdentity): { url: string; token: string; revoke: () => void } {
    const id = randomUUID();
    const token = randomBytes(32).toString('base64url');
    this.#jobs.set(id, { identity, token });
    // Like GitHub's, the URL already has a query; clients append "&audience=".
    const url = `${this.#origin}/idtoken/${id}?api-version=2.0`;
    return { url, token, revoke: () => void this.#jobs.delete(id) };
  }

  /** A token as the endpoint hands it out. */
  issue(identity: JobIdentity, audience?: string): Promise<string> {
    const { repository, ref } = identity;
    const claims = runClaims(identity);
    const iat = Math.floor(this.#options.now() / 1000);
    return this.#options.issuer.sign({
      ...claims,
      job_workflow_ref: claims['workflow_ref'],
      jti: randomUUID(),
      // Of a job that has no environment.
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

function wrongQuery(query: URLSearchParams): string | undefined {
  if (query.get('api-version') !== '2.0') return 'the query of ACTIONS_ID_TOKEN_REQUEST_URL was lost';
  const unknown = [...query.keys()].filter((key) => key !== 'api-version' && key !== 'audience');
  if (unknown.length > 0) return `unknown query parameters: ${unknown.join(', ')}`;
  if (query.getAll('audience').length > 1) return 'more than one audience';
  return undefined;
}
