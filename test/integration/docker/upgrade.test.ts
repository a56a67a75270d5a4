import { createServer, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { NEVER, workbench } from '../../support/docker/workbench.ts';
import { listen, owned } from '../network/servers.ts';

const ENGINE_SOCKET = '/var/run/docker.sock';

const bench = workbench();

interface Answer {
  readonly status: number;
  readonly message: string;
}

/**
 * A proxy before the engine that passes on no header `Upgrade`, as HAProxy 2.4 and newer do for a request with a
 * body. Requests whose path matches `filter.path` get its answer.
 */
async function withoutUpgrade(filter?: { readonly path: RegExp } & Answer) {
  const lines: string[] = [];
  const server = createServer((asked, response) => {
    const { method, url: path = '', headers } = asked;
    lines.push(`${method} ${path}`);
    if (filter?.path.test(path))
      return void response.writeHead(filter.status).end(JSON.stringify({ message: filter.message }));

    const { upgrade: _, connection: __, ...kept } = headers;
    const passed = request({ socketPath: ENGINE_SOCKET, method, path, headers: kept }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    response.on('close', () => passed.destroy());
    asked.pipe(passed);
  });
  const { port } = owned(await listen(server, '127.0.0.1'));
  return { environment: { DOCKER_HOST: `tcp://127.0.0.1:${port}` }, lines };
}

const DROPPED =
  /^Failed to take over a connection to the Docker engine at tcp:\/\/127\.0\.0\.1:\d+: a proxy before the engine drops the header Upgrade/;

describe('a proxy before the engine that drops Upgrade', () => {
  afterEach(async () => {
    expect([...(await bench.containers()), ...(await bench.networks())]).toEqual([]);
  });

  it('is refused by the check, before anything is claimed', async () => {
    const { environment } = await withoutUpgrade();
    expect(await bench.refusal(environment)).toMatch(DROPPED);
  });

  it('is refused before the first step where a filter hides it from the check', {
    timeout: 60_000,
  }, async () => {
    const filter = { path: /\/session$/, status: 403, message: 'Forbidden' };
    const { environment, lines } = await withoutUpgrade(filter);
    const target = bench.newExecutor({ environment });
    await target.check(NEVER);
    await expect(bench.prepare({}, target)).rejects.toMatchObject({
      message: expect.stringMatching(DROPPED),
      code: 'PRA-DOCKER-08',
      mayPass: false,
    });
    expect(lines.filter((line) => /\/containers\/\w+\/start|\/exec/.test(line))).toEqual([]);
  });

  it('keeps the words of an answer that is an error', async () => {
    const filter = { path: /\/attach\?/, status: 409, message: 'container is paused' };
    const target = bench.newExecutor({ environment: (await withoutUpgrade(filter)).environment });
    await expect(bench.prepare({}, target)).rejects.toThrow('container is paused');
  });
});
