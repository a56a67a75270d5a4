import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { type GitRepository, makeGitRepository } from './git-repository.ts';
import { type LockInfo, type StateAnswer, StateStore } from './state-store.ts';

/** The demo's own program. */
export const PROGRAM_FOLDER = fileURLToPath(new URL('program', import.meta.url));

const STATE_USERNAME = 'deployer';
const MAX_STATE_BYTES = 64 * 1024 * 1024;

export interface ProgramHostOptions {
  /** The address to listen on, which jobs must be able to reach: see container-address.ts. */
  readonly bindAddress: string;
  /** The host name that jobs use for this machine; the bind address by default. */
  readonly publicHost?: string;
  /** The folder to serve as the repository; the demo's own program by default. */
  readonly program?: string;
}

/** A git server and a state backend with named states, as jobs find them in a company's network. */
export interface ProgramHost {
  /** The URL to clone: a bare repository with one commit on `main`, served over git's dumb HTTP protocol. */
  readonly gitUrl: string;
  /** The full hash of the commit on `main`. */
  readonly commit: string;
  /** For OpenTofu's `http` backend: the address, lock address and unlock address of the state `default`. */
  readonly stateUrl: string;
  /** The same for the state of another name. */
  stateUrlOf(name: string): string;
  /** For HTTP basic authentication at the state backend. */
  readonly username: string;
  readonly password: string;
  /** Answers 200 without authentication, to check that jobs can reach this machine. */
  readonly probeUrl: string;
  /** A state as last written; undefined if there is none. */
  state(name?: string): string | undefined;
  /** The holder of a state's lock; undefined if it is free. */
  locked(name?: string): LockInfo | undefined;
  /** How often a state was written and its lock taken. */
  counts(name?: string): { readonly writes: number; readonly locks: number };
  stop(): Promise<void>;
}

/** Starts serving on a free port, from memory. Throws if git is missing or the address can't be bound. */
export async function startProgramHost(options: ProgramHostOptions): Promise<ProgramHost> {
  const { bindAddress, publicHost = bindAddress, program = PROGRAM_FOLDER } = options;
  const repository = await makeGitRepository(program);
  const password = randomBytes(18).toString('base64url');
  const states = new Map<string, StateStore>();
  const storeOf = (name: string): StateStore => {
    const store = states.get(name) ?? new StateStore();
    states.set(name, store);
    return store;
  };

  const app = Fastify({ bodyLimit: MAX_STATE_BYTES, forceCloseConnections: true });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  app.get('/', (_request, reply) => reply.send('ok\n'));
  addRepository(app, repository);
  addStates(app, storeOf, Buffer.from(`${STATE_USERNAME}:${password}`));
  try {
    await app.listen({ host: bindAddress, port: 0 });
  } catch (cause) {
    throw new Error(`Failed to serve the program on ${bindAddress}: ${String(cause)}.`, { cause });
  }
  const { port } = app.server.address() as AddressInfo;
  const origin = `http://${publicHost}:${port}`;

  return {
    gitUrl: `${origin}/program.git`,
    commit: repository.commit,
    stateUrl: `${origin}/state/default`,
    stateUrlOf: (name) => `${origin}/state/${encodeURIComponent(name)}`,
    username: STATE_USERNAME,
    password,
    probeUrl: `${origin}/`,
    state: (name = 'default') => states.get(name)?.state,
    locked: (name = 'default') => states.get(name)?.lock,
    counts: (name = 'default') => ({ writes: storeOf(name).writes, locks: storeOf(name).locks }),
    stop: () => app.close(),
  };
}

function addRepository(app: FastifyInstance, { files }: GitRepository): void {
  app.get<{ Params: { '*': string } }>('/program.git/*', (request, reply) => {
    const content = files.get(request.params['*']);
    if (content === undefined) return reply.code(404).send('not found\n');
    // `application/x-git-…` would announce the smart protocol.
    return reply.type('text/plain').send(content);
  });
}

type StateRequest = FastifyRequest<{ Params: { name: string }; Querystring: { ID?: string }; Body?: string }>;

/** Serves the methods of OpenTofu's `http` backend, whose defaults for locks are LOCK and UNLOCK. */
function addStates(app: FastifyInstance, storeOf: (name: string) => StateStore, credentials: Buffer): void {
  app.addHttpMethod('LOCK', { hasBody: true }).addHttpMethod('UNLOCK', { hasBody: true });
  const handlers: Record<string, (store: StateStore, request: StateRequest) => StateAnswer> = {
    GET: (store) => store.read(),
    POST: (store, { body = '', query, headers }) =>
      store.write(body, query.ID, headers['content-md5']?.toString()),
    DELETE: (store, { query }) => store.remove(query.ID),
    LOCK: (store, { body = '' }) => store.take(body),
    UNLOCK: (store, { body = '' }) => store.release(body),
  };
  for (const [method, handle] of Object.entries(handlers)) {
    app.route({
      method,
      url: '/state/:name',
      handler: (request, reply: FastifyReply) => {
        if (!isAuthorized(request, credentials)) {
          return reply.code(401).header('www-authenticate', 'Basic realm="state"').send();
        }
        const { status, body } = handle(
          storeOf((request as StateRequest).params.name),
          request as StateRequest,
        );
        return reply.code(status).type('application/json').send(body);
      },
    });
  }
}

function isAuthorized({ headers }: FastifyRequest, credentials: Buffer): boolean {
  const given = Buffer.from(/^Basic (.+)$/iu.exec(headers.authorization ?? '')?.[1] ?? '', 'base64');
  return given.length === credentials.length && timingSafeEqual(given, credentials);
}
