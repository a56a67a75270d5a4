import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import {
  BlobSASPermissions,
  BlobServiceClient,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';

/** A running blob store: the blobs behind the artifact service, and the signed URLs to which a job uploads them. */
export interface BlobStore {
  /** A URL for uploading the blob, valid for one hour. */
  signedUrl(blob: string): Promise<string>;
  /** The blob's bytes; undefined if nothing was committed. */
  read(blob: string): Promise<Buffer | undefined>;
  stop(): Promise<void>;
}

const START_DEADLINE_MS = 30_000;
const URL_LIFETIME_MS = 3_600_000;
// The development account of every Azurite; published by Microsoft, not a secret.
const ACCOUNT = 'devstoreaccount1';
const KEY = 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==';

/** Starts Azurite's blob service on loopback with everything in memory. @throws if it does not listen within 30 s */
export async function startBlobStore(): Promise<BlobStore> {
  const main = createRequire(import.meta.url).resolve('azurite/dist/src/blob/main.js');
  const options = ['--blobHost', '127.0.0.1', '--blobPort', '0', '--inMemoryPersistence'];
  const quiet = ['--silent', '--skipApiVersionCheck', '--disableTelemetry'];
  // It would outlive a test process that crashes, so it exits when its stdin ends.
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
  if (port === undefined)
    throw new Error('Failed to start Azurite on loopback: it ended before it listened.');
  // The store may close a kept-alive connection just as it is reused.
  const client = { keepAliveOptions: { enable: false }, retryOptions: { maxTries: 1 } };
  const url = `http://127.0.0.1:${port}/${ACCOUNT}`;
  const service = new BlobServiceClient(url, new StorageSharedKeyCredential(ACCOUNT, KEY), client);
  const container = service.getContainerClient('actions-results');
  await container.create();
  return {
    signedUrl: (blob) =>
      container.getBlockBlobClient(blob).generateSasUrl({
        permissions: BlobSASPermissions.parse('cw'),
        expiresOn: new Date(Date.now() + URL_LIFETIME_MS),
        protocol: SASProtocol.HttpsAndHttp,
      }),
    read: async (blob) => {
      const stored = container.getBlockBlobClient(blob);
      return (await stored.exists()) ? stored.downloadToBuffer() : undefined;
    },
    stop: async () => {
      // Everything is in memory, so there is nothing to save; a graceful end takes 5 s.
      child.kill('SIGKILL');
      await exited;
    },
  };
}
