import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** A running blob store with Azurite's well-known development account. */
export interface BlobStore {
  /** Such as `http://127.0.0.1:12345/devstoreaccount1`. */
  readonly url: string;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 30_000;

/** Starts Azurite's blob service on loopback with everything in memory. @throws when it does not listen within 30 s; the sentence holds what it printed */
export async function startBlobStore(): Promise<BlobStore> {
  const main = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
  const options = ['--blobHost', '127.0.0.1', '--blobPort', '0', '--inMemoryPersistence'];
  const quiet = ['--silent', '--skipApiVersionCheck', '--disableTelemetry'];
  // It would outlive a test process that crashes; the end of its stdin tells it of that.
  const leash = 'data:text/javascript,process.stdin.resume().on("end",()=>process.exit(0))';
  const child = spawn(process.execPath, ['--import', leash, main, ...options, ...quiet], {
    env: { HOME: '/nonexistent' },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const printed: string[] = [];
  const listening = Promise.withResolvers<number>();
  child.once('error', listening.reject);
  child.stdin.on('error', () => {});
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      printed.push(line);
      const port = /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/u.exec(line)?.[1];
      if (port !== undefined) listening.resolve(Number(port));
    });
  }
  const timer = new AbortController();
  const failed = (why: string) => () => {
    throw new Error(`Failed to start Azurite on loopback: ${why}. It printed: ${printed.slice(-5).join(' | ')}`);
  };
  const late = delay(START_DEADLINE_MS, undefined, { signal: timer.signal });
  try {
    const port = await Promise.race([
      listening.promise,
      exited.then(failed('it ended')),
      late.then(failed(`it did not listen within ${START_DEADLINE_MS} ms`)),
    ]);
    return { url: `http://127.0.0.1:${port}/devstoreaccount1`, stop: () => stop() };
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  } finally {
    timer.abort();
    late.catch(() => {});
  }

  async function stop(): Promise<void> {
    // It keeps everything in memory, so there is nothing to save; an end of its own takes it 5 s.
    child.kill('SIGKILL');
    await exited;
  }
}
