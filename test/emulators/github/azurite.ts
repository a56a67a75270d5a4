import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

/** A running blob store with Azurite's well-known development account. */
export interface BlobStore {
  /** Such as `http://127.0.0.1:12345/devstoreaccount1`. */
  readonly url: string;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 30_000;

/** Starts Azurite's blob service on loopback with everything in memory. @throws when it does not listen within 30 s */
export async function startBlobStore(): Promise<BlobStore> {
  const main = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
  const options = ['--blobHost', '127.0.0.1', '--blobPort', '0', '--inMemoryPersistence'];
  const quiet = ['--silent', '--skipApiVersionCheck', '--disableTelemetry'];
  // It would outlive a test process that crashes; the end of its stdin tells it of that.
  const leash = 'data:text/javascript,process.stdin.resume().on("end",()=>process.exit(0))';
  const child = spawn(process.execPath, ['--import', leash, main, ...options, ...quiet], {
    env: { HOME: '/nonexistent' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  const exited = once(child, 'close');
  const late = setTimeout(() => child.kill('SIGKILL'), START_DEADLINE_MS);
  let port: string | undefined;
  for await (const line of createInterface({ input: child.stdout })) {
    port = /successfully listens on http:\/\/127\.0\.0\.1:(\d+)/u.exec(line)?.[1];
    if (port !== undefined) break;
  }
  clearTimeout(late);
  child.stdout.resume();
  if (port === undefined) throw new Error('Failed to start Azurite on loopback: it ended before it listened.');
  return {
    url: `http://127.0.0.1:${port}/devstoreaccount1`,
    stop: async () => {
      // It keeps everything in memory, so there is nothing to save; an end of its own takes it 5 s.
      child.kill('SIGKILL');
      await exited;
    },
  };
}
