import type { Readable } from 'node:stream';
import { systemClock } from '../../../base/clock.ts';
import { DeadlineError } from '../../../base/deadline.ts';
import { defined } from '../../../base/defined.ts';
import type { Fault } from '../../../base/outcome.ts';
import { retry } from '../../../base/retry.ts';
import { ImageError, type ImageSpec } from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import { digestOf, isReference, loginAddress, parseReference } from '../../image-reference.ts';
import { pullRemedy } from '../../pull-advice.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { EngineRefusedError, translate } from '../engine/errors.ts';
import { jsonLines } from '../engine/streams.ts';
import { lineOf, PullProgress, readFrame } from './pull-progress.ts';
import type { RegistryLogin } from './registry-login.ts';

export interface LocalImage {
  readonly id: string;
  /** `name@sha256:…`, or the ID. */
  readonly digest: string;
  /** `os/architecture`. */
  readonly platform: string;
}

export interface PullSettings {
  /** Without progress, until a download is abandoned: a stalled one would hang forever. */
  readonly pullIdleMs: number;

  /** Before the first retry; doubled each time. */
  readonly pullRetryMs: number;
  /** The host's own login for a registry; used if the job has no credentials. */
  readonly hostLogin: (registry: string, signal: AbortSignal) => Promise<RegistryLogin | undefined>;
}

/** Unpacking a layer can show nothing for minutes on a slow disk. */
const UNPACK_MS = 30 * 60_000;

/** The image that a job runs in, pulled if requested. Throws ImageError. */
export async function obtainImage(
  engine: DockerEngine,
  settings: PullSettings,
  spec: ImageSpec,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<LocalImage> {
  const { pull, policy } = spec;

  // It becomes part of a URL of the engine's API.
  if (!isReference(spec.image))
    throw new ImageError(
      `Failed to read the image's name for the job: "${oneLine(spec.image)}" is not a valid image name. Correct it in the deployment settings.`,
      { code: 'PRA-IMAGE-02' },
    );

  const image = policy?.(spec.image) ?? spec.image;
  if (pull) {
    await progress(`Pulling image ${spec.image}.`);
    await pullImage(engine, settings, { ...spec, image }, progress, signal);
  }

  try {
    const inspected = await engine.call((docker) => docker.getImage(image).inspect(), { signal });
    const { Id: id, RepoDigests: repoDigests, Os: os, Architecture: architecture } = inspected;
    const digest = digestOf(image, { id, repoDigests: repoDigests ?? [] });
    return { id, digest, platform: `${os}/${architecture}` };
  } catch (error) {
    if (!(error instanceof EngineRefusedError)) throw error;
    const cause = error.status === 404 ? 'the engine does not have it' : error.message;
    const advice = pull
      ? 'It was removed after the pull: try again.'
      : 'Pull it on the host first, or set pull_image: true.';
    const message = `Failed to find the image for the job: ${image}: ${cause}. ${advice}`;
    const fault = error.status === 404 ? 'deployment' : 'executor';
    // Removed after the pull, it can be pulled again.
    const mayPass = pull && error.status === 404;
    throw new ImageError(message, { code: 'PRA-IMAGE-04', cause: error, fault, mayPass });
  }
}

/**
 * Attempts for a registry that limits requests or is restarting; the engine keeps the layers it has
 * between them.
 */
const TRIES = 4;

/**
 * Pulls an image; lines worth reading go to `progress`. A failure counts even if the engine has an
 * image of that name, which can be old. Throws ImageError, ExecutorUnavailableError, and the
 * signal's reason.
 */
async function pullImage(
  engine: DockerEngine,
  settings: PullSettings,
  spec: ImageSpec,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { image, credentials, platform } = spec;
  const { registry } = parseReference(image);
  const login = credentials ?? (await settings.hostLogin(registry, signal));
  const by = login && (login === credentials ? ('job' as const) : ('runner' as const));

  if (by === 'runner') await progress(`Signing in to ${registry} with the runner's Docker configuration.`);

  const pauseMs = async (error: unknown, failures: number) => {
    if (!(error instanceof EngineRefusedError)) return undefined;

    const { passes, advice, fault } = pullRemedy(error, { image, by, platform });
    if (failures === TRIES || !passes) {
      const local = await localAdvice(engine, image);
      throw failure(`${image}: ${error.message}. ${advice}${local}`, error, fault);
    }

    const wait = settings.pullRetryMs * 2 ** (failures - 1);
    await progress(`The pull failed: ${error.message}. Trying again in ${wait / 1000} s.`);
    return wait;
  };

  const pull = () => pullOnce(engine, settings.pullIdleMs, spec, login, progress, signal);
  await retry(pull, pauseMs, { clock: systemClock, signal });
}

/** A sentence for an image that can't be pulled, if the engine has one of that name. */
async function localAdvice(engine: DockerEngine, image: string): Promise<string> {
  const signal = AbortSignal.timeout(2_000);
  return await engine
    .call((docker) => docker.getImage(image).inspect(), { signal })
    .then(
      () => ' The engine has an image of that name: pull_image: false uses it.',
      () => '',
    );
}

/** Throws EngineRefusedError if the registry or the engine refuses. */
async function pullOnce(
  engine: DockerEngine,
  idleMs: number,
  { image, platform }: ImageSpec,
  login: RegistryLogin | undefined,
  progress: (line: string) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();

  const reference = parseReference(image);
  const idle = new AbortController();
  const pull = new PullProgress();
  const arm = () => {
    const ms = pull.isUnpacking ? UNPACK_MS : idleMs;
    return setTimeout(() => idle.abort(new DeadlineError(ms)), ms);
  };
  let timer = arm();

  try {
    const abortSignal = AbortSignal.any([signal, idle.signal]);
    const credentials = login && { ...login, serveraddress: loginAddress(reference) };
    const query = { fromImage: reference.pullable, ...defined({ platform }), abortSignal };
    const stream = await engine.negotiated((docker) => docker.createImage(credentials, query), abortSignal);

    for await (const value of jsonLines(stream as Readable)) {
      const frame = readFrame(value);
      if (pull.advances(frame)) {
        clearTimeout(timer);
        timer = arm();
      }
      // A later failure comes as a frame, since the answer already had status 200.
      if (frame.error !== undefined) throw new EngineRefusedError(200, oneLine(frame.error));
      const line = lineOf(frame);
      if (line !== undefined) await progress(oneLine(line));
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!idle.signal.aborted) throw translate(error, engine.endpoint);
    throw stalled(image, pull.isUnpacking, idleMs, idle.signal.reason);
  } finally {
    clearTimeout(timer);
    // Also ends the engine's side of an abandoned pull.
    idle.abort();
  }
}

/** The error for a pull that no longer advances. */
function stalled(image: string, isUnpacking: boolean, idleMs: number, cause: unknown): ImageError {
  if (isUnpacking) {
    const advice = 'Check the disk of the engine, and its log.';
    return failure(
      `${image} was not unpacked within ${UNPACK_MS / 60_000} minutes. ${advice}`,
      cause,
      'elsewhere',
    );
  }
  const advice =
    'Check the network between the engine and the registry, or set pull_image: false to use an image that is there already.';
  return failure(`${image} made no progress for ${idleMs / 1000} s. ${advice}`, cause, 'elsewhere');
}

function failure(reason: string, cause: unknown, fault: Fault): ImageError {
  const message = `Failed to pull the image for the job: ${reason}`;
  return new ImageError(message, { code: 'PRA-IMAGE-03', cause, fault });
}
