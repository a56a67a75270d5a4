import { z } from 'zod';

/** Milliseconds between two lines that say how far a download is. */
const SUMMARY_MS = 10_000;
/** Layer states that come dozens of times or say nothing to a reader. */
const QUIET = new Set([
  'Pulling fs layer',
  'Waiting',
  'Downloading',
  'Verifying Checksum',
  'Download complete',
  'Extracting',
]);

const text = z.string().optional().catch(undefined);
const bytes = z.number().optional().catch(undefined);
/** One frame of a pull's stream (`jsonmessage.JSONMessage` of the Docker API). */
const frameSchema = z
  .object({
    id: text,
    status: text,
    error: text,
    errorDetail: z.object({ message: text }).optional().catch(undefined),
    progressDetail: z.object({ current: bytes, total: bytes }).optional().catch(undefined),
  })
  .catch({});

type PullFrame = ReturnType<typeof readFrame>;

/** Reads a frame's known fields; an `errorDetail` without `error` counts as an error too. */
export function readFrame(value: unknown) {
  const { id, status, error, errorDetail, progressDetail } = frameSchema.parse(value);
  return { id, status, ...progressDetail, error: errorDetail?.message ?? error };
}

/** Turns the hundreds of frames of a pull into the lines a reader wants. */
export class PullProgress {
  readonly #now: () => number;
  /** Bytes of each layer that is, or was, downloaded. */
  readonly #layers = new Map<string, { readonly current: number; readonly total: number }>();
  #last: string | undefined;
  #summaryAt: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
    this.#summaryAt = now() + SUMMARY_MS;
  }

  /** The line to show for `frame`, if any. */
  line({ id, status, current = 0, total = 0 }: PullFrame): string | undefined {
    if (status === undefined) return undefined;
    if (id !== undefined && QUIET.has(status)) {
      const known = this.#layers.get(id)?.total ?? 0;
      this.#layers.set(id, status === 'Downloading' ? { current, total } : { current: known, total: known });
      return this.#summary();
    }
    const line = id === undefined ? status : `${id}: ${status}`;
    if (line === this.#last) return undefined;
    this.#last = line;
    return line;
  }

  #summary(): string | undefined {
    if (this.#now() < this.#summaryAt) return undefined;
    this.#summaryAt = this.#now() + SUMMARY_MS;
    const megabytes = (key: 'current' | 'total') =>
      ([...this.#layers.values()].reduce((sum, layer) => sum + layer[key], 0) / 1e6).toFixed(1);
    return `${megabytes('current')} of ${megabytes('total')} MB downloaded`;
  }
}
