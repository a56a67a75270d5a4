import { createHash, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { ExecStream } from '../../../src/executor/kubernetes/exec/exec-stream.ts';
import { Authority, type Identity } from '../network/authority.ts';

// Needs no cluster: this server stands for the API server and says whose credentials it got.
const NAMES = { names: 'IP:127.0.0.1' };
const { signal } = new AbortController();
const authority = new Authority();
const folder = mkdtempSync(join(tmpdir(), 'credentials-'));
const kubeconfig = join(folder, 'config');
const file = (name: string, text: string) => writeFileSync(join(folder, name), text);

/** The serial number of each request's client certificate, or its token. */
const seen: string[] = [];
let refuse: (token: string) => readonly [status: number, body: string] | undefined;

function take({ socket, headers }: IncomingMessage) {
  const token = /^Bearer (.*)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const { serialNumber } = (socket as TLSSocket).getPeerCertificate();
  seen.push(serialNumber ?? token);
  return refuse(token);
}

const trusting = (by: Authority) => ({ ...by.issue(NAMES), ca: [by.certificate, by.intermediate] });
const server = createServer(
  { ...trusting(authority), requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    const [status, body] = take(request) ?? [200, '{}'];
    response.writeHead(status).end(body);
  },
);

server.on('upgrade', (request, socket) => {
  socket.on('error', () => undefined);
  const refused = take(request);
  if (refused !== undefined) {
    const [status, body] = refused;
    socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    return;
  }
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const head = [
    'HTTP/1.1 101 Switching Protocols',
    'upgrade: websocket',
    'connection: Upgrade',
    `sec-websocket-accept: ${createHash('sha1').update(key).digest('base64')}`,
    'sec-websocket-protocol: v5.channel.k8s.io',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
});

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  seen.length = 0;
  refuse = () => undefined;
  file('ca.pem', authority.certificate);
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  authority.remove();
  rmSync(folder, { recursive: true });
});

function clusterFor(user: object): Cluster {
  const { port } = server.address() as AddressInfo;
  const cluster = { server: `https://127.0.0.1:${port}`, 'certificate-authority': 'ca.pem' };
  const config = {
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
  return new Cluster({ kubeconfig });
}

const plugin = (command: string, ...args: string[]) => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command, args, interactiveMode: 'Never' },
});

const ask = (cluster: Cluster) =>
  cluster.call({ verb: 'get', resource: 'version', path: '/version', signal });

const enter = (cluster: Cluster) =>
  ExecStream.open({
    cluster,
    pod: 'p',
    script: { code: 'true', words: [] },
    onOutput: () => undefined,
    onError: () => undefined,
    signal,
  });

async function askAndEnter(cluster: Cluster): Promise<void> {
  await ask(cluster);
  (await enter(cluster)).close();
}

it('each call and stream uses the certificates that the kubeconfig’s files then hold', async () => {
  const serial = ({ cert }: Identity) => new X509Certificate(cert).serialNumber;
  const put = (identity: Identity) => {
    file('client.crt', identity.cert);
    file('client.key', identity.key);
    return serial(identity);
  };
  const first = put(authority.issue(NAMES));
  const cluster = clusterFor({ 'client-certificate': 'client.crt', 'client-key': 'client.key' });
  await askAndEnter(cluster);

  const second = put(authority.issue(NAMES));
  await askAndEnter(cluster);
  expect(seen).toEqual([first, first, second, second]);

  const next = new Authority('Next');
  try {
    server.setSecureContext(trusting(next));
    file('ca.pem', next.certificate);
    await askAndEnter(cluster);
  } finally {
    server.setSecureContext(trusting(authority));
    next.remove();
  }
});

it('a call and a stream that get a 401 are repeated with the plugin’s next token', async () => {
  const issue = (token: string) => {
    file('credential.json', JSON.stringify({ kind: 'ExecCredential', status: { token } }));
    refuse = (used) => (used === token ? undefined : [401, '{"kind":"Status","message":"Unauthorized"}']);
  };
  issue('first');
  const cluster = clusterFor(plugin('cat', join(folder, 'credential.json')));
  await ask(cluster);
  issue('second');
  await ask(cluster);
  issue('third');
  (await enter(cluster)).close();
  expect(seen).toEqual(['first', 'first', 'second', 'second', 'third']);

  refuse = () => [401, '{"kind":"Status","message":"Unauthorized"}'];
  await expect(ask(cluster)).rejects.toMatchObject({ status: 401 });
  await expect(enter(cluster)).rejects.toMatchObject({ status: 401 });
});

it('an error shows the words of a credential plugin without its credentials', async () => {
  const cluster = clusterFor(
    plugin('sh', '-c', 'echo "session expired\nrefresh_token=ca-na-ry" >&2; exit 1'),
  );
  for (const attempt of [ask, enter]) {
    const error: unknown = await attempt(cluster).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain('session expired');
    expect(String(error)).not.toContain('ca-na-ry');
  }
});

it.each([
  ['the kubelet’s is the pod’s end', 'pod does not exist', 'NotFound'],
  ['a proxy’s proves nothing', '<html><h1>404 Not Found</h1></html>', ''],
])('of a stream’s 404s, %s', async (_, body, reason) => {
  refuse = () => [404, body];
  await expect(enter(clusterFor({ token: 't' }))).rejects.toMatchObject({ status: 404, reason });
});
