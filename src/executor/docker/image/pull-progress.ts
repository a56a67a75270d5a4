import { z } from 'zod';

/** Layer states in which bytes are due from the registry. */
const DOWNLOADING = /^(Pulling fs layer|Waiting|Downloading|Retrying )/;

/** The state of an image's tag or digest, which stands where a layer's ID does. */
const BEGINNING = /^Pulling from /;

/** Layer states that repeat dozens of times or mean nothing to a reader. */
const QUIET = new Set([
  'Pulling fs layer',
  'Waiting',
  'Downloading',
  'Verifying Checksum',
  'Download complete',
  'Extracting',
]);

const text = z.string().optional().catch(undefined);

/** One frame of a pull's stream (`jsonmessage.JSONMessage` of the Docker API). */
const frameSchema = z
  .object({
    id: text,
    status: text,
    progressDetail: z
      .object({ current: z.number().optional().catch(undefined), units: text })
      .optional()
      .catch(undefined),
    error: text,
    errorDetail: z.object({ message: text }).optional().catch(undefined),
  })
  .catch({});

/** Parses a frame's known fields; an `errorDetail` without `error` counts as an error too. */
export function readFrame(value: unknown) {
  const { id, status, progressDetail, error, errorDetail } = frameSchema.parse(value);
  // Engines with the containerd store count the seconds of unpacking, which pass without progress.
  const current = progressDetail?.units === 's' ? undefined : progressDetail?.current;
  return { id, status, current, error: errorDetail?.message ?? error };
}

/** The line to show for one of a pull's hundreds of frames, if any. */
export function lineOf({ id, status }: ReturnType<typeof readFrame>): string | undefined {
  if (status === undefined || (id !== undefined && QUIET.has(status))) return undefined;
  return id === undefined ? status : `${id}: ${status}`;
}

/**
 * How far a pull has come. Engines with the containerd store repeat each layer's state every 100 ms,
 * whether bytes come or not (moby, daemon/containerd/progress.go).
 */
export class PullProgress {
  /** The last count for each state of each layer. */
  readonly #counts = new Map<string, number>();
  readonly #states = new Map<string, string>();

  /**
   * Notes a frame; true if it shows a new layer, state or count. A lower count is a download that
   * began again, which engines do five times at most.
   */
  advances({ id = '', status, current = 0 }: ReturnType<typeof readFrame>): boolean {
    if (status === undefined) return false;
    if (id !== '' && !BEGINNING.test(status)) this.#states.set(id, status);

    const key = `${id} ${status}`;
    const isNew = this.#counts.get(key) !== current;
    this.#counts.set(key, current);
    return isNew;
  }

  /** True once every layer has been downloaded. */
  get isUnpacking(): boolean {
    const states = [...this.#states.values()];
    return states.length > 0 && !states.some((state) => DOWNLOADING.test(state));
  }
}
