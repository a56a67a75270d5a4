import { setTimeout as sleep } from 'node:timers/promises';
import { DeadlineError } from '../deadline.ts';
import { ImageError } from '../executor.ts';
import { oneLine } from '../one-line.ts';
import { parseReference } from '../reference.ts';
import type { RegistryLogin } from './credential-helper.ts';
import type { Engine } from './engine.ts';
import { EngineRefusedError, translate } from './errors.ts';
import { jsonLines } from './json-lines.ts';
import { mayPass, type PullSubject, pullAdvice } from './pull-advice.ts';
import { PullProgress, readFrame } from './pull-progress.ts';

export interface PullOptions {
  readonly image: string;
  readonly credentials?: { readonly username: string; readonly password: string };
  readonly platform?: string;
  /** Milliseconds without a frame after which a pull is given up: a stalled download would hang for ever. */
  readonly idleMs: number;
  /** Milliseconds before the first further try; it doubles from try to try. */
  readonly retryMs: number;
  /** The host's own login for a registry; asked when the job brings no credentials. */
  readonly hostLogin: (registry: string, signal: AbortSignal) => Promise<RegistryLogin | undefined>;
}

/** A registry that limits or is being restarted gets this many tries; what the engine has of the layers stays from try to try. */
const TRIES = 4;

/**
 * Pulls an image; each line worth reading goes to `progress`, which is awaited. A pull that fails fails the job even where the
 * engine has an image of that name, as `docker run --pull always` does: an old image would run unnoticed. What may pass (limits,
 * 5xx, the network) is tried again. Throws ImageError with the registry's reason, ExecutorUnavailableError when the engine went
 * away, the signal's reason when it aborted.
 */
export async function pullImage(
  engine: Engine,
  options: PullOptions,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { registry } = parseReference(options.image);
  const hosts = options.credentials === undefined ? await options.hostLogin(registry, signal) : undefined;
  if (hosts !== undefined) await progress(`Signing in to ${registry} with the runner's Docker configuration.`);
  const login = options.credentials ?? hosts;
  for (let tries = 1, wait = options.retryMs; ; tries += 1, wait *= 2) {
    try {
      return await pullOnce(engine, options, login, progress, signal);
    } catch (error) {
      if (!(error instanceof EngineRefusedError)) throw error;
      if (tries === TRIES || !mayPass(error.message)) {
        const by = options.credentials !== undefined ? 'job' : hosts !== undefined ? 'runner' : undefined;
        throw await refusedError(engine, { ...options, ...(by === undefined ? {} : { by }) }, error);
      }
      await progress(`The pull failed: ${error.message}. Trying again in ${wait / 1000} s.`);
    }
    await sleep(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Throws EngineRefusedError for what the registry or the engine refuses. */
async function pullOnce(
  engine: Engine,
  options: PullOptions,
  login: RegistryLogin | undefined,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const docker = await engine.docker();
  const endpoint = await engine.endpoint();
  signal.throwIfAborted();
  const reference = parseReference(options.image);
  const connection = new AbortController();
  const onAbort = () => connection.abort(signal.reason);
  const idle = new IdleTimer(options.idleMs, () => connection.abort(new DeadlineError(options.idleMs)));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    idle.start();
    const stream = await docker.createImage(authOf(login, reference.registry), {
      fromImage: reference.pullable,
      ...(options.platform === undefined ? {} : { platform: options.platform }),
      abortSignal: connection.signal,
    });
    const lines = new PullProgress(() => performance.now());
    for await (const value of jsonLines(stream as AsyncIterable<Buffer>)) {
      // A reader who takes his time with a line is no stalled pull.
      idle.stop();
      const frame = readFrame(value);
      // A failure half-way comes as a frame of an answer whose status was 200 long before.
      if (frame.error !== undefined) throw new EngineRefusedError(200, oneLine(frame.error));
      const line = lines.line(frame);
      if (line !== undefined) await progress(oneLine(line));
      idle.start();
    }
  } catch (error) {
    signal.throwIfAborted();
    const stalled = connection.signal.reason instanceof DeadlineError ? connection.signal.reason : undefined;
    if (stalled !== undefined) throw stalledError(options, stalled);
    throw translate(error, endpoint);
  } finally {
    idle.stop();
    signal.removeEventListener('abort', onAbort);
    // Also ends the engine's side of a pull that is left half-way.
    connection.abort();
  }
}

/** docker-modem makes the header of it: JSON as padded base64url. */
function authOf(login: RegistryLogin | undefined, registry: string) {
  if (login === undefined) return undefined;
  const serveraddress = registry === 'docker.io' ? 'https://index.docker.io/v1/' : registry;
  return { ...login, serveraddress };
}

function stalledError({ image, idleMs }: PullOptions, cause: Error): ImageError {
  return new ImageError(
    `Failed to pull the image for the job: ${image} made no progress for ${idleMs / 1000} s. Check the network between the engine and the registry, or set pull_image: false to use an image that is there already.`,
    { cause },
  );
}

async function refusedError(engine: Engine, options: PullSubject, cause: EngineRefusedError): Promise<ImageError> {
  const advice = pullAdvice(cause.message, options);
  const present = await isPresent(engine, options.image);
  const local = present ? ' The engine has an image of that name: pull_image: false uses it.' : '';
  const message = `Failed to pull the image for the job: ${options.image}: ${cause.message}. ${advice}${local}`;
  return new ImageError(message, { cause });
}

async function isPresent(engine: Engine, image: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(2_000);
    await engine.call((docker) => docker.getImage(image).inspect(), { signal });
    return true;
  } catch {
    // Only a hint hangs on it: the pull's own error is told either way.
    return false;
  }
}

class IdleTimer {
  readonly #ms: number;
  readonly #onIdle: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onIdle: () => void) {
    this.#ms = ms;
    this.#onIdle = onIdle;
  }

  start(): void {
    this.stop();
    this.#timer = setTimeout(this.#onIdle, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
