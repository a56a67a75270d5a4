import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Cluster } from '../../../src/executor/kubernetes/cluster.ts';
import { ExecStream } from '../../../src/executor/kubernetes/exec/exec-stream.ts';

/** WebSocket's own constant (RFC 6455). */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const [STDOUT, STATUS] = [1, 3];

/** An unmasked binary frame with a stream's number and less than 125 bytes. */
function frame(stream: number, text: string): Buffer {
  const payload = Buffer.concat([Buffer.from([stream]), Buffer.from(text)]);
  return Buffer.concat([Buffer.from([0x82, payload.length]), payload]);
}

/** The cluster of an API server on a free port, which closes when the test is over. */
async function clusterAt(server: Server): Promise<Cluster> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const config = new KubeConfig();
  config.loadFromClusterAndUser(
    {
      name: 'c',
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      // The client speaks plain HTTP only so.
      skipTLSVerify: true,
    },
    { name: 'u' },
  );
  const authenticated = <T>(work: (config: KubeConfig) => Promise<T>) => work(config);
  return { namespace: async () => 'jobs', authenticated } as unknown as Cluster;
}

const openOn = (cluster: Cluster, onOutput: (piece: Buffer) => void = () => undefined) =>
  ExecStream.open({
    ...{ cluster, pod: 'p', script: { code: ':', words: [] }, onOutput },
    onError: () => undefined,
    signal: new AbortController().signal,
  });

/** An API server that answers an exec request in this protocol, with these frames. */
async function opened(protocol: string, frames: readonly Buffer[]) {
  const server = createServer();
  server.on('upgrade', (request, socket) => {
    const key = createHash('sha1').update(`${request.headers['sec-websocket-key']}${GUID}`).digest('base64');
    socket.on('error', () => undefined);
    // A close frame is answered by the end.
    socket.on('data', (data: Buffer) => data.includes(0x88) && socket.end());
    socket.write(
      [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${key}`,
        `Sec-WebSocket-Protocol: ${protocol}`,
        '\r\n',
      ].join('\r\n'),
    );
    for (const each of frames) socket.write(each);
  });
  const cluster = await clusterAt(server);
  let output = '';
  const stream = await openOn(cluster, (piece) => {
    output += piece;
  });
  return { end: await stream.end, output };
}

const SUCCESS = '{"status":"Success"}';
const FAILURE =
  '{"status":"Failure","message":"m","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}';

describe('an exec stream', () => {
  it.each([
    ['v5.channel.k8s.io', SUCCESS, 0],
    ['v4.channel.k8s.io', FAILURE, 3],
    ['v4.channel.k8s.io', '{"status":"Failure","details":{"causes":"none"}}', 126],
  ])('in %s ends with the exit code of its status %s', async (protocol, status, exitCode) => {
    const { end, output } = await opened(protocol, [frame(STDOUT, 'out'), frame(STATUS, status)]);
    expect(end).toMatchObject({ exitCode });
    expect(output).toBe('out');
  });

  it.each(['command terminated with non-zero exit code: exit status 3', 'null', '"Success"', '{'])(
    'whose status is %s counts as cut, and the agent lives',
    async (status) => {
      const { end, output } = await opened('v4.channel.k8s.io', [
        frame(STDOUT, 'out'),
        frame(STATUS, status),
      ]);
      expect(end).toEqual({ cut: new Error(`the exec's status can't be read: ${status}`) });
      expect(output).toBe('out');
    },
  );

  it.each(['v3.channel.k8s.io', 'channel.k8s.io'])(
    'in the old protocol %s is refused, whatever it says',
    async (protocol) => {
      await expect(opened(protocol, [frame(STATUS, 'exit status 3')])).rejects.toMatchObject({
        name: 'ContainerError',
        code: 'PRA-K8S-19',
        message: expect.stringContaining(`speaks ${protocol} where v5.channel.k8s.io or v4.channel.k8s.io`),
      });
    },
  );

  const status = (message: string, reason: string) => JSON.stringify({ kind: 'Status', message, reason });
  const forbidden = 'pods "p" is forbidden: User "ci" cannot create resource "pods/exec" in API group ""';

  it.each<[code: number, body: string, told: { message: string; reason: string }]>([
    [
      500,
      status('error dialing backend: dial tcp 10.0.0.7:10250: i/o timeout', 'InternalError'),
      { message: 'error dialing backend: dial tcp 10.0.0.7:10250: i/o timeout', reason: 'InternalError' },
    ],
    [403, status(forbidden, 'Forbidden'), { message: forbidden, reason: 'Forbidden' }],
    [403, '<h1>Blocked by policy</h1>', { message: '<h1>Blocked by policy</h1>', reason: '' }],
    [403, '', { message: 'this account cannot get resource "pods/exec"', reason: '' }],
    [404, 'no such route', { message: 'no such route', reason: '' }],
    [404, 'pod does not exist', { message: 'pod does not exist', reason: 'NotFound' }],
    [502, 'x'.repeat(70_000), { message: 'HTTP 502', reason: '' }],
  ])('that is refused with %i says what the API server said', async (code, body, told) => {
    const server = createServer();
    server.on('upgrade', (_, socket) => {
      socket.on('error', () => undefined);
      socket.end(`HTTP/1.1 ${code} No\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    });
    await expect(openOn(await clusterAt(server))).rejects.toMatchObject({
      name: 'ApiRefusedError',
      status: code,
      ...told,
    });
  });
});
