import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { PassThrough } from 'node:stream';
import url from 'node:url';
import { expect, it, vi } from 'vitest';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';
import { listen, owned } from '../network/servers.ts';

const bench = workbench();

const reached = async (server: Server) => `tcp://127.0.0.1:${owned(await listen(server, '127.0.0.1')).port}`;

/** An engine that gives every request this answer. */
function engineSaying(status: number, body: unknown): Promise<string> {
  const answer = typeof body === 'string' ? body : JSON.stringify(body);
  return reached(createHttpServer((_, response) => response.writeHead(status).end(answer)));
}

it('the check says why what answers is not a usable engine', async () => {
  const chatter = createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  const denied = { message: 'authorization denied by plugin opa' };
  for (const [engine, sentence] of [
    [reached(chatter), 'does not speak HTTP'],
    [engineSaying(200, '<html>hello</html>'), 'is not a Docker engine'],
    [
      engineSaying(403, denied),
      'it answered 403 (authorization denied by plugin opa). Check who can use the engine.',
    ],
    [
      engineSaying(200, { ApiVersion: '1.38' }),
      'is too old. Install Docker Engine 19.03 (API 1.40) or newer.',
    ],
    [engineSaying(200, { ApiVersion: '1.46', Os: 'windows' }), 'runs windows containers. Switch it to Linux'],
  ] as const)
    expect(await bench.refusal({ DOCKER_HOST: await engine })).toContain(sentence);
});

it('an engine at a TCP port is asked under its own name, without the deprecated url.parse', async () => {
  const hosts: (string | undefined)[] = [];
  const server = createHttpServer(({ headers, url: path }, response) => {
    hosts.push(headers.host);
    // It refuses the protocol of a session's request, as engines do.
    if (path?.endsWith('/session') === true) response.statusCode = 400;
    response.end(JSON.stringify({ ApiVersion: '1.46', Os: 'linux' }));
  });
  const address = await reached(server);
  const parse = vi.spyOn(url, 'parse');
  await bench.newExecutor({ environment: { DOCKER_HOST: address } }).check(NEVER);
  expect(parse).not.toHaveBeenCalled();
  expect(new Set(hosts)).toEqual(new Set([new URL(address).host]));
});

it('a probe passes while the engine answers, and gives up on one that does not after 5 seconds', async () => {
  const { proxy, target } = await bench.behindProxy();
  const probe = () => target.probe(NEVER);
  await probe();
  proxy.cut();
  await expect(probe()).rejects.toThrow(/Failed to reach the Docker engine/);
  await proxy.restore();
  await probe();
  proxy.freeze();
  await expect(probe()).rejects.toThrow(/no answer within 5 s/);
  proxy.thaw();
  await expect.poll(proxy.connections).toBe(0);
  await probe();
  const sick = bench.newExecutor({
    environment: { DOCKER_HOST: await engineSaying(500, { message: 'no space left' }) },
  });
  await expect(sick.probe(NEVER)).rejects.toThrow(
    /Failed to reach the Docker engine .*: it answered 500 \(no space left\)/,
  );
});

it('a call gives up on an engine that never answers, and check and probe end on an abort', async () => {
  const silent = await reached(createServer((socket) => void socket.resume()));
  const engine = new DockerEngine({ DOCKER_HOST: silent });
  await expect(engine.call((docker) => docker.ping(), { signal: NEVER, ms: 100 })).rejects.toThrow(
    /no answer within 0.1 s/,
  );
  const stop = new AbortController();
  const executor = createDockerExecutor({ environment: { DOCKER_HOST: silent } });
  const ended = Promise.allSettled([executor.check(stop.signal), executor.probe(stop.signal)]);
  stop.abort(new Error('enough'));
  expect(await ended).toMatchObject(Array(2).fill({ reason: { message: 'enough' } }));
});

it('a stream that the engine opens too late is closed', async () => {
  const engine = new DockerEngine({});
  await engine.version(NEVER);
  const opened = Promise.withResolvers<PassThrough>();
  const call = engine.call(() => opened.promise, { signal: NEVER, ms: 1 });
  await expect(call).rejects.toThrow('Failed to reach the Docker engine');
  const stream = new PassThrough();
  opened.resolve(stream);
  await expect.poll(() => stream.destroyed).toBe(true);
  engine.close();
});
