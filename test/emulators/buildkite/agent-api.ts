import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { applyFault, FaultScript } from '../github/faults.ts';
import type { Issuer } from '../github/issuer.ts';
import type { Violation } from '../github/violations.ts';
import { type Artifact, BuildkiteJob, type JobOptions } from './job.ts';
import * as wire from './wire.ts';

/** Buildkite's ID tokens live for five minutes unless a job asks for another lifetime. */
const LIFETIME_SECONDS = 300;

/** The tokens of the one agent that may register, and of its session. */
export const REGISTRATION_TOKEN = 'bkct_registration';
const SESSION_TOKEN = 'bkaa_session';

class Rejection extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Buildkite's Agent API, version 3, for one agent, as buildkite-agent 3.137 speaks it by polling. Answers that it has to
 * refuse are violations: of a wrong token, path, body, order or size.
 */
export class AgentApi {
  /** Operations are named like the last part of their path. */
  readonly faults = new FaultScript();
  readonly violations: Violation[] = [];
  readonly jobs: BuildkiteJob[] = [];
  readonly #server = Fastify({ forceCloseConnections: true, bodyLimit: 64 * 1024 * 1024 });
  readonly #issuer: Issuer;
  #origin = '';
  #session: 'none' | 'registered' | 'connected' | 'disconnected' = 'none';

  private constructor(issuer: Issuer) {
    this.#issuer = issuer;
    const server = this.#server;
    for (const type of ['text/plain', 'multipart/form-data'])
      server.addContentTypeParser(type, { parseAs: 'buffer' }, (_, body, done) => done(null, body));
    server.setNotFoundHandler((request) => {
      throw new Rejection(404, `there is no ${request.method} ${request.url}`);
    });
    server.setErrorHandler((error, request, reply) => {
      const message = error instanceof Error ? error.message : String(error);
      this.violations.push({ rule: 'buildkite', detail: `${request.method} ${request.url}: ${message}` });
      return reply.code(error instanceof Rejection ? error.status : 400).send({ message });
    });
    this.#addAgentRoutes();
    this.#addJobRoutes();
  }

  /** Starts the API on loopback. */
  static async start(issuer: Issuer): Promise<AgentApi> {
    const api = new AgentApi(issuer);
    api.#origin = await api.#server.listen({ host: '127.0.0.1', port: 0 });
    return api;
  }

  /** The value of `BUILDKITE_AGENT_ENDPOINT`. */
  get endpoint(): string {
    return `${this.#origin}/v3`;
  }

  /** Queues a job; the agent gets it with its next ping. */
  enqueue(options: JobOptions): BuildkiteJob {
    const job = new BuildkiteJob(options);
    this.jobs.push(job);
    return job;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Adds a route whose body must match; the name of its faults is the path's last part. */
  #route<T>(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    token: string | undefined,
    schema: z.ZodType<T>,
    answer: (given: { body: T; request: FastifyRequest; reply: FastifyReply }) => unknown,
  ): void {
    const name = path.split('/').at(-1) ?? '';
    this.#server.route({
      method,
      url: `/v3/${path}`,
      handler: async (request, reply) => {
        if (token !== undefined) expectToken(request, token);
        const { data, error } = schema.safeParse(request.body ?? undefined);
        if (error !== undefined) throw new Rejection(400, error.message);
        if (await applyFault(this.faults.take(name), reply)) return reply;
        return (await answer({ body: data as T, request, reply })) ?? {};
      },
    });
  }

  #addAgentRoutes(): void {
    const move = (from: string, to: 'registered' | 'connected' | 'disconnected') => {
      if (this.#session !== from) throw new Rejection(422, `the agent is ${this.#session}, not ${from}`);
      this.#session = to;
    };

    this.#route('POST', 'register', REGISTRATION_TOKEN, wire.register, ({ body }) => {
      move('none', 'registered');
      const intervals = { ping_interval: 1, job_status_interval: 1, heartbeat_interval: 5 };
      return {
        id: randomUUID(),
        name: body.name,
        access_token: SESSION_TOKEN,
        meta_data: body.meta_data,
        ...intervals,
      };
    });

    this.#route('POST', 'connect', SESSION_TOKEN, wire.nothing, () => move('registered', 'connected'));
    this.#route('POST', 'disconnect', SESSION_TOKEN, wire.nothing, () => move('connected', 'disconnected'));

    this.#route('POST', 'heartbeat', SESSION_TOKEN, wire.heartbeat, ({ body }) => ({
      ...body,
      received_at: new Date().toISOString(),
    }));

    this.#route('GET', 'ping', SESSION_TOKEN, wire.nothing, () => {
      const job = this.jobs.find(({ state }) => state === 'scheduled' || state === 'assigned');
      if (job === undefined) return { action: 'idle' };
      job.state = 'assigned';
      return { job: { id: job.id, state: job.state, env: job.environment() } };
    });
  }

  #addJobRoutes(): void {
    /** A route of one job: its token, and one of these states. */
    const route = <T>(
      method: 'GET' | 'POST' | 'PUT',
      path: string,
      states: readonly string[],
      schema: z.ZodType<T>,
      answer: (job: BuildkiteJob, body: T, request: FastifyRequest) => unknown,
    ) =>
      this.#route(method, `jobs/:id${path}`, undefined, schema, ({ body, request }) => {
        const { id } = request.params as { id: string };
        const job = this.jobs.find((each) => each.id === id);
        if (job === undefined) throw new Rejection(404, `there is no job ${id}`);
        expectToken(request, path === '/accept' ? SESSION_TOKEN : job.token);
        if (!states.includes(job.state)) throw new Rejection(422, `the job is ${job.state}`);
        return answer(job, body, request);
      });
    const running = ['running', 'canceling'];

    route('PUT', '/accept', ['assigned'], wire.nothing, (job) => {
      job.state = 'accepted';
      return job.accepted();
    });
    route('PUT', '/start', ['accepted'], wire.start, (job) => {
      job.state = 'running';
    });
    route('GET', '', running, wire.nothing, ({ state }) => ({ state }));
    route('PUT', '/finish', running, wire.finish, (job, end) => {
      if (!job.isLogWhole()) throw new Rejection(422, 'parts of the log are missing');
      job.finish(end);
    });
    route('POST', '/chunks', running, wire.bytes, (job, body, { query }) => {
      const place = wire.chunk.parse(query);
      const log = gunzipSync(body);
      if (log.length !== place.size) throw new Rejection(400, `the chunk has ${log.length} bytes`);
      if (!job.addLog(log, place)) throw new Rejection(422, `there is a chunk ${place.sequence}`);
    });
    route('POST', '/annotations', running, wire.annotation, (job, body) => job.annotate(body));
    route(
      'POST',
      '/data/set',
      running,
      wire.metaData,
      (job, { key, value }) => void job.metaData.set(key, value),
    );
    // A checkout looks for the commit's description, and sets it.
    route('POST', '/data/exists', running, wire.key, (job, { key }) => ({ exists: job.metaData.has(key) }));
    route('POST', '/oidc/tokens', running, wire.idToken, async (job, { audience }) => {
      const token = await this.#issuer.sign(job.claims(audience, LIFETIME_SECONDS));
      job.idTokens.push(token);
      return { token };
    });
    route('POST', '/artifacts', running, wire.artifacts, (job, { id, artifacts }) => ({
      id,
      artifact_ids: artifacts.map((artifact) => job.addArtifact(artifact)),
      upload_instructions: {
        action: { url: this.#origin, method: 'POST', path: '/upload', file_input: 'file' },
        data: { key: `${job.id}/\${artifact:path}` },
      },
    }));
    route('PUT', '/artifacts', running, wire.artifactStates, (job, { artifacts }) => {
      for (const { id, state } of artifacts) {
        const artifact = job.artifacts.find((each) => each.id === id);
        if (artifact === undefined) throw new Rejection(404, `there is no artifact ${id}`);
        if (state === 'finished' && artifact.content === undefined)
          throw new Rejection(422, 'it is not uploaded');
        artifact.state = state;
      }
    });

    // The bucket: a signed form, whose file comes last.
    this.#server.post('/upload', async (request, reply) => {
      if (await applyFault(this.faults.take('upload'), reply)) return reply;
      const headers = { 'content-type': String(request.headers['content-type']) };
      const form = [...(await new Response(wire.bytes.parse(request.body), { headers }).formData())];
      const [[, key] = [], [name, file] = []] = form;
      if (form.length !== 2 || name !== 'file' || !(file instanceof File) || typeof key !== 'string')
        throw new Rejection(400, 'the form is not key and file');
      const content = Buffer.from(await file.arrayBuffer());
      const artifact = this.#uploading(key);
      if (artifact === undefined || !artifact.take(content)) throw new Rejection(403, `${key} is not signed`);
      return reply.code(204).send();
    });
  }

  #uploading(key: string): Artifact | undefined {
    const [id, ...path] = key.split('/');
    const job = this.jobs.find((each) => each.id === id);
    return job?.artifacts.find((each) => each.path === path.join('/') && each.state === 'new');
  }
}

function expectToken({ headers }: FastifyRequest, token: string): void {
  if (headers.authorization !== `Token ${token}`) throw new Rejection(401, 'not the token for this');
}
