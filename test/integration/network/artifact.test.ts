import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ArtifactService } from '../../emulators/github/artifact-service.ts';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';
import { Authority } from './authority.ts';
import { openPrivateNetwork, type PrivateNetwork } from './namespace.ts';
import { tlsFront } from './servers.ts';
import { startTinyproxy } from './tinyproxy.ts';

const PROGRAM = fileURLToPath(new URL('./upload-artifact.ts', import.meta.url));
const run = promisify(execFile);

let network: PrivateNetwork;
let authority: Authority;
let blobs: BlobStore;
let service: ArtifactService;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'artifact-'));
  await writeFile(join(folder, 'run.json'), '{}');
  network = openPrivateNetwork();
  authority = new Authority();
  blobs = await startBlobStore();
  service = await ArtifactService.start(Promise.resolve(blobs));
});
afterAll(async () => {
  await service?.close();
  await blobs?.stop();
  authority?.remove();
  network?.close();
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
});

/** The artifact service and its blob store as they are seen from inside the network: by https, behind a private authority. */
async function fronts(): Promise<string> {
  const host = network.service;
  // Where a host has no name, the proxy client of Azure's package checks for localhost.
  const identity = authority.issue({ names: `IP:${host},DNS:localhost` });
  const stores = new Map<string, string>();
  /** Signed addresses name the store on loopback: there is no such thing inside. */
  const moved = async (answer: string): Promise<string> => {
    for (const [store = ''] of answer.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)) {
      if (stores.has(store)) continue;
      const front = await tlsFront({ host, identity, to: new URL(store) });
      onTestFinished(() => front.close());
      stores.set(store, `https://${host}:${front.port}`);
    }
    return answer.replace(/http:\/\/127\.0\.0\.1:\d+/g, (store) => stores.get(store) ?? store);
  };
  const server = createServer(identity, async (request, response) => {
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(new URL(request.url ?? '', service.url), {
      method: request.method ?? 'POST',
      headers: { authorization, 'content-type': type },
      body: await text(request),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await moved(await answer.text()));
  });
  server.listen(0, host);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://${host}:${(server.address() as AddressInfo).port}`;
}

it('the artifact goes through the proxy, to services behind a private authority', { timeout: 120_000 }, async () => {
  const url = await fronts();
  const proxy = await startTinyproxy({ host: network.gateway, port: 3128 });
  onTestFinished(() => proxy.stop());
  const env = {
    PATH: process.env['PATH'],
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/infra',
    GITHUB_RUN_ID: '77',
    ACTIONS_RESULTS_URL: url,
    ACTIONS_RUNTIME_TOKEN: await service.runtimeToken('run', 'job'),
    HTTPS_PROXY: proxy.address,
    'INPUT_CA-CERTIFICATE': authority.path,
  };
  const command = ['netns', 'exec', network.name, process.execPath, PROGRAM, folder];
  const { stdout } = await run('ip', command, { env, timeout: 60_000 });
  expect(stdout).toMatch(/^artifact logs$/m);
  expect([...(await service.download('logs')).keys()]).toEqual(['run.json']);
  const hosts = new Set(Array.from((await proxy.log()).matchAll(/CONNECT (\S+) HTTP/g), ([, place]) => place));
  // The service itself, and the store.
  expect(hosts.size).toBe(2);
  expect(service.violations).toEqual([]);
});
