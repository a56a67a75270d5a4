import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The audience of every ID token of Azure Pipelines. */
export const AZURE_AUDIENCE = 'api://AzureADTokenExchange';

const ACCESS_TOKEN = 'system-access-token-canary';
const PATH = '/acme/0f1e/_apis/distributedtask/hubs/build/plans/1a2b/jobs/3c4d/oidctoken';

/** What the service answers instead of a token: a status, or a broken connection. */
export type Trouble = number | 'reset' | 'page';

export interface AzureIdTokens {
  /** The variables of a step that maps its access token. */
  readonly environment: Record<string, string>;
  /** The requests that no well-behaved client makes. */
  readonly violations: string[];
  /** Answers the next requests so. */
  fail(...troubles: readonly Trouble[]): void;
  readonly requests: () => number;
  stop(): Promise<void>;
}

/**
 * Azure DevOps' REST call "Oidctoken - Create" of version 7.1, over plain HTTP. `query` is what the
 * address of a job already has.
 */
export async function startAzureIdTokens(sign: () => Promise<string>, query = ''): Promise<AzureIdTokens> {
  const violations: string[] = [];
  const troubles: Trouble[] = [];
  let requests = 0;

  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    request.once('end', () => void answer());

    async function answer() {
      const url = new URL(request.url ?? '', 'http://azure');
      const expected = new URLSearchParams(query);
      expected.set('api-version', '7.1');
      const { authorization, 'content-type': type, 'content-length': length } = request.headers;
      if (request.method !== 'POST' || url.pathname !== PATH)
        violations.push(`${request.method} ${url.pathname}`);
      if (url.searchParams.toString() !== expected.toString()) violations.push(`the query ${url.search}`);
      if (authorization !== `Bearer ${ACCESS_TOKEN}`) violations.push('another authorization');
      if (request.headers['x-tfs-fedauthredirect'] !== 'Suppress') violations.push('redirects to a page');
      if (type !== 'application/json' || length !== '0') violations.push(`a body: ${type}, ${length} bytes`);

      const trouble = troubles.shift();
      if (trouble === 'reset') response.destroy();
      else if (trouble === 'page') response.end('<html>Sign in</html>');
      else if (trouble !== undefined) response.writeHead(trouble).end('{"message":"no"}');
      else
        response
          .setHeader('content-type', 'application/json')
          .end(JSON.stringify({ oidcToken: await sign() }));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const tail = query === '' ? '' : `?${query}`;

  return {
    environment: {
      SYSTEM_OIDCREQUESTURI: `http://127.0.0.1:${port}${PATH}${tail}`,
      SYSTEM_ACCESSTOKEN: ACCESS_TOKEN,
    },
    violations,
    fail: (...next) => void troubles.push(...next),
    requests: () => requests,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
