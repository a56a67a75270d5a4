import { createServer } from 'node:http';
import { describe, expect, it } from 'vitest';
import { endOf } from '../../../src/executor/docker/container/ending.ts';
import { DockerEngine } from '../../../src/executor/docker/engine/engine.ts';
import { obtainImage } from '../../../src/executor/docker/image/image.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';
import { listen, owned } from '../network/servers.ts';

const bench = workbench();

/** An engine of these API versions, which refuses others in the words of moby's version middleware. */
async function engineOf(own: { newest: string; oldest: string }) {
  const lines: string[] = [];
  const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

  const server = createServer(({ url: path = '' }, response) => {
    lines.push(path);
    const { newest, oldest } = own;
    const [, version] = /^\/v([\d.]+)\//.exec(path) ?? [];
    const refuse = (words: string) =>
      response.writeHead(400).end(JSON.stringify({ message: `client version ${version} is too ${words}` }));

    if (path === '/version') response.end(JSON.stringify({ ApiVersion: newest, MinAPIVersion: oldest }));
    else if (version === undefined) response.writeHead(404).end('{}');
    else if (compare(version, newest) > 0) refuse(`new. Maximum supported API version is ${newest}`);
    else if (compare(version, oldest) < 0)
      refuse(
        `old. Minimum supported API version is ${oldest}, please upgrade your client to a newer version`,
      );
    else response.end('{}');
  });

  const { port } = owned(await listen(server, '127.0.0.1'));
  const engine = new DockerEngine({ DOCKER_HOST: `tcp://127.0.0.1:${port}` });
  const info = () => engine.call((docker): Promise<unknown> => docker.info(), { signal: NEVER });
  return { own, lines, info, engine };
}

describe('the version of the calls to the engine', () => {
  it.each([
    ['an older one’s own', '1.41', '1.12', '/v1.41/info'],
    ['what is tested, for a newer one', '1.99', '1.24', '/v1.56/info'],
    ['the nearest to that, for one that has dropped it', '1.99', '1.90', '/v1.90/info'],
  ])('is %s', async (_, newest, oldest, path) => {
    const { lines, info } = await engineOf({ newest, oldest });
    await info();
    await info();
    expect(lines).toEqual(['/version', path, path]);
  });

  it('follows an engine that is replaced by an older or a newer one', async () => {
    const { own, lines, info } = await engineOf({ newest: '1.44', oldest: '1.24' });
    await info();
    own.newest = '1.41';
    await info();
    Object.assign(own, { newest: '1.52', oldest: '1.44' });
    await info();
    expect(lines).toEqual([
      ...['/version', '/v1.44/info'],
      ...['/v1.44/info', '/version', '/v1.41/info'],
      ...['/v1.41/info', '/version', '/v1.52/info'],
    ]);
  });

  it('follows it in pulls and events, too', async () => {
    const { own, lines, info, engine } = await engineOf({ newest: '1.44', oldest: '1.24' });
    await info();
    own.newest = '1.41';
    const { signal } = new AbortController();
    const pulls = { pullIdleMs: 10_000, pullRetryMs: 1, hostLogin: async () => undefined };
    await obtainImage(engine, pulls, { image: 'a', pull: true }, async () => undefined, signal);
    own.newest = '1.40';
    await endOf(engine, 'c0ffee', { isStopping: false });
    expect(lines.map((line) => line.split('?')[0])).toEqual([
      ...['/version', '/v1.44/info'],
      ...['/v1.44/images/create', '/version', '/v1.41/images/create', '/v1.41/images/a/json'],
      ...['/v1.41/events', '/version', '/v1.40/events'],
    ]);
  });

  it('is in the path of each call of a job', async () => {
    const lines: string[] = [];
    const { target } = await bench.behindProxy({ onRequest: (line) => lines.push(line) });
    const container = await bench.prepare({}, target);
    await container.remove();
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.filter((line) => !/^[A-Z]+ \/v1\.\d+\//.test(line) && line !== 'GET /version')).toEqual([]);
  });
});
