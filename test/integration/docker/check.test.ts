import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { type EngineProxy, startEngineProxy } from '../../support/docker/engine-proxy.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
let folder: string;
const servers: Server[] = [];
const clients = new Set<Socket>();
const proxies: EngineProxy[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'docker-check-'));
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  for (const proxy of proxies.splice(0)) await proxy.close();
  await rm(folder, { recursive: true, force: true });
});

async function listen(server: Server, at: string | 0): Promise<string> {
  servers.push(server);
  server.on('connection', (client) => {
    clients.add(client);
    client.on('error', () => undefined).on('close', () => clients.delete(client));
  });
  await new Promise<void>((resolve) =>
    at === 0 ? server.listen(0, '127.0.0.1', resolve) : server.listen(at, resolve),
  );
  return at === 0 ? `tcp://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix://${at}`;
}

const check = (environment: Record<string, string>) => createDockerExecutor({ environment }).check(NEVER);

async function refusal(environment: Record<string, string>): Promise<string> {
  const error = await check(environment).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ExecutorUnavailableError);
  return (error as Error).message;
}

/** An engine that answers `GET /_ping` as told. */
function engineSaying(status: number, body: string, headers: Record<string, string> = {}): Promise<string> {
  return listen(
    createHttpServer((_, response) => response.writeHead(status, headers).end(body)),
    0,
  );
}

it('names the engine, its version and where it is', async () => {
  expect(await bench.target.check(NEVER)).toMatch(
    /^Docker Engine \d+\.\S+ \(API 1\.\d+, linux\) at (unix|tcp):\/\/\S+$/,
  );
});

it('finds the engine of the context that the Docker CLI uses', async () => {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: folder, DOCKER_CONFIG: join(folder, 'config') };
  const socket = process.env['DOCKER_HOST'] ?? 'unix:///var/run/docker.sock';
  const cli = (...args: string[]) => execFileSync('docker', ['context', ...args], { env: environment, stdio: 'pipe' });
  cli('create', 'there', '--docker', `host=${socket}`);
  cli('create', 'nowhere', '--docker', `host=unix://${join(folder, 'none.sock')}`);
  cli('use', 'nowhere');
  expect(await refusal(environment)).toContain(
    `unix://${join(folder, 'none.sock')} (from the Docker context "nowhere"): the socket does not exist`,
  );
  cli('use', 'there');
  expect(await bench.newExecutor({ environment }).check(NEVER)).toMatch(/^Docker Engine /);
});

it('tells that there is no socket', async () => {
  const path = join(folder, 'none.sock');
  expect(await refusal({ DOCKER_HOST: `unix://${path}` })).toBe(
    `Failed to reach the Docker engine for this runner at unix://${path}: the socket does not exist. Start Docker here, or set DOCKER_HOST to the engine that should run the jobs.`,
  );
});

it('tells that the user may not use the socket', async () => {
  const path = join(folder, 'closed.sock');
  await listen(createServer(), path);
  await chmod(path, 0o000);
  await chmod(folder, 0o755);
  // Root passes every permission; the test must be somebody else for a moment.
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65534);
  try {
    expect(await refusal({ DOCKER_HOST: `unix://${path}` })).toContain(
      ': this user may not use the socket. Add the user that runs this agent to the group that owns the socket (usually `docker`)',
    );
  } finally {
    if (root) process.seteuid?.(0);
  }
});

it('tells that nothing listens', async () => {
  const server = createServer();
  const url = await listen(server, 0);
  servers.pop();
  await new Promise((resolve) => server.close(resolve));
  expect(await refusal({ DOCKER_HOST: url })).toContain(
    `at ${url}: nothing accepts connections there. Start Docker here`,
  );
});

it('tells that the host has no address', async () => {
  const message = await refusal({ DOCKER_HOST: 'tcp://no-such-host.invalid:2375' });
  expect(message).toContain('the host name no-such-host.invalid has no address. Correct DOCKER_HOST.');
});

it('tells that no engine answers there', async () => {
  expect(await refusal({ DOCKER_HOST: await engineSaying(200, '<html>hello</html>') })).toContain(
    'is not a Docker engine',
  );
  const chatter = createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  expect(await refusal({ DOCKER_HOST: await listen(chatter, 0) })).toContain('does not speak HTTP');
});

it('tells what an engine refuses', async () => {
  const url = await engineSaying(403, '{"message":"authorization denied by plugin opa"}');
  expect(await refusal({ DOCKER_HOST: url })).toContain('it answered 403 (authorization denied by plugin opa)');
});

it('knows Podman', async () => {
  const podman = await engineSaying(200, 'OK', {
    'api-version': '1.41',
    ostype: 'linux',
    server: 'Libpod/4.3.1 (linux)',
  });
  expect(await check({ DOCKER_HOST: podman })).toBe(`Podman 4.3.1 (API 1.41, linux) at ${podman}`);
});

it('refuses an engine that is too old or runs no Linux containers', async () => {
  const old = await engineSaying(200, 'OK', {
    'api-version': '1.38',
    ostype: 'linux',
    server: 'Docker/18.06.1-ce (linux)',
  });
  expect(await refusal({ DOCKER_HOST: old })).toContain('is too old. Install Docker Engine 19.03 (API 1.40) or newer.');
  const windows = await engineSaying(200, 'OK', { 'api-version': '1.46', ostype: 'windows' });
  expect(await refusal({ DOCKER_HOST: windows })).toContain('runs windows containers. Switch it to Linux containers.');
});

it('gives up on an engine that never answers, and when it is told to', async () => {
  const silent = await listen(
    createServer((socket) => void socket.resume()),
    0,
  );
  const engine = new Engine({ DOCKER_HOST: silent });
  await expect(engine.ping({ signal: NEVER, ms: 100 })).rejects.toThrow(/no answer within 0.1 s/);
  await expect(engine.call((docker) => docker.ping(), { signal: NEVER, ms: 100 })).rejects.toThrow(
    /no answer within 0.1 s/,
  );
  const stop = new AbortController();
  const checked = createDockerExecutor({ environment: { DOCKER_HOST: silent } }).check(stop.signal);
  stop.abort(new Error('enough'));
  await expect(checked).rejects.toThrow('enough');
});

it('works through TCP', async () => {
  const proxy = await startEngineProxy();
  proxies.push(proxy);
  const target = bench.newExecutor({ environment: { DOCKER_HOST: proxy.url } });
  expect(await target.check(NEVER)).toContain(`at ${proxy.url}`);
  const container = await bench.prepare({}, target);
  expect(await run(container, 'echo through TCP')).toMatchObject({ code: 0, output: 'through TCP\n' });
  await container.remove();
});

it('speaks the version of the API that DOCKER_API_VERSION asks for, if the engine can', async () => {
  const lines: string[] = [];
  const proxy = await startEngineProxy({ onRequest: (line) => lines.push(line) });
  proxies.push(proxy);
  const target = bench.newExecutor({ environment: { DOCKER_HOST: proxy.url, DOCKER_API_VERSION: '1.40' } });
  await target.check(NEVER);
  const container = await bench.prepare({}, target);
  await container.remove();
  expect(lines.filter((line) => line.includes('/containers/')).length).toBeGreaterThan(1);
  expect(lines.filter((line) => line.includes('/containers/') && !line.includes('/v1.40/'))).toEqual([]);
  for (const version of ['1.12', '9.99', 'new'])
    expect(await refusal({ DOCKER_HOST: proxy.url, DOCKER_API_VERSION: version })).toContain(
      `DOCKER_API_VERSION is "${version}", and Docker Engine`,
    );
});

it('works through TLS with certificates on both sides, and never without', async () => {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...key, '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-subj', '/CN=test CA');
  for (const [name, extension] of [
    ['server', 'subjectAltName=IP:127.0.0.1'],
    ['client', 'extendedKeyUsage=clientAuth'],
  ] as const) {
    openssl(
      'req',
      '-x509',
      ...key,
      '-CA',
      'ca.pem',
      '-CAkey',
      'ca-key.pem',
      '-keyout',
      `${name}-key.pem`,
      '-out',
      `${name}.pem`,
      '-subj',
      `/CN=${name}`,
      '-addext',
      extension,
    );
  }
  const read = (name: string) => readFile(join(folder, name));
  const tls = {
    ca: await read('ca.pem'),
    cert: await read('server.pem'),
    key: await read('server-key.pem'),
    requestCert: true,
    rejectUnauthorized: true,
  };
  const proxy = await startEngineProxy({ tls });
  proxies.push(proxy);
  const secure = { DOCKER_HOST: proxy.url, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder };
  expect(await refusal(secure)).toContain("it wants a client's certificate, and there is none");
  execFileSync('cp', ['client.pem', 'cert.pem'], { cwd: folder });
  execFileSync('cp', ['client-key.pem', 'key.pem'], { cwd: folder });

  const target = bench.newExecutor({ environment: secure });
  expect(await target.check(NEVER)).toContain(`at ${proxy.url}`);
  const container = await bench.prepare({}, target);
  expect(await run(container, 'echo through TLS')).toMatchObject({ code: 0, output: 'through TLS\n' });
  await container.remove();

  expect(await refusal({ DOCKER_HOST: proxy.url, DOCKER_TLS_VERIFY: '1', HOME: folder })).toContain(
    'its certificate is signed by nobody who is trusted here',
  );
  expect(await refusal({ DOCKER_HOST: proxy.url })).toMatch(/speak HTTP|the connection was cut/);
});
