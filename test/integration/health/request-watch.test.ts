import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { requestWatch } from '../../../src/agent/health/request-watch.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';

/** Calls to a server, and what is counted and logged of them. */
async function watched(listener: RequestListener, requestTimeoutMs = 10_000) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const [counted, log]: [string[], string[]] = [[], []];
  const request = (purpose: string, result: string) => counted.push(`${purpose} ${result}`);
  const http = cloudHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    retryCount: 0,
    requestTimeoutMs,
    onRequest: requestWatch({ request }, (level, message) => log.push(`${level}: ${message}`)),
  });
  const ask = (method: 'GET' | 'POST' | 'PATCH', path: string) =>
    http
      .once({
        method,
        path,
        purpose: 'ask',
        code: 'PRA-CLOUD-01',
        signal: never,
        ...(method !== 'GET' && { body: {} }),
      })
      .catch(() => undefined);
  return { counted, log, ask };
}

it('tells each request by its purpose and the class of its status, and none of its query', async () => {
  const { counted, log, ask } = await watched((_, response) => void response.writeHead(403).end('{}'));
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
  for (const [method, path] of requests) await ask(method, `${path}?token=hidden`);
  expect(counted).toEqual(requests.map(([, , purpose]) => `${purpose} 4xx`));
  expect(log).toEqual(
    requests.map(([method, path]) => expect.stringMatching(`^debug: ${method} ${path}: 403 in \\d+ ms$`)),
  );
});

it('leaves heartbeats out, which have a counter of their own', async () => {
  const { counted, ask } = await watched((_, response) => void response.writeHead(204).end());
  await ask('POST', '/api/workflow/jobs/j-1/heartbeat');
  expect(counted).toEqual([]);
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
  const { counted, log, ask } = await watched(listener, what === 'silence' ? 500 : 10_000);
  await ask('GET', '/api/deployments/poll');
  expect(counted).toEqual(['poll no-answer']);
  expect(log).toEqual([expect.stringMatching(/^debug: GET \/api\/deployments\/poll: no answer in \d+ ms$/)]);
});
