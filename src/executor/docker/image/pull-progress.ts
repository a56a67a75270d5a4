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
  readonly #layers = new Map<string, { current: number; total: number; done: boolean }>();
  #last: string | undefined;
  #summaryAt: number;

  /** @param now milliseconds of a clock that never goes back */
  constructor(now: () => number) {
    this.#now = now;
    this.#summaryAt = now() + SUMMARY_MS;
  }

  /** The line to show for `frame`, if any. */
  line(frame: PullFrame): string | undefined {
    const { id, status } = frame;
    if (status === undefined) return undefined;
    const layer = id !== undefined && (QUIET.has(status) || /^(Pull complete|Already exists)/.test(status));
    if (layer) this.#count(id, frame);
    if (layer && QUIET.has(status)) return this.#summary();
    const line = id === undefined ? status : `${id}: ${status}`;
    if (line === this.#last) return undefined;
    this.#last = line;
    return line;
  }

  #count(id: string, { status, current, total }: PullFrame): void {
    const layer = this.#layers.get(id) ?? { current: 0, total: 0, done: false };
    this.#layers.set(id, layer);
    if (status === 'Downloading') {
      layer.current = current ?? layer.current;
      layer.total = total ?? layer.total;
    }
    if (status === 'Download complete' || status === 'Extracting') layer.current = layer.total;
    if (status === 'Pull complete' || status === 'Already exists') layer.done = true;
  }

  #summary(): string | undefined {
    if (this.#now() < this.#summaryAt) return undefined;
    this.#summaryAt = this.#now() + SUMMARY_MS;
    const layers = [...this.#layers.values()];
    const sum = (of: (layer: { current: number; total: number }) => number) =>
      (layers.reduce((bytes, layer) => bytes + of(layer), 0) / 1e6).toFixed(1);
    const done = layers.filter((layer) => layer.done).length;
    return `${sum((l) => l.current)} of ${sum((l) => l.total)} MB downloaded, ${done} of ${layers.length} layers ready`;
  }
}
