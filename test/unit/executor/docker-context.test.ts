import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { resolveEndpoint } from '../../../src/executor/docker/engine/endpoint.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';

let home: string;
let environment: Record<string, string>;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'docker-context-'));
  environment = { HOME: home };
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** Makes a context as `docker context create` does. */
async function context(
  name: string,
  endpoint: object,
  files: Record<string, string> = {},
  metadata: object = {},
): Promise<void> {
  const id = createHash('sha256').update(name).digest('hex');
  const meta = join(home, '.docker/contexts/meta', id);
  await mkdir(meta, { recursive: true });
  await writeFile(
    join(meta, 'meta.json'),
    JSON.stringify({ Name: name, Metadata: metadata, Endpoints: { docker: endpoint } }),
  );
  const tls = join(home, '.docker/contexts/tls', id, 'docker');
  await mkdir(tls, { recursive: true });
  for (const [file, text] of Object.entries(files)) await writeFile(join(tls, file), text);
}

async function use(name: string): Promise<void> {
  await mkdir(join(home, '.docker'), { recursive: true });
  await writeFile(join(home, '.docker/config.json'), JSON.stringify({ currentContext: name }));
}

it('is what docker context use chose', async () => {
  await context('colima', { Host: 'unix:///Users/me/.colima/default/docker.sock', SkipTLSVerify: false });
  await use('colima');
  expect(await resolveEndpoint(environment)).toEqual({
    name: 'unix:///Users/me/.colima/default/docker.sock',
    socketPath: '/Users/me/.colima/default/docker.sock',
    origin: 'the Docker context "colima"',
  });
});

it.each([
  // As Docker Desktop writes it: a description and its telemetry's endpoint beside the engine.
  [
    'desktop-linux',
    '/Users/me/.docker/run/docker.sock',
    {
      Description: 'Docker Desktop',
      otel: { OTEL_EXPORTER_OTLP_ENDPOINT: 'unix:///Users/me/.docker/run/user-analytics.otlp.grpc.sock' },
    },
  ],
  ['colima', '/Users/me/.colima/default/docker.sock', { Description: 'colima' }],
  ['colima-work', '/Users/me/.colima/work/docker.sock', { Description: 'colima [profile=work]' }],
])('of macOS is found: %s', async (name, socketPath, metadata) => {
  await context(name, { Host: `unix://${socketPath}`, SkipTLSVerify: false }, {}, metadata);
  await use(name);
  expect(await resolveEndpoint(environment)).toMatchObject({ socketPath, origin: `the Docker context "${name}"` });
});

it('is beaten by DOCKER_CONTEXT, and both by DOCKER_HOST', async () => {
  await context('one', { Host: 'tcp://one:2375' });
  await context('two', { Host: 'tcp://two:2375' });
  await use('one');
  expect(await resolveEndpoint(environment)).toMatchObject({ host: 'one' });
  expect(await resolveEndpoint({ ...environment, DOCKER_CONTEXT: 'two' })).toMatchObject({ host: 'two' });
  expect(await resolveEndpoint({ ...environment, DOCKER_CONTEXT: 'two', DOCKER_HOST: 'tcp://three' })).toMatchObject({
    host: 'three',
  });
});

it('brings its own certificates', async () => {
  await context('far', { Host: 'tcp://far:9999' }, { 'ca.pem': 'CA', 'cert.pem': 'CERT', 'key.pem': 'KEY' });
  await use('far');
  const tls = { ca: 'CA', cert: 'CERT', key: 'KEY' };
  expect(await resolveEndpoint(environment)).toEqual({
    name: 'tcp://far:9999',
    host: 'far',
    port: 9999,
    origin: 'the Docker context "far"',
    tls,
  });
});

it.each(['default', ''])('%j is the usual socket', async (name) => {
  await use(name);
  expect(await resolveEndpoint(environment)).toEqual({
    name: 'unix:///var/run/docker.sock',
    socketPath: '/var/run/docker.sock',
  });
});

it('that can’t be used is named, with the reason', async () => {
  await context('open', { Host: 'tcp://open:2376', SkipTLSVerify: true });
  await context('ssh', { Host: 'ssh://me@engine' });
  await context('none', {});
  const refusal = async (name: string) => {
    const error = await resolveEndpoint({ ...environment, DOCKER_CONTEXT: name }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ExecutorUnavailableError);
    return (error as Error).message;
  };
  expect(await refusal('gone')).toBe(
    'Failed to read the Docker context "gone" for the Docker target: there is no such context. See docker context ls, or set DOCKER_HOST.',
  );
  expect(await refusal('open')).toContain("it does not verify the engine's certificate");
  expect(await refusal('ssh')).toBe(
    'Failed to read the Docker context "ssh" for the Docker target: ssh:// engines are not supported. Forward the engine to a local port or socket instead.',
  );
  expect(await resolveEndpoint({ ...environment, DOCKER_CONTEXT: 'none' })).toHaveProperty('socketPath');
});
