import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below those of which Linux gives one to whoever asks for any: nobody gets it by chance before it is used. */
const [LEAST, LIMIT] = [10_000, 30_000];

/** A TCP port that nobody listens on at any address, for a program that can't tell which free one it took. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(LEAST, LIMIT);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
