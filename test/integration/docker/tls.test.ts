import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { BUSYBOX_IMAGE } from '../../support/docker/images.ts';
import { copyImage, type OwnEngine, startOwnEngine } from '../../support/docker/own-engine.ts';
import { type Authority, makeAuthority } from '../../support/docker/tls-certificates.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';
import { openPrivateNetwork, type PrivateNetwork } from '../network/namespace.ts';

let folder: string;
let authority: Authority;
let network: PrivateNetwork;
let engine: OwnEngine;
let tlsUrl: string;
let secure: Record<string, string>;
const bench = workbench({ environment: {}, docker: () => engine.docker });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-tls-'));
  authority = await makeAuthority(join(folder, 'authority'));
  const path = (name: string) => join(authority.folder, name);
  network = openPrivateNetwork();
  // The address behind the gateway's.
  const host = network.gateway.replace(/\d+$/, (last) => String(Number(last) + 1));
  authority.server('server', host);
  // Not 2376, which alone would mean TLS.
  tlsUrl = `tcp://${host}:2377`;
  const certificates = [
    '--tlscacert',
    path('ca.pem'),
    '--tlscert',
    path('server.pem'),
    '--tlskey',
    path('server-key.pem'),
  ];
  engine = await startOwnEngine({ network: network.name, flags: ['--host', tlsUrl, '--tlsverify', ...certificates] });
  await copyImage(BUSYBOX_IMAGE, engine.url);
  secure = { DOCKER_HOST: tlsUrl, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: authority.folder };
});
afterAll(async () => {
  await engine?.close();
  network?.close();
  await rm(folder, { recursive: true, force: true });
});

async function refusal(environment: Record<string, string>): Promise<string> {
  const error = await bench
    .newExecutor({ environment })
    .check(NEVER)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ExecutorUnavailableError);
  return (error as Error).message;
}

it('a whole job runs on an engine behind TLS', async () => {
  const target = bench.newExecutor({ environment: secure });
  expect(await target.check(NEVER)).toMatch(/^Docker Engine \S+ \(API 1\.\d+, linux\) at tcp:\/\//);
  await expectWholeJob(await bench.prepare({ image: BUSYBOX_IMAGE }, target));
  expect(await bench.containers()).toEqual([]);
});

it('says that the authority is another', async () => {
  const other = await makeAuthority(join(folder, 'other'));
  expect(await refusal({ ...secure, DOCKER_CERT_PATH: other.folder })).toMatch(
    /^Failed to reach the Docker engine for this runner at tcp:\/\/[\d.:]+: the TLS handshake failed \(.*\)\. Check the address, both clocks, and that ca\.pem of DOCKER_CERT_PATH is of the engine's authority\.$/,
  );
  // Also where the Docker CLI would let it pass.
  const unverified = { DOCKER_HOST: tlsUrl, DOCKER_TLS: '1', DOCKER_CERT_PATH: other.folder };
  expect(await refusal(unverified)).toContain('the TLS handshake failed (');
});

it('says who of both speaks TLS', async () => {
  expect(await refusal({ DOCKER_HOST: tlsUrl })).toBe(
    `Failed to reach the Docker engine for this runner at ${tlsUrl}: it answered 400 (Client sent an HTTP request to an HTTPS server). Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder of the certificates.`,
  );
  const { proxy } = await bench.behindProxy();
  expect(await refusal({ ...secure, DOCKER_HOST: proxy.url })).toContain(
    `at ${proxy.url}: what answers there does not speak TLS (`,
  );
});
