import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createDockerExecutor } from '../../../src/executor/docker/docker-executor.ts';
import { Engine } from '../../../src/executor/docker/engine/engine.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();

async function listen(server: Server): Promise<string> {
  onTestFinished(() => void server.close());
  server.on('connection', (client) => client.on('error', () => undefined));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** An engine that answers every request so. */
function engineSaying(status: number, body: unknown): Promise<string> {
  const answer = typeof body === 'string' ? body : JSON.stringify(body);
  return listen(createHttpServer((_, response) => response.writeHead(status).end(answer)));
}

it('says what is wrong with what answers there', async () => {
  const chatter = createServer((socket) => void socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
  const denied = { message: 'authorization denied by plugin opa' };
  for (const [engine, sentence] of [
    [listen(chatter), 'does not speak HTTP'],
    [engineSaying(200, '<html>hello</html>'), 'is not a Docker engine'],
    [engineSaying(403, denied), 'it answered 403 (authorization denied by plugin opa). Check who may use the engine.'],
    [engineSaying(200, { ApiVersion: '1.38' }), 'is too old. Install Docker Engine 19.03 (API 1.40) or newer.'],
    [engineSaying(200, { ApiVersion: '1.46', Os: 'windows' }), 'runs windows containers. Switch it to Linux'],
  ] as const)
    expect(await bench.refusal({ DOCKER_HOST: await engine })).toContain(sentence);
});

it('gives up on an engine that never answers, and when the signal aborts', async () => {
  const silent = await listen(createServer((socket) => void socket.resume()));
  const engine = new Engine({ DOCKER_HOST: silent });
  await expect(engine.call((docker) => docker.ping(), { signal: NEVER, ms: 100 })).rejects.toThrow(
    /no answer within 0.1 s/,
  );
  const stop = new AbortController();
  const checked = createDockerExecutor({ environment: { DOCKER_HOST: silent } }).check(stop.signal);
  stop.abort(new Error('enough'));
  await expect(checked).rejects.toThrow('enough');
});
