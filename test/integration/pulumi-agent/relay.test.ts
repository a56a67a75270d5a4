import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { Agent, createServer, type IncomingMessage, type RequestListener, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProxiedCall } from '../../../src/pulumi-agent/proxy/call.ts';
import { Credentials } from '../../../src/pulumi-agent/proxy/credentials.ts';
import type { CloudProxyOptions } from '../../../src/pulumi-agent/proxy/proxy.ts';
import { tokenFile } from '../../support/cloud/id-token.ts';
import { proxyTo } from '../../support/pulumi-agent/proxied-agent.ts';
import { listen, owned } from '../network/servers.ts';

/** The test's own service, with a proxy in front of it. */
async function scene(serve: RequestListener, options: Partial<CloudProxyOptions> = {}) {
  const service = `http://127.0.0.1:${owned(await listen(createServer(serve), '127.0.0.1')).port}`;
  const calls: ProxiedCall[] = [];
  const onCall = (call: ProxiedCall): void => void calls.push(call);
  const proxy = await proxyTo(service, { onCall, ...options });
  return { proxy, calls, service };
}

/** Sends a call with its path exactly as given. */
async function call(
  url: string,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body?: Buffer,
) {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  // The answer may come before the whole body is sent, and nothing reads the rest.
  sent.on('error', () => undefined);
  return { status: answer.statusCode, headers: answer.rawHeaders, body: await text(answer) };
}

describe('the relay', () => {
  it('passes on method, path, headers, bodies and statuses as they came', async () => {
    const seen: { headers: string[]; body: string; line: string }[] = [];
    const { proxy, service, calls } = await scene(async (incoming, answer) => {
      seen.push({
        headers: incoming.rawHeaders,
        body: await text(incoming),
        line: `${incoming.method} ${incoming.url}`,
      });
      answer.sendDate = false;
      answer
        .writeHead(418, 'Short And Stout', ['X-Odd-Case', 'a', 'x-twice', '1', 'x-twice', '2'])
        .end('tea\r\n\0');
    });
    const sent = {
      'X-MiXed': 'Yes',
      Authorization: 'token pul-1',
      'content-length': '5',
      'user-agent': 'agent/1',
    };
    const answer = await call(
      proxy.url,
      '/api/any%20thing/x?y=%2e%2e/&z',
      sent,
      'PUT',
      Buffer.from('\0\xff\r\na', 'latin1'),
    );
    const [{ headers, line } = { headers: [], line: '' }] = seen;
    expect(line).toBe('PUT /api/any%20thing/x?y=%2e%2e/&z');
    const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
    expect(pairs).toEqual(
      expect.arrayContaining(['X-MiXed: Yes', 'Authorization: token pul-1', 'user-agent: agent/1']),
    );
    expect(pairs).toContain(`host: ${new URL(service).host}`);
    expect(answer).toMatchObject({ status: 418, body: 'tea\r\n\0' });
    expect(answer.headers.slice(0, 6)).toEqual(['X-Odd-Case', 'a', 'x-twice', '1', 'x-twice', '2']);
    expect(calls).toMatchObject([{ method: 'PUT', status: 418, endpoint: { kind: 'other' } }]);
  });

  it('alters no path, and keeps a connection for longer than its clients do', async () => {
    const { proxy } = await scene((incoming, answer) => void answer.end(incoming.url));
    const path = `/api/x|{"y"}^\\z//\`<>#f?q='"\\#`;
    const answer = await call(proxy.url, path, { connection: 'keep-alive' });
    expect(answer.body).toBe(path);
    expect(answer.headers).toContain('timeout=120');
  });

  it('sends each piece on as it comes, and reads no faster than its client', async () => {
    let written = 0;
    const { proxy } = await scene((_, answer) => {
      answer.write('first');
      const chunk = Buffer.alloc(64 * 1024);
      const more = (): void => {
        while (written < 400 * chunk.length) {
          written += chunk.length;
          if (!answer.write(chunk)) return void answer.once('drain', more);
        }
        answer.end();
      };
      setTimeout(more, 50);
    });
    const sent = request(`${proxy.url}/api/x`).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    expect(String((await once(answer, 'data'))[0])).toBe('first');
    answer.pause();
    let before: number;
    do {
      before = written;
      await delay(300);
    } while (written !== before);
    // Only what the kernel buffers on two connections.
    expect(written).toBeLessThan(300 * 64 * 1024);
    answer.resume();
    await once(answer, 'end');
    expect(written).toBe(400 * 64 * 1024);
  });

  it('reads compressed answers too, and ends an answer only once it has been read', async () => {
    const order: string[] = [];
    const body = gzipSync('{"jobID":"j-1"}');
    const { proxy } = await scene(
      (_, answer) =>
        void answer.writeHead(200, { 'content-encoding': 'gzip', 'content-length': body.length }).end(body),
      {
        onCall: async ({ response, responseHeaders }) => {
          await delay(100);
          order.push(JSON.stringify(response.json(responseHeaders['content-encoding'])));
        },
      },
    );
    await call(proxy.url, '/api/deployments/poll');
    order.push('answered');
    expect(order).toEqual(['{"jobID":"j-1"}', 'answered']);
  });

  it.each([
    '/',
    '/healthz',
    '/apiary',
    '/api/../admin',
    '/api/%2e%2E/admin',
    '/api/x/..%2fadmin',
    '/api\\..\\admin',
    'http://127.0.0.1:1/api/x',
  ])('serves nothing beyond /api: %s', async (path) => {
    const { proxy, calls } = await scene((_, answer) => void answer.end('reached'));
    expect((await call(proxy.url, path)).status).toBe(404);
    expect(calls).toEqual([]);
  });

  it('opens no tunnel and upgrades nothing', async () => {
    const { proxy, calls } = await scene((_, answer) => void answer.end('reached'));
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1');
    socket.end('CONNECT 127.0.0.1:22 HTTP/1.1\r\nhost: x\r\n\r\n');
    expect(await text(socket)).toBe('');
    const upgraded = await call(proxy.url, '/api/x', { connection: 'Upgrade', upgrade: 'h2c' });
    expect(upgraded).toMatchObject({ status: 200, body: 'reached' });
    expect(calls).toHaveLength(1);
  });

  it('refuses a call that it knows without a credential, and passes on another unread', async () => {
    const { proxy, calls } = await scene((_, answer) => void answer.end('reached'), {
      isCredential: () => false,
    });
    const poll = '/api/deployments/poll';
    for (const path of [poll, '/api/deployments/%70oll?a=b', '/api//deployments/poll/', `${poll}#a`]) {
      const { status, body } = await call(proxy.url, path, { authorization: 'token lie' });
      expect({ path, status, body }).toEqual({
        path,
        status: 401,
        body: expect.stringContaining('only with a credential of its run'),
      });
    }
    expect(await call(proxy.url, poll, {}, 'HEAD')).toMatchObject({ status: 401 });
    expect(await call(proxy.url, '/api/later', {}, 'POST', Buffer.alloc(9))).toMatchObject({
      body: 'reached',
    });
    expect(calls).toEqual([]);
  });

  it.each([
    ['{"subject_token":"id-1","scope":"x"}', true],
    ['scope=x&subject_token=id-1', true],
    ['subject_token=id-2', false],
    ['{"subject_token":{"id-1":1}}', false],
    ['', false],
    [`subject_token=id-1&scope=${'x'.repeat(70_000)}`, false],
  ])(
    'takes an exchange for an ID token of the run alone, and passes it on as it came: %.40s',
    async (sent, isOurs) => {
      const seen: string[] = [];
      const { proxy, calls } = await scene(
        async (incoming, answer) => void answer.end(String(seen.push(await text(incoming)))),
        { isCredential: (token) => token === 'id-1' },
      );
      // The credential of an exchange is what it exchanges.
      const headers = { authorization: 'token id-1', 'content-length': String(sent.length) };
      const { status } = await call(proxy.url, '/api/oauth/token', headers, 'POST', Buffer.from(sent));
      const end = isOurs ? { status: 200, seen: [sent], count: 1 } : { status: 401, seen: [], count: 0 };
      expect({ status, seen, count: calls.length }).toEqual(end);
    },
  );

  it('serves its agent while a stranger holds more connections than it takes', async () => {
    const { proxy } = await scene((_, answer) => void answer.end('reached'), {
      isCredential: (token) => token === 'known',
    });
    const port = Number(new URL(proxy.url).port);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    const poll = async () => {
      const sent = request(`${proxy.url}/api/deployments/poll`, {
        agent,
        headers: { authorization: 'token known' },
      });
      const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage];
      return [await text(answer), sent.reusedSocket];
    };
    expect(await poll()).toEqual(['reached', false]);
    for (let held = 0; held < 1_200; held += 1) {
      const socket = connect(port, '127.0.0.1').on('error', () => undefined);
      onTestFinished(() => void socket.destroy());
      await once(socket, 'connect');
    }
    expect(await poll()).toEqual(['reached', true]);
    agent.destroy();
    expect(await call(proxy.url, '/api/x', { authorization: 'token known' })).toMatchObject({
      body: 'reached',
    });
  });

  it('refuses Pulumi’s CLI, before anything can write the relay’s address down', async () => {
    const refused: string[] = [];
    const { proxy, calls } = await scene((_, answer) => void answer.end('reached'), {
      onCli: (...said) => refused.push(...said.map(String)),
    });
    const cli = { 'user-agent': 'pulumi-cli/1 (v3.190.0; linux)', authorization: 'token pul-1' };
    const answer = await call(proxy.url, '/api/user', cli);
    expect(answer.status).toBe(421);
    expect(JSON.parse(answer.body)).toMatchObject({
      code: 421,
      message: expect.stringContaining('not Pulumi Cloud'),
    });
    expect({ refused, calls }).toEqual({ refused: ['/api/user', 'pul-1'], calls: [] });
  });

  it('says that no answer came, and still reports the call', async () => {
    const { proxy, calls } = await scene((incoming) => incoming.socket.destroy());
    expect((await call(proxy.url, '/api/deployments/poll')).status).toBe(502);
    expect(calls).toMatchObject([{ status: undefined, failure: expect.any(String) }]);
  });

  it('passes on an answer that comes before the call’s body was read', async () => {
    const { proxy, calls } = await scene((_, answer) => void answer.writeHead(413).end('too large'));
    const answer = await call(proxy.url, '/api/x', {}, 'POST', Buffer.alloc(8 * 1024 * 1024));
    expect(answer).toMatchObject({ status: 413, body: 'too large' });
    expect(calls).toMatchObject([{ status: 413 }]);
  });

  it('cuts an answer that was cut, and a call that its client gave up', async () => {
    const [asked, gone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { proxy } = await scene((incoming, answer) => {
      if (incoming.url === '/api/half') return void answer.write('half', () => incoming.socket.destroy());
      incoming.socket.once('close', () => gone.resolve());
      asked.resolve();
    });
    await expect(call(proxy.url, '/api/half')).rejects.toThrow(/aborted|ECONNRESET/);
    const sent = request(`${proxy.url}/api/never`).end();
    sent.on('error', () => undefined);
    await asked.promise;
    sent.destroy();
    await gone.promise;
  });

  it('hands out no more work once asked to stop, and waits for the call in progress', async () => {
    const { promise: asked, resolve: onAsked } = Promise.withResolvers<() => void>();
    let polls = 0;
    const { proxy } = await scene((_, answer) => {
      polls += 1;
      onAsked(() => void answer.end('{"jobID":"j"}'));
    });
    const polling = call(proxy.url, '/api/deployments/poll');
    const answer = await asked;
    let isQuiet = false;
    const quiet = proxy.giveNoWork().then(() => {
      isQuiet = true;
    });
    expect((await call(proxy.url, '/api/deployments/poll')).status).toBe(204);
    expect(isQuiet).toBe(false);
    answer();
    expect((await polling).body).toBe('{"jobID":"j"}');
    await quiet;
    expect(polls).toBe(1);
  });
});

it('a run’s credentials are its token, each ID token that stood in its file, and those of answers', async () => {
  const path = await tokenFile('id-1\n');
  const credentials = new Credentials({ token: 'static', oidcTokenFile: path }, { add: () => 0 });
  onTestFinished(() => credentials.close());
  await writeFile(path, 'id-2');
  // Longer than from one look to the next: no call asks about this one meanwhile.
  await delay(2_500);
  await writeFile(path, 'id-3');
  credentials.add(['pul-1']);
  const known = ['static', 'id-1', 'id-2', 'id-3', 'pul-1'];
  expect([...known, 'id-4', '', undefined].filter((token) => credentials.has(token))).toEqual(known);
});
