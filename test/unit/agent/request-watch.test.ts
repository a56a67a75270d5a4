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

it.each([
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
] as const)('tells %s %s as %s', async (method, path, purpose) => {
  const { seen, ask } = await watched((_, response) => void response.writeHead(200).end('{}'));
  await ask(method, path);
  expect(seen).toEqual([
    {
      purpose,
      result: '2xx',
      seconds: expect.any(Number),
      text: expect.stringMatching(`^${method} ${path}: 200 in \\d+ ms$`),
    },
  ]);
  expect(seen[0]!.seconds).toBeGreaterThan(0);
});

it('leaves heartbeats out: another thread sends them', async () => {
  const { seen, ask } = await watched((_, response) => void response.writeHead(204).end());
  await ask('POST', '/api/workflow/jobs/j-1/heartbeat');
  expect(seen).toEqual([]);
});

it.each([
  ['a refusal', 403, '4xx'],
  ['an outage', 503, '5xx'],
  ['nothing new', 204, '2xx'],
] as const)('tells %s by the class of its status', async (_, status, result) => {
  const { seen, ask } = await watched((_request, response) => void response.writeHead(status).end());
  await ask('GET', '/api/deployments/poll');
  expect(seen.map((request) => request.result)).toEqual([result]);
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
