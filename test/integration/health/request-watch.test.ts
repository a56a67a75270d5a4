import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { type RequestSeen, watchRequests } from '../../../src/agent/health/request-watch.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';

const never = new AbortController().signal;

async function watched(listener: RequestListener, requestTimeoutMs = 10_000) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const seen: RequestSeen[] = [];
  const end = watchRequests((request) => seen.push(request));
  onTestFinished(end);
  const http = cloudHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    retryCount: 0,
    requestTimeoutMs,
  });
  const ask = (method: 'GET' | 'POST' | 'PATCH', path: string, signal = never) =>
    http
      .once({ method, path, purpose: 'ask', code: 'PRA-CLOUD-01', signal, ...(method === 'GET' ? {} : { body: {} }) })
      .catch(() => undefined);
  return { seen, ask, end };
}

it('tells each request by its purpose and the class of its status', async () => {
  const { seen, ask } = await watched((_, response) => void response.writeHead(403).end('{}'));
  const requests = [
    ['POST', '/api/oauth/token', 'token-exchange'],
    ['GET', '/api/deployments/poll', 'poll'],
    ['GET', '/api/background-activities/token', 'greeting'],
    ['POST', '/api/agent-workflows/deployment', 'acknowledgement'],
    ['GET', '/api/workflow/jobs/j-1', 'job-definition'],
    ['PATCH', '/api/workflow/jobs/j-1/0/status', 'step-status'],
    ['POST', '/api/workflow/jobs/j-1/12/logs', 'log-lines'],
    ['GET', '/api/deployments/d-1/status', 'deployment-status'],
    ['GET', '/below/api/deployments/poll', 'poll'],
    ['GET', '/api/else', 'other'],
  ] as const;
  for (const [method, path] of requests) await ask(method, path);
  expect(seen).toEqual(
    requests.map(([method, path, purpose]) => ({
      purpose,
      result: '4xx',
      seconds: expect.any(Number),
      text: expect.stringMatching(`^${method} ${path}: 403 in \\d+ ms$`),
    })),
  );
});

it('leaves heartbeats out: another thread sends them', async () => {
  const { seen, ask } = await watched((_, response) => void response.writeHead(204).end());
  await ask('POST', '/api/workflow/jobs/j-1/heartbeat');
  expect(seen).toEqual([]);
});

it.each<[string, RequestListener]>([
  ['a cut connection', (request) => void request.socket.destroy()],
  ['silence', () => undefined],
  [
    'half an answer',
    (_, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('half', () => response.destroy());
    },
  ],
])('tells %s as no answer, once', async (what, listener) => {
  const { seen, ask } = await watched(listener, what === 'silence' ? 500 : 10_000);
  await ask('GET', '/api/deployments/poll');
  await expect.poll(() => seen.length, { timeout: 5_000 }).toBe(1);
  expect(seen[0]).toMatchObject({ purpose: 'poll', result: 'no-answer' });
  expect(seen[0]!.text).toMatch(/^GET \/api\/deployments\/poll: no answer in \d+ ms$/);
});

it('tells no query, and nothing once it is ended', async () => {
  const { seen, ask, end } = await watched((_, response) => void response.writeHead(200).end('{}'));
  await ask('GET', '/api/else?token=hidden');
  expect(seen[0]!.text).toMatch(/^GET \/api\/else: 200/);
  end();
  await ask('GET', '/api/else');
  expect(seen).toHaveLength(1);
});
