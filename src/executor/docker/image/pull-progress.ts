import { z } from 'zod';

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
/** One frame of a pull's stream (`jsonmessage.JSONMessage` of the Docker API). */
const frameSchema = z
  .object({
    id: text,
    status: text,
    error: text,
    errorDetail: z.object({ message: text }).optional().catch(undefined),
  })
  .catch({});

type PullFrame = ReturnType<typeof readFrame>;

/** Reads a frame's known fields; an `errorDetail` without `error` counts as an error too. */
export function readFrame(value: unknown) {
  const { id, status, error, errorDetail } = frameSchema.parse(value);
  return { id, status, error: errorDetail?.message ?? error };
}

/** Turns the hundreds of frames of a pull into the lines a reader wants. */
export class PullProgress {
  #last: string | undefined;

  /** The line to show for `frame`, if any. */
  line({ id, status }: PullFrame): string | undefined {
    if (status === undefined || (id !== undefined && QUIET.has(status))) return undefined;
    const line = id === undefined ? status : `${id}: ${status}`;
    if (line === this.#last) return undefined;
    this.#last = line;
    return line;
  }
}
