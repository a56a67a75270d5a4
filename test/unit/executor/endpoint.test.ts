import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../../src/executor/docker/engine/endpoint.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'endpoint-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

describe('DOCKER_HOST', () => {
  it.each([
    ['', { name: 'unix:///var/run/docker.sock', socketPath: '/var/run/docker.sock' }],
    [
      'unix:///run/user/1000/docker.sock',
      { name: 'unix:///run/user/1000/docker.sock', socketPath: '/run/user/1000/docker.sock' },
    ],
    ['unix://', { name: 'unix:///var/run/docker.sock', socketPath: '/var/run/docker.sock' }],
    ['tcp://10.0.0.5:2375', { name: 'tcp://10.0.0.5:2375', host: '10.0.0.5', port: 2375 }],
    ['tcp://engine', { name: 'tcp://engine:2375', host: 'engine', port: 2375 }],
    ['tcp://engine:80', { name: 'tcp://engine:80', host: 'engine', port: 80 }],
    ['engine:4243', { name: 'tcp://engine:4243', host: 'engine', port: 4243 }],
    ['http://engine:4243/', { name: 'tcp://engine:4243', host: 'engine', port: 4243 }],
    ['tcp://[::1]:2375', { name: 'tcp://[::1]:2375', host: '::1', port: 2375 }],
    ['tcp://user:secret@engine:2375', { name: 'tcp://engine:2375', host: 'engine', port: 2375 }],
    ['tcp://', { name: 'tcp://127.0.0.1:2375', host: '127.0.0.1', port: 2375 }],
    ['tcp://:4243', { name: 'tcp://127.0.0.1:4243', host: '127.0.0.1', port: 4243 }],
    [' unix:///run/a socket.sock\n', { name: 'unix:///run/a socket.sock', socketPath: '/run/a socket.sock' }],
    ['tcp://engine:2375/a/path/', { name: 'tcp://engine:2375/a/path', host: 'engine', port: 2375, path: '/a/path' }],
  ])('%j', async (value, endpoint) => {
    expect(await resolveEndpoint({ DOCKER_HOST: value })).toEqual(endpoint);
  });

  it.each([
    ['ssh://me@engine', 'ssh:// engines are not supported. Forward the engine to a local port or socket instead.'],
    [
      'npipe:////./pipe/docker_engine',
      'npipe:// is a named pipe of Windows, and jobs run on engines for Linux only. Use unix:///path/to/docker.sock or tcp://host:port.',
    ],
    ['fd://', 'fd:// is not a known scheme. Use'],
    ['tcp://a b', 'it is not an address. Use'],
    ['tcp://engine:port', 'it is not an address. Use'],
    ['tcp://engine:2375?x=1', 'an address has neither ? nor #. Use'],
  ])('%j is refused', async (value, sentence) => {
    const error = await resolveEndpoint({ DOCKER_HOST: value }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExecutorUnavailableError);
    expect((error as Error).message).toContain(`Failed to read DOCKER_HOST for the Docker target: ${sentence}`);
    expect((error as Error).message).not.toContain('me@');
  });
});

describe('TLS', () => {
  it.each([
    [{ DOCKER_HOST: 'tcp://engine:2376' }, 2376],
    [{ DOCKER_HOST: 'tcp://engine', DOCKER_TLS_VERIFY: '1' }, 2376],
    [{ DOCKER_HOST: 'tcp://engine:9999', DOCKER_TLS_VERIFY: '1' }, 9999],
    [{ DOCKER_HOST: 'tcp://engine:2375', DOCKER_TLS: '1' }, 2375],
    [{ DOCKER_HOST: 'https://engine:8443' }, 8443],
  ])('is used for %j', async (environment, port) => {
    expect(await resolveEndpoint({ HOME: home, ...environment })).toEqual({
      name: `tcp://engine:${port}`,
      host: 'engine',
      port,
      tls: {},
    });
  });

  it('is not used for an empty DOCKER_TLS_VERIFY or a socket', async () => {
    expect(await resolveEndpoint({ DOCKER_HOST: 'tcp://engine:2375', DOCKER_TLS_VERIFY: '' })).not.toHaveProperty(
      'tls',
    );
    expect(await resolveEndpoint({ DOCKER_HOST: 'unix:///x', DOCKER_TLS_VERIFY: '1' })).not.toHaveProperty('tls');
  });

  it("takes the user's certificates, as far as they are there", async () => {
    await mkdir(join(home, '.docker'));
    await writeFile(join(home, '.docker', 'ca.pem'), 'CA');
    expect(await resolveEndpoint({ HOME: home, DOCKER_HOST: 'tcp://engine:2376' })).toMatchObject({
      tls: { ca: 'CA' },
    });
    for (const [file, text] of [
      ['cert.pem', 'CERT'],
      ['key.pem', 'KEY'],
    ] as const)
      await writeFile(join(home, '.docker', file), text);
    expect(await resolveEndpoint({ HOME: home, DOCKER_HOST: 'tcp://engine:2376' })).toMatchObject({
      tls: { ca: 'CA', cert: 'CERT', key: 'KEY' },
    });
  });

  it("wants the authority's certificate in DOCKER_CERT_PATH, and takes the client's if it is there", async () => {
    const environment = { DOCKER_HOST: 'tcp://engine:2376', DOCKER_CERT_PATH: home };
    await expect(resolveEndpoint(environment)).rejects.toThrow(
      /^Failed to read ca\.pem for the encrypted connection to the Docker engine: ENOENT.*Check DOCKER_CERT_PATH\.$/,
    );
    await writeFile(join(home, 'ca.pem'), 'CA');
    expect(await resolveEndpoint(environment)).toMatchObject({ tls: { ca: 'CA' } });
  });

  it('looks for certificates where the Docker CLI has its configuration', async () => {
    await writeFile(join(home, 'ca.pem'), 'CA');
    const environment = { HOME: '/nowhere', DOCKER_CONFIG: home, DOCKER_HOST: 'tcp://engine', DOCKER_TLS_VERIFY: '1' };
    expect(await resolveEndpoint(environment)).toMatchObject({ tls: { ca: 'CA' } });
  });

  it('without an address means port 2376 of this machine, as for the Docker CLI', async () => {
    expect(await resolveEndpoint({ HOME: home, DOCKER_TLS_VERIFY: '1' })).toEqual({
      name: 'tcp://127.0.0.1:2376',
      host: '127.0.0.1',
      port: 2376,
      origin: 'DOCKER_TLS_VERIFY',
      tls: {},
    });
  });
});
