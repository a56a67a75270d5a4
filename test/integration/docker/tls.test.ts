import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientFolder } from '../../support/docker/client-certificates.ts';
import { BUSYBOX_IMAGE } from '../../support/docker/images.ts';
import { copyImage, type OwnEngine, startOwnEngine } from '../../support/docker/own-engine.ts';
import { expectWholeJob } from '../../support/docker/whole-job.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';
import { Authority } from '../network/authority.ts';
import { openPrivateNetwork, type PrivateNetwork } from '../network/namespace.ts';

let folder: string;
let certificates: string;
const [authority, stranger] = [new Authority(), new Authority()];
let network: PrivateNetwork;
let engine: OwnEngine;
let tlsUrl: string;
let secure: Record<string, string>;
const bench = workbench({ environment: {}, docker: () => engine.docker });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-tls-'));
  certificates = await clientFolder(authority, join(folder, 'certificates'));
  network = openPrivateNetwork();
  // The address after the gateway's.
  const host = network.gateway.replace(/\d+$/, (last) => String(Number(last) + 1));
  const server = authority.issue({ names: `IP:${host}` });
  const [cert, key] = [join(folder, 'server.pem'), join(folder, 'server-key.pem')];
  await Promise.all([writeFile(cert, server.cert), writeFile(key, server.key)]);
  // Not 2376, which by itself would mean TLS.
  tlsUrl = `tcp://${host}:2377`;
  const tls = ['--tlsverify', '--tlscacert', authority.path, '--tlscert', cert, '--tlskey', key];
  engine = await startOwnEngine({ network: network.name, flags: ['--host', tlsUrl, ...tls] });
  await copyImage(BUSYBOX_IMAGE, engine.url);
  secure = { DOCKER_HOST: tlsUrl, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates };
});
afterAll(async () => {
  await engine?.close();
  network?.close();
  for (const each of [authority, stranger]) each.remove();
  await rm(folder, { recursive: true, force: true });
});

it('a whole job runs on an engine behind TLS', async () => {
  const target = bench.newExecutor({ environment: secure });
  expect(await target.check(NEVER)).toMatch(/^Docker Engine \S+ \(API 1\.\d+, linux\) at tcp:\/\//);
  await expectWholeJob(await bench.prepare({ image: BUSYBOX_IMAGE }, target));
  expect(await bench.containers()).toEqual([]);
});

it('the agent says when the engine’s certificate comes from another authority', async () => {
  const other = await clientFolder(stranger, join(folder, 'other'));
  expect(await bench.refusal({ ...secure, DOCKER_CERT_PATH: other })).toMatch(
    /^Failed to reach the Docker engine for this runner at tcp:\/\/[\d.:]+: the TLS handshake failed \(.*\)\. Check the address, both clocks, and that ca\.pem in DOCKER_CERT_PATH belongs to the engine's authority\.$/,
  );
  // Even where the Docker CLI would accept it.
  const unverified = { DOCKER_HOST: tlsUrl, DOCKER_TLS: '1', DOCKER_CERT_PATH: other };
  expect(await bench.refusal(unverified)).toContain('the TLS handshake failed (');
});

it('the agent says which side does not speak TLS', async () => {
  expect(await bench.refusal({ DOCKER_HOST: tlsUrl })).toBe(
    `Failed to reach the Docker engine for this runner at ${tlsUrl}: it answered 400 (Client sent an HTTP request to an HTTPS server). Set DOCKER_TLS_VERIFY=1, and DOCKER_CERT_PATH to the folder of the certificates.`,
  );
  const { proxy } = await bench.behindProxy();
  expect(await bench.refusal({ ...secure, DOCKER_HOST: proxy.url })).toContain(
    `at ${proxy.url}: the server at this address does not speak TLS (`,
  );
});
