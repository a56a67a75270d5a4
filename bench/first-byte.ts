import { statSync, watch } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

const TIMEOUT_MS = 60_000;

/** Resolves with `performance.now()` once a file in the folder whose name matches has content. */
export async function firstByte(folder: string, name: RegExp): Promise<number> {
  await mkdir(folder, { recursive: true });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const timer = setTimeout(() => reject(new Error(`nothing was written into ${folder}`)), TIMEOUT_MS);
  const watcher = watch(folder, (_, file) => {
    if (file !== null && name.test(file) && statSync(join(folder, file)).size > 0) resolve(performance.now());
  });
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    watcher.close();
  }
}
