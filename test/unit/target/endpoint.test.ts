import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../../src/target/docker/endpoint.ts';
import { TargetUnavailableError } from '../../../src/target/target.ts';

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
  ])('%j', async (value, endpoint) => {
    expect(await resolveEndpoint({ DOCKER_HOST: value })).toEqual(endpoint);
  });

  it.each([
    ['ssh://me@engine', 'ssh:// engines are not supported. Forward the engine to a local port or socket instead.'],
    [
      'npipe:////./pipe/docker_engine',
      'npipe:// is not a known scheme. Use unix:///path/to/docker.sock or tcp://host:port.',
    ],
    ['fd://', 'fd:// is not a known scheme. Use'],
    ['tcp://', 'it is not an address. Use'],
    ['tcp://a b', 'it is not an address. Use'],
    ['tcp://engine:port', 'it is not an address. Use'],
    ['tcp://engine:2375/path', 'an address has no path. Use'],
    ['tcp://engine:2375?x=1', 'an address has no path. Use'],
  ])('%j is refused', async (value, sentence) => {
    const error = await resolveEndpoint({ DOCKER_HOST: value }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TargetUnavailableError);
    expect((error as Error).message).toContain(`Failed to read DOCKER_HOST for the Docker target: ${sentence}`);
    expect((error as Error).message).not.toContain('me@');
  });
});

describe('TLS', () => {
  it.each([
    [{ DOCKER_HOST: 'tcp://engine:2376' }, 2376],
    [{ DOCKER_HOST: 'tcp://engine', DOCKER_TLS_VERIFY: '1' }, 2376],
    [{ DOCKER_HOST: 'tcp://engine:9999', DOCKER_TLS_VERIFY: '1' }, 9999],
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

  it('wants every certificate of DOCKER_CERT_PATH', async () => {
    await writeFile(join(home, 'ca.pem'), 'CA');
    const resolving = resolveEndpoint({ DOCKER_HOST: 'tcp://engine:2376', DOCKER_CERT_PATH: home });
    await expect(resolving).rejects.toThrow(
      /^Failed to read (cert|key)\.pem for the encrypted connection to the Docker engine: ENOENT.*Check DOCKER_CERT_PATH\.$/,
    );
  });
});
