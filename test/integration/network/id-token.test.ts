import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Authority } from './authority.ts';
import { openPrivateNetwork, type PrivateNetwork } from './namespace.ts';
import { type Listening, webServer } from './servers.ts';
import { startTinyproxy } from './tinyproxy.ts';

const PROGRAM = fileURLToPath(new URL('./ask-id-token.ts', import.meta.url));
const run = promisify(execFile);

// GitHub's token service behind a private authority, as behind a proxy that looks into TLS, or of GitHub Enterprise Server.
let network: PrivateNetwork;
let authority: Authority;
let service: Listening;
let url: string;
let workspace: string;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'workspace-'));
  network = openPrivateNetwork();
  authority = new Authority();
  await writeFile(join(workspace, 'ca.pem'), authority.certificate);
  const identity = authority.issue({ names: `IP:${network.service}` });
  service = await webServer({ host: network.service, identity, body: '{"value":"the.id.token"}' });
  url = `https://${network.service}:${service.port}/token?api-version=2.0`;
});
afterAll(async () => {
  await service?.close();
  authority?.remove();
  network?.close();
  if (workspace !== undefined) rmSync(workspace, { recursive: true, force: true });
});

/** What the action's process says that asks for its ID token. */
async function asked(environment: Readonly<Record<string, string>>, command: readonly string[] = []): Promise<string> {
  const [program = '', ...args] = [...command, process.execPath, PROGRAM];
  const env = {
    PATH: process.env['PATH'],
    ACTIONS_ID_TOKEN_REQUEST_URL: url,
    ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'request-token',
    ...environment,
  };
  const { stdout } = await run(program, args, { cwd: workspace, env, timeout: 45_000 });
  return stdout;
}

describe('the ID token from behind a private authority', () => {
  it('is refused with the input that helps', async () => {
    const said = await asked({});
    expect(said).toMatch(/^Failed to get this job's ID token for urn:pulumi:org:acme: .*certificate/m);
    expect(said).toContain('Set the input ca-certificate to the certificate of the authority');
  });

  it.each([
    ['the input, as a path in the workspace', () => ({ 'INPUT_CA-CERTIFICATE': 'ca.pem' })],
    ['the input, as a text', () => ({ 'INPUT_CA-CERTIFICATE': authority.certificate })],
    ['the agent’s variable', () => ({ PULUMI_AGENT_CA_CERTIFICATE: authority.path })],
    ['what the machine trusts', () => ({ SSL_CERT_FILE: authority.path })],
    ['what Node.js is told to trust', () => ({ NODE_EXTRA_CA_CERTS: authority.path })],
  ])('comes by %s', async (_, environment) => {
    expect(await asked(environment())).toContain('token the.id.token');
  });

  it('is not kept away by a certificate that can’t be read', async () => {
    const environment = { 'INPUT_CA-CERTIFICATE': '/nowhere/ca.pem', SSL_CERT_FILE: authority.path };
    expect(await asked(environment)).toContain('token the.id.token');
  });
});

it('comes through a proxy, where there is no other way, and names one that refuses', async () => {
  const inside = ['ip', 'netns', 'exec', network.name];
  const own = { 'INPUT_CA-CERTIFICATE': 'ca.pem' };
  expect(await asked(own, inside)).toContain('ENETUNREACH');
  const open = await startTinyproxy({ host: network.gateway, port: 3128 });
  onTestFinished(() => open.stop());
  expect(await asked({ ...own, HTTPS_PROXY: open.address }, inside)).toContain('token the.id.token');
  expect(await open.log()).toContain(`CONNECT ${network.service}:${service.port}`);
  const closed = await startTinyproxy({ host: network.gateway, port: 3129, lines: ['ConnectPort 443'] });
  onTestFinished(() => closed.stop());
  const said = await asked({ ...own, HTTPS_PROXY: closed.address }, inside);
  expect(said).toMatch(/statusCode=403.*Check the proxy that HTTPS_PROXY names/);
}, 120_000);
