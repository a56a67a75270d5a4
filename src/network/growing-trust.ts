import type { SecureContext } from 'node:tls';
import { buildConnector } from 'undici';
import { isUntrusted } from './failure.ts';

/**
 * Connects with what Node.js trusts; once that isn't enough for a server, with what `more` gives, which holds it too, from then
 * on. Most services never need more, and it takes 40 ms that an agent's start would wait for.
 */
export function growingTrust(timeoutMs: number, more: () => Promise<SecureContext>): buildConnector.connector {
  const options = { timeout: timeoutMs, allowH2: false };
  const first = buildConnector(options);
  let connect = first;
  let grown: Promise<buildConnector.connector> | undefined;
  const grow = async () => {
    connect = buildConnector({ ...options, secureContext: await more() });
    return connect;
  };
  return (place, callback) => {
    const tried = connect;
    tried(place, (...[error, socket]) => {
      if (error === null) callback(null, socket);
      else if (tried !== first || !isUntrusted(error)) callback(error, null);
      else {
        grown ??= grow();
        grown.then(
          (again) => again(place, callback),
          (cause: unknown) => callback(cause instanceof Error ? cause : error, null),
        );
      }
    });
  };
}
