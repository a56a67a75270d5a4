import { setTimeout as sleep } from 'node:timers/promises';
import { ContainerError } from '../executor.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError, refusedWith, textOf } from './errors.ts';

/** Milliseconds between two looks at a container that the engine is removing. */
const POLL_MS = 50;
const RETRY_MS = 500;

/**
 * Ends and removes a container with its anonymous volumes, and waits until it is gone. True when it was there. A container that
 * is gone or on its way out is fine. Throws ContainerError when it is still there after `ms` milliseconds.
 */
export async function removeContainer(
  engine: Engine,
  container: string,
  { ms, signal }: { ms: number; signal: AbortSignal },
): Promise<boolean> {
  const end = performance.now() + ms;
  const left = () => Math.max(1, end - performance.now());
  let failure: unknown;
  for (let pause = 0; pause < left() || failure === undefined; pause = RETRY_MS) {
    if (pause > 0) await sleep(pause, undefined, { signal });
    try {
      await engine.call(
        (docker, abortSignal) => docker.getContainer(container).remove({ force: true, v: true, abortSignal }),
        { signal, ms: left() },
      );
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (refusedWith(error, 404)) return false;
      failure = error;
      // 409: the engine is removing it already, because its main process ended (AutoRemove) or because somebody else asked.
      if (refusedWith(error, 409) && (await isGoneWithin(engine, container, left(), signal))) return true;
      // An engine that is away may come back; anything that it answers with a reason won't change for being asked again at once.
      if (error instanceof EngineRefusedError && error.status < 500 && error.status !== 409) break;
    }
  }
  throw new ContainerError(
    `Failed to remove container ${container} for the job: ${textOf(failure)}. Remove it by hand: docker rm -f ${container}.`,
    { cause: failure },
  );
}

async function isGoneWithin(engine: Engine, container: string, ms: number, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    try {
      await engine.call((docker, abortSignal) => docker.getContainer(container).inspect({ abortSignal }), { signal });
    } catch (error) {
      if (refusedWith(error, 404)) return true;
      signal.throwIfAborted();
    }
    await sleep(POLL_MS, undefined, { signal });
  }
  return false;
}
