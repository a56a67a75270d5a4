import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { jsonPage, type Page, serveHttp } from '../../../src/agent/health/http-server.ts';

async function served(page: () => Page | Promise<Page>) {
  const server = await serveHttp({ port: 0 }, new Map([['/page', page]]));
  onTestFinished(() => server.close());
  return { port: server.port, url: `http://127.0.0.1:${server.port}/page` };
}

it('says of a page that can’t be made why, and lives on', async () => {
  let calls = 0;
  const { url } = await served(() => {
    calls += 1;
    if (calls === 1) throw new Error('not today');
    return jsonPage(200, { calls });
  });
  const failed = await fetch(url);
  expect([failed.status, await failed.json()]).toEqual([500, { error: 'not today' }]);
  const good = await fetch(url);
  expect([good.status, await good.json()]).toEqual([200, { calls: 2 }]);
});

it('lives on when whoever asked has gone before the answer', async () => {
  const asked = Promise.withResolvers<void>();
  const ready = Promise.withResolvers<Page>();
  let calls = 0;
  const { port, url } = await served(() => {
    calls += 1;
    asked.resolve();
    return calls === 1 ? ready.promise : jsonPage(200, { calls });
  });
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /page HTTP/1.1\r\nHost: agent\r\n\r\n');
  await asked.promise;
  socket.resetAndDestroy();
  await once(socket, 'close');
  ready.resolve(jsonPage(200, {}));
  expect(await (await fetch(url)).json()).toEqual({ calls: 2 });
});

it('refuses what is no HTTP, and lives on', async () => {
  const { port, url } = await served(() => jsonPage(200, {}));
  const socket = connect(port, '127.0.0.1');
  socket.write('\u0016\u0003\u0001 nonsense\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 400 /);
  socket.destroy();
  expect((await fetch(url)).status).toBe(200);
});
