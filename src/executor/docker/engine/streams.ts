/** Readers of the engine's streams that dockerode lacks: with back-pressure, and for whole JSON lines. */
import type { Readable } from 'node:stream';

/** Channels of Docker's multiplexed streams (Engine API, "Stream format" of ContainerAttach). */
export const STDOUT = 1;
export const STDERR = 2;

const HEADER_BYTES = 8;

/** 0 echoes stdin, 3 is a message from the engine itself. */
const LAST_CHANNEL = 3;

/** Characters; the engine's JSON lines are shorter. */
const LINE_LIMIT = 1024 ** 2;

/** A multiplexed stream ended inside a frame. */
export class CutFrameError extends Error {
  override readonly name = 'CutFrameError';
  /** Bytes of the frame that didn't arrive. */
  readonly missing: number;

  constructor(missing: number) {
    super('the stream of the engine ended inside a frame');
    this.missing = missing;
  }
}

/**
 * Receives a piece of one channel. A frame can come in several pieces. No more is read until the
 * promise resolves.
 */
export type FrameSink = (channel: number, piece: Buffer) => Promise<void> | void;

/**
 * Splits a multiplexed stream into its channels, with back-pressure, which docker-modem lacks.
 * Throws the errors of the stream and the sink, and CutFrameError.
 */
export async function demux(stream: AsyncIterable<Buffer>, sink: FrameSink): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  let unread = 0;

  for await (const chunk of stream) {
    let at = 0;
    while (at < chunk.length) {
      if (unread === 0) {
        const copied = chunk.copy(header, headerBytes, at, at + HEADER_BYTES - headerBytes);
        at += copied;
        headerBytes += copied;
        if (headerBytes < HEADER_BYTES) break;

        headerBytes = 0;
        unread = header.readUInt32BE(4);
        if (header.readUInt8(0) > LAST_CHANNEL)
          throw new Error('the stream of the engine is not multiplexed');

        continue;
      }

      const piece = chunk.subarray(at, at + unread);
      at += piece.length;
      unread -= piece.length;

      const delivery = sink(header.readUInt8(0), piece);
      if (delivery !== undefined) await delivery;
    }
  }

  if (unread > 0 || headerBytes > 0) throw new CutFrameError(unread);
}

/**
 * A stream's JSON values, one per line, with back-pressure. Throws for any other line, and the
 * stream's errors.
 */
export async function* jsonLines(stream: Readable): AsyncGenerator<unknown> {
  let rest = '';
  for await (const text of stream.setEncoding('utf8')) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line);
    if (rest.length > LINE_LIMIT) throw new Error(`a line is longer than ${LINE_LIMIT} characters`);
  }

  if (rest.trim() !== '') yield JSON.parse(rest);
}
