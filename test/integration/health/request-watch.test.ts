import { expect, it } from 'vitest';
import { requestWatch } from '../../../src/agent/health/request-watch.ts';
import { cloudHttp, never } from '../../support/cloud/cloud-http.ts';
import { type Reply, ScriptedServer } from '../../support/cloud/scripted-server.ts';

/** Makes calls to a server, and collects what is counted and logged. */
async function watched(reply: Reply, requestTimeoutMs = 10_000) {
  const { url } = await ScriptedServer.start(() => reply);
  const [counted, log]: [string[], string[]] = [[], []];
  const request = (purpose: string, result: string) => counted.push(`${purpose} ${result}`);
  const onRequest = requestWatch({ request }, (level, message) => log.push(`${level}: ${message}`));
  const http = cloudHttp(url, { retryCount: 0, requestTimeoutMs, onRequest });
  const ask = (method: 'GET' | 'POST' | 'PATCH', path: string) => {
    const body = method === 'GET' ? {} : { body: {} };
    const call = { method, path, purpose: 'ask', code: 'PRA-CLOUD-01', signal: never, ...body } as const;
    return http.once(call).catch(() => undefined);
  };
  return { counted, log, ask };
}

it('each request is counted by its purpose and the class of its status, and logged without its query', async () => {
  const { counted, log, ask } = await watched({ status: 403 });
  const requests = [
    ['POST', '/api/oauth/token', 'token-exchange'],
    ['GET', '/api/deployments/poll', 'poll'],
    ['GET', '/api/background-activities/token', 'announcement'],
    ['POST', '/api/agent-workflows/deployment', 'acknowledgement'],
    ['GET', '/api/workflow/jobs/j-1', 'job-definition'],
    ['PATCH', '/api/workflow/jobs/j-1/0/status', 'step-status'],
    ['POST', '/api/workflow/jobs/j-1/12/logs', 'log-lines'],
    ['GET', '/api/deployments/d-1/status', 'deployment-status'],
    ['GET', '/below/api/deployments/poll', 'poll'],
    ['GET', '/api/else', 'other'],
  ] as const;
  for (const [method, path] of requests) await ask(method, `${path}?token=hidden`);
  // Heartbeats have their own counter.
  await ask('POST', '/api/workflow/jobs/j-1/heartbeat');
  expect(counted).toEqual(requests.map(([, , purpose]) => `${purpose} 4xx`));
  expect(log).toEqual(
    requests.map(([method, path]) => expect.stringMatching(`^debug: ${method} ${path}: 403 in \\d+ ms$`)),
  );
});

it.each<[string, Reply]>([
  ['silence', 'hang'],
  ['half an answer', (response) => response.writeHead(200, { 'content-length': '100' }).write('half')],
])('%s is counted once, as no answer', async (_, reply) => {
  const { counted, log, ask } = await watched(reply, 500);
  await ask('GET', '/api/deployments/poll');
  expect(counted).toEqual(['poll no-answer']);
  expect(log).toEqual([expect.stringMatching(/^debug: GET \/api\/deployments\/poll: no answer in \d+ ms$/)]);
});
