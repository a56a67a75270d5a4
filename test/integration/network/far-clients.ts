import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { allowSlowHandshakes } from '../../../src/base/network/handshakes.ts';

// Asks the server at a URL, which a kubeconfig names too, with one of the product's clients: with the time that it gives a
// handshake, then with Node's. Prints whether each was answered.
const [url = '', kubeconfig = '', client = ''] = process.argv.slice(2);
const LATE_MS = 8_000;

type Ask = (signal: AbortSignal) => Promise<unknown>;

/** One client alone is loaded, as this takes most of the time. */
const clients: Readonly<Record<string, () => Promise<Ask>>> = {
  undici: async () => {
    const { findRoute, openRoute } = await import('../../../src/base/network/route.ts');
    const route = findRoute({ serviceUrl: url, connectTimeoutMs: LATE_MS, environment: {} });
    return async (signal) => {
      const { body } = await openRoute(route).request({ origin: url, path: '/', method: 'GET', signal });
      await body.dump();
    };
  },
  kubernetes: async () => {
    const { Cluster } = await import('../../../src/executor/kubernetes/cluster.ts');
    const cluster = new Cluster({ kubeconfig });
    await cluster.config();
    return (signal) => cluster.call({ verb: 'list', resource: 'pods', signal });
  },
  // The client of GitHub's packages, of which the artifact's is one.
  artifact: async () => {
    const { HttpClient } = await import('@actions/http-client');
    return () => new HttpClient('test').get(url);
  },
};

const asking = await clients[client]?.();

async function ask(): Promise<string> {
  const signal = AbortSignal.timeout(LATE_MS);
  const late = new Promise((_, reject) =>
    signal.addEventListener('abort', () => reject(signal.reason), { once: true }),
  );
  return await Promise.race([asking?.(signal), late]).then(
    () => 'answered',
    () => 'not answered',
  );
}

const nodes = getDefaultAutoSelectFamilyAttemptTimeout();
allowSlowHandshakes();
const patient = await ask();
setDefaultAutoSelectFamilyAttemptTimeout(nodes);
const plain = await ask();
process.stdout.write(`${client}: ${patient}, ${plain}\n`, () => process.exit());
