import { setTimeout as delay } from 'node:timers/promises';

/** Polls until there is a result. @throws Error if there is none within `ms` milliseconds */
export async function soon<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
  { ms = 60_000, everyMs = 20 } = {},
): Promise<T> {
  for (const deadline = performance.now() + ms; performance.now() < deadline; await delay(everyMs)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  throw new Error(`Failed to see ${what} within ${ms} ms.`);
}

/** Takes samples at intervals until `over` settles. */
export async function samplesUntil<T>(
  over: Promise<unknown>,
  everyMs: number,
  take: () => T | Promise<T>,
): Promise<T[]> {
  const samples: T[] = [];
  let isOver = false;
  const settled = over.finally(() => {
    isOver = true;
  });
  settled.catch(() => undefined);
  while (!isOver) {
    samples.push(await take());
    await delay(everyMs);
  }
  await settled;
  return samples;
}
