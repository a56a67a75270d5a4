import { expect, it, onTestFinished } from 'vitest';
import { IdTokenEndpoint } from '../../emulators/github/id-tokens.ts';
import { startIssuer } from '../../emulators/github/issuer.ts';
import { completeIdentity } from '../../emulators/github/job-environment.ts';

function ask(url: string, token: string, init: RequestInit = {}): Promise<Response> {
  return fetch(url, {
    ...init,
    headers: { authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(5_000),
  });
}

it('the ID-token endpoint refuses and records what @actions/core would not send', async () => {
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const endpoint = await IdTokenEndpoint.start(issuer);
  onTestFinished(() => endpoint.close());
  const { url, token } = endpoint.register(completeIdentity({ repository: 'acme/infra' }));
  for (const [rule, status, send] of [
    ['id-token-authorization', 401, () => ask(url, 'someone else')],
    ['id-token-authorization', 401, () => fetch(url, { headers: { authorization: token } })],
    ['id-token-authorization', 401, () => ask(url.replace(/idtoken\/[^?]+/u, 'idtoken/x'), token)],
    ['id-token-method', 405, () => ask(url, token, { method: 'POST' })],
    ['id-token-query', 400, () => ask(url.replace(/\?.*/u, '?audience=a'), token)],
    ['id-token-query', 400, () => ask(`${url}?audience=a`, token)],
    ['id-token-query', 400, () => ask(`${url}&audience=a&audience=b`, token)],
    ['id-token-query', 400, () => ask(`${url}&scope=a`, token)],
  ] as const) {
    const response = await send();
    expect({ status: response.status, rule: endpoint.violations.at(-1)?.rule }).toEqual({ status, rule });
    expect(await response.text()).not.toContain('eyJ');
  }
  expect(endpoint.violations).toHaveLength(8);
});
