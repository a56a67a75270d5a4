import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { resolveEndpoint } from '../../../../src/executor/docker/engine/endpoint.ts';
import { ExecutorUnavailableError } from '../../../../src/executor/executor.ts';
import { temporaryDirectory } from '../../../support/run/temporary-directory.ts';

// test/integration/docker/endpoint-cli.test.ts compares the choice of the engine with the real Docker CLI's.
let home: string;
beforeEach(async () => {
  home = await temporaryDirectory();
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(home, path)), { recursive: true });
  await writeFile(join(home, path), text);
}

/** Expects the environment to be refused with this sentence. */
function expectRefusal(environment: Record<string, string>, sentence: string | RegExp): void {
  expect(() => resolveEndpoint(environment)).toThrow(ExecutorUnavailableError);
  expect(() => resolveEndpoint(environment)).toThrow(sentence);
}

describe('DOCKER_HOST', () => {
  it.each([
    ['', { name: 'unix:///var/run/docker.sock', socketPath: '/var/run/docker.sock' }],
    ['unix://', { name: 'unix:///var/run/docker.sock', socketPath: '/var/run/docker.sock' }],
    ['tcp://engine', { name: 'tcp://engine:2375', host: 'engine', port: 2375 }],
    ['http://engine:80/', { name: 'tcp://engine:80', host: 'engine', port: 80 }],
    ['tcp://[::1]:2375', { name: 'tcp://[::1]:2375', host: '::1', port: 2375 }],
    ['tcp://user:secret@engine:2375', { name: 'tcp://engine:2375', host: 'engine', port: 2375 }],
    ['tcp://', { name: 'tcp://127.0.0.1:2375', host: '127.0.0.1', port: 2375 }],
    ['https://engine:8443', { name: 'tcp://engine:8443', host: 'engine', port: 8443, tls: {} }],
    ['tcp://engine:2376', { name: 'tcp://engine:2376', host: 'engine', port: 2376, tls: {} }],
  ])('may be %j', (value, endpoint) => {
    expect(resolveEndpoint({ HOME: home, DOCKER_HOST: value })).toEqual(endpoint);
  });

  it.each([
    [
      'ssh://me@engine',
      'ssh:// engines are not supported. Forward the engine to a local port or socket instead.',
    ],
    ['fd://', 'fd:// is not a known scheme. Use unix:///path/to/docker.sock or tcp://host:port.'],
    ['tcp://engine:port', 'it is not an address. Use'],
    ['tcp://engine:2375?x=1', 'it is not an address. Use'],
    ['tcp://engine:2375/behind', 'it is not an address. Use'],
  ])('is refused as %j', (value, sentence) => {
    expectRefusal({ DOCKER_HOST: value }, `Failed to read DOCKER_HOST for the Docker target: ${sentence}`);
    expect(() => resolveEndpoint({ DOCKER_HOST: value })).not.toThrow('me@');
  });
});

describe('certificates', () => {
  it("are the user's, as far as they exist", async () => {
    const environment = { HOME: home, DOCKER_HOST: 'tcp://engine', DOCKER_TLS_VERIFY: '1' };
    await write('.docker/ca.pem', 'CA');
    await write('.docker/cert.pem', 'CERT');
    expect(resolveEndpoint(environment).tls).toEqual({ ca: 'CA' });
    await write('.docker/key.pem', 'KEY');
    expect(resolveEndpoint(environment).tls).toEqual({ ca: 'CA', cert: 'CERT', key: 'KEY' });
  });

  it("must include the authority's in DOCKER_CERT_PATH", async () => {
    const environment = { DOCKER_HOST: 'tcp://engine:2376', DOCKER_CERT_PATH: home };
    expectRefusal(
      environment,
      /^Failed to read ca\.pem for the encrypted connection to the Docker engine: ENOENT.*Check DOCKER_CERT_PATH\.$/,
    );
    await write('ca.pem', 'CA');
    expect(resolveEndpoint(environment).tls).toEqual({ ca: 'CA' });
  });

  it('without an address mean port 2376 on this machine', () => {
    const endpoint = { name: 'tcp://127.0.0.1:2376', host: '127.0.0.1', port: 2376, tls: {} };
    expect(resolveEndpoint({ HOME: home, DOCKER_TLS: '1' })).toEqual({ ...endpoint, origin: 'DOCKER_TLS' });
  });
});

describe('a Docker context', () => {
  /** Creates a context as `docker context create` does. */
  async function context(name: string, docker: object): Promise<void> {
    const id = createHash('sha256').update(name).digest('hex');
    const meta = { Name: name, Metadata: {}, Endpoints: { docker } };
    await write(`.docker/contexts/meta/${id}/meta.json`, JSON.stringify(meta));
  }

  it('that can’t be used is named, with the reason', async () => {
    await context('open', { Host: 'tcp://open:2376', SkipTLSVerify: true });
    await context('ssh', { Host: 'ssh://me@engine' });
    for (const [name, reason] of [
      ['gone', 'there is no such context. See docker context ls, or set DOCKER_HOST.'],
      ['open', "it does not verify the engine's certificate"],
      ['ssh', 'ssh:// engines'],
    ] as const)
      expectRefusal(
        { HOME: home, DOCKER_CONTEXT: name },
        `Failed to read the Docker context "${name}" for the Docker target: ${reason}`,
      );
    expectRefusal(
      { DOCKER_CONTEXT: 'open' },
      'Failed to read the Docker context "open" for the Docker target: neither HOME nor DOCKER_CONFIG says where contexts are',
    );
    expect(resolveEndpoint({ DOCKER_CONTEXT: 'default' })).toMatchObject({ socketPath: expect.any(String) });
  });
});
