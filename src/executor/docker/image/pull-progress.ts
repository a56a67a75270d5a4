import { z } from 'zod';

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
    error: text,
    errorDetail: z.object({ message: text }).optional().catch(undefined),
  })
  .catch({});

/** Parses a frame's known fields; an `errorDetail` without `error` counts as an error too. */
export function readFrame(value: unknown) {
  const { id, status, error, errorDetail } = frameSchema.parse(value);
  return { id, status, error: errorDetail?.message ?? error };
}

/** The line to show for one of a pull's hundreds of frames, if any. */
export function lineOf({ id, status }: ReturnType<typeof readFrame>): string | undefined {
  if (status === undefined || (id !== undefined && QUIET.has(status))) return undefined;
  return id === undefined ? status : `${id}: ${status}`;
}
