import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';
import { clientFolder } from '../../support/docker/client-certificates.ts';
import { NEVER } from '../../support/docker/workbench.ts';
import { Authority } from '../network/authority.ts';

/** The names of the endpoints that were asked, in order; says which connections were encrypted. */
const asked: string[] = [];
const servers: Server[] = [];
const ports = new Map<string, number>();
let folder: string;
let certificates: string;
const authority = new Authority();

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docker-cli-'));
  certificates = await clientFolder(authority, join(folder, 'certificates'));
  for (const name of ['one', 'two']) {
    await listen(join(folder, `${name}.sock`), name);
    const server = await listen(0, `${name} by TCP`);
    ports.set(name, (server.address() as AddressInfo).port);
  }
  await mkdir(join(folder, 'a b%20c'));
  await listen(join(folder, 'a b%20c', 'spaced.sock'), 'spaced');
  for (const [name, host, tls] of [
    ['one', `unix://${join(folder, 'one.sock')}`, false],
    ['two', `unix://${join(folder, 'two.sock')}`, false],
    ['far', tcp('two'), false],
    ['secure', tcp('two'), true],
    ['socket-with-certificates', `unix://${join(folder, 'one.sock')}`, true],
  ] as const) {
    const files = ['ca', 'cert', 'key'].map((file) => `${file}=${join(certificates, `${file}.pem`)}`);
    const endpoint = [`host=${host}`, ...(tls ? files : [])].join(',');
    await docker({}, 'context', 'create', name, '--docker', endpoint);
  }
});
afterAll(async () => {
  for (const server of servers) server.close();
  authority.remove();
  await rm(folder, { recursive: true, force: true });
});

/** Listens, notes each connection and whether it is encrypted (TLS begins with 0x16), and hangs up. */
async function listen(at: string | 0, name: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (first) => {
      asked.push(first[0] === 0x16 ? `${name}, encrypted` : name);
      socket.destroy();
    });
  });
  servers.push(server);
  await once(server.listen(at === 0 ? { port: 0, host: '127.0.0.1' } : { path: at }), 'listening');
  return server;
}

function tcp(name: string): string {
  return `tcp://127.0.0.1:${ports.get(name)}`;
}

type Environment = Record<string, string>;

function environmentOf(changes: Environment): Environment {
  return { PATH: process.env['PATH'] ?? '', HOME: join(folder, 'home'), ...changes };
}

function docker(changes: Environment, ...args: string[]) {
  return promisify(execFile)('docker', args, { env: environmentOf(changes), timeout: 20_000 });
}

/** The endpoint that a client asks first; `nobody` if it refuses the settings. */
async function askedBy(client: () => Promise<unknown>): Promise<string> {
  asked.length = 0;
  await client().catch(() => undefined);
  return asked[0] ?? 'nobody';
}

async function choose(currentContext: string | undefined): Promise<void> {
  const file = join(folder, 'home', '.docker', 'config.json');
  await mkdir(join(folder, 'home', '.docker'), { recursive: true });
  await writeFile(file, JSON.stringify(currentContext === undefined ? {} : { currentContext }));
}

const socket = (name: string) => `unix://${join(folder, name)}`;

/** The title, the context in use, the environment, and which endpoint is asked. */
const cases: readonly (readonly [string, string | undefined, () => Environment, string])[] = [
  [
    'a socket with spaces and percents',
    undefined,
    () => ({ DOCKER_HOST: socket('a b%20c/spaced.sock') }),
    'spaced',
  ],
  ['TCP without a scheme', undefined, () => ({ DOCKER_HOST: tcp('one').slice(6) }), 'one by TCP'],
  ['the context in use', 'two', () => ({}), 'two'],
  ['DOCKER_CONTEXT before the context in use', 'two', () => ({ DOCKER_CONTEXT: 'one' }), 'one'],
  [
    'DOCKER_HOST before both',
    'two',
    () => ({ DOCKER_HOST: tcp('one'), DOCKER_CONTEXT: 'two' }),
    'one by TCP',
  ],
  ['empty variables', 'two', () => ({ DOCKER_HOST: '', DOCKER_CONTEXT: '' }), 'two'],
  ['a context over TCP', 'far', () => ({}), 'two by TCP'],
  ['a context with certificates', 'secure', () => ({}), 'two by TCP, encrypted'],
  ['a context of a socket with certificates', 'socket-with-certificates', () => ({}), 'one'],
  ['a context, whatever DOCKER_TLS_VERIFY says', 'far', () => ({ DOCKER_TLS_VERIFY: '1' }), 'two by TCP'],
  ['a context that is not there', 'gone', () => ({}), 'nobody'],
  ['a socket and TLS', undefined, () => ({ ...certified(), DOCKER_HOST: socket('one.sock') }), 'one'],
  [
    'DOCKER_TLS_VERIFY',
    undefined,
    () => ({ ...certified(), DOCKER_HOST: tcp('one') }),
    'one by TCP, encrypted',
  ],
  ['TLS without certificates', undefined, () => ({ ...verified(), DOCKER_CERT_PATH: folder }), 'nobody'],
  ['certificates of DOCKER_CONFIG', undefined, () => verified(), 'one by TCP, encrypted'],
];

function verified(): Environment {
  return { DOCKER_TLS_VERIFY: '1', DOCKER_CONFIG: certificates, DOCKER_HOST: tcp('one') };
}

function certified(): Environment {
  return { DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates };
}

it.each(cases)(
  'the agent asks the same endpoint as the Docker CLI: %s',
  async (_, currentContext, changes, answer) => {
    await choose(currentContext);
    const agent = createDockerExecutor({ environment: environmentOf(changes()) });
    const clients = [
      await askedBy(() => docker(changes(), 'version')),
      await askedBy(() => agent.check(NEVER)),
    ];
    expect(clients).toEqual([answer, answer]);
  },
);
