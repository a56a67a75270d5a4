import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { ArtifactService } from '../../emulators/github/artifact-service.ts';
import { startBlobStore } from '../../emulators/github/azurite.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { enclosedNetwork } from './enclosed.ts';
import { listen, owned, webServer } from './servers.ts';

// GitHub's services behind a private authority, as with a TLS-inspecting proxy or GitHub Enterprise Server.
const network = enclosedNetwork(afterAll);
const { authority, identity, proxy } = network;
const service = await webServer({ host: network.service, identity, body: '{"value":"the.id.token"}' });
afterAll(() => service.close());

const INSIDE = ['ip', 'netns', 'exec', network.name];
const run = promisify(execFile);

/** The output of a program beside this file, run like the action in a workspace with the authority's certificate. */
async function printed(
  program: string,
  environment: Readonly<Record<string, string>>,
  command: readonly string[] = [],
) {
  const workspace = await temporaryDirectory();
  await writeFile(join(workspace, 'ca.pem'), authority.certificate);
  const path = fileURLToPath(new URL(program, import.meta.url));
  const [executable = '', ...args] = [...command, process.execPath, path, workspace];
  const env = { PATH: process.env['PATH'], ...environment };
  return (await run(executable, args, { cwd: workspace, env, timeout: 60_000 })).stdout;
}

const asked = (environment: Readonly<Record<string, string>>, command?: readonly string[]) =>
  printed(
    './ask-id-token.ts',
    {
      ACTIONS_ID_TOKEN_REQUEST_URL: `https://${network.service}:${service.port}/token?api-version=2.0`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
      ...environment,
    },
    command,
  );

describe('the ID token from behind a private authority', () => {
  it('can’t be fetched without that authority, and the error names the input to set', async () => {
    const said = await asked({});
    expect(said).toMatch(/^Failed to get this job's ID token for urn:pulumi:org:acme: .*certificate/m);
    expect(said).toContain('Set the input ca-certificate to the certificate of the authority');
  });

  it.each([
    ['the input, as a path in the workspace', { 'INPUT_CA-CERTIFICATE': 'ca.pem' }],
    ['the input, as text', { 'INPUT_CA-CERTIFICATE': authority.certificate }],
    ['the agent’s variable', { PULUMI_AGENT_CA_CERTIFICATE: authority.path }],
    ['what the machine trusts', { SSL_CERT_FILE: authority.path }],
    ['the certificates that Node.js is set to trust', { NODE_EXTRA_CA_CERTS: authority.path }],
    [
      'what the machine trusts, although the input can’t be read',
      { 'INPUT_CA-CERTIFICATE': '/nowhere', SSL_CERT_FILE: authority.path },
    ],
  ])('can be fetched with the authority from %s', async (_, environment) => {
    expect(await asked(environment)).toContain('token the.id.token');
  });
});

it('the ID token comes through a proxy when there is no other way, and a proxy that refuses is named', async () => {
  const own = { 'INPUT_CA-CERTIFICATE': 'ca.pem' };
  expect(await asked(own, INSIDE)).toContain('ENETUNREACH');
  const open = await proxy();
  expect(await asked({ ...own, HTTPS_PROXY: open.address }, INSIDE)).toContain('token the.id.token');
  expect(await open.log()).toContain(`CONNECT ${network.service}:${service.port}`);
  // GitHub's packages know no blocks, where the agent's own rules would keep the proxy out.
  const listing = (list: string) => ({ ...own, HTTPS_PROXY: open.address, NO_PROXY: list });
  expect(await asked(listing(`${network.service}/32`), INSIDE)).toContain('token the.id.token');
  expect(await asked(listing(network.service), INSIDE)).toContain('ENETUNREACH');
  const closed = await proxy('ConnectPort 443');
  const said = await asked({ ...own, HTTPS_PROXY: closed.address }, INSIDE);
  expect(said).toMatch(/statusCode=403.*Check the proxy that HTTPS_PROXY names/);
}, 120_000);

/** Serves the artifact service and its blob store to the network: by https, behind the private authority. */
async function front(artifacts: ArtifactService): Promise<string> {
  const stores = new Map<string, string>();
  /** Signed addresses name the store on loopback, which can't be reached from inside. */
  const moved = async (answer: string): Promise<string> => {
    for (const [store = ''] of answer.matchAll(/http:\/\/127\.0\.0\.1:\d+/g)) {
      if (!stores.has(store)) stores.set(store, await network.https(store));
    }
    return answer.replace(/http:\/\/127\.0\.0\.1:\d+/g, (store) => stores.get(store) ?? store);
  };
  const server = createServer(identity, async (request, response) => {
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const answer = await fetch(new URL(request.url ?? '', artifacts.url), {
      method: request.method ?? 'POST',
      headers: { authorization, 'content-type': type },
      body: await text(request),
    });
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(await moved(await answer.text()));
  });
  return `https://${network.service}:${owned(await listen(server, network.service)).port}`;
}

it('the artifact goes through the proxy, to services behind a private authority', {
  timeout: 120_000,
}, async () => {
  const blobs = await startBlobStore();
  onTestFinished(() => blobs.stop());
  const artifacts = await ArtifactService.start(Promise.resolve(blobs));
  onTestFinished(() => artifacts.close());
  const { address, log } = await proxy();
  const environment = {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/infra',
    GITHUB_RUN_ID: '77',
    ACTIONS_RESULTS_URL: await front(artifacts),
    ACTIONS_RUNTIME_TOKEN: await artifacts.runtimeToken('run', 'job'),
    HTTPS_PROXY: address,
    NO_PROXY: `${network.service}/32`,
    'INPUT_CA-CERTIFICATE': authority.path,
  };
  expect(await printed('./upload-artifact.ts', environment, INSIDE)).toMatch(/^artifact logs$/m);
  expect([...(await artifacts.download('logs')).keys()]).toEqual(['ca.pem']);
  const hosts = new Set(Array.from((await log()).matchAll(/CONNECT (\S+) HTTP/g), ([, place]) => place));
  // The service itself, and the store.
  expect(hosts.size).toBe(2);
  expect(artifacts.violations).toEqual([]);
});
