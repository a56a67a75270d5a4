/**
 * Features that dockerode lacks: back-pressure on multiplexed streams, whole JSON lines, another API
 * version, and a request for nothing but an upgrade.
 */
import type { Readable } from 'node:stream';
import type Docker from 'dockerode';

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
 * Receives a piece of one channel. A frame may come in several pieces. No more is read until the
 * promise resolves.
 */
export type FrameSink = (channel: number, piece: Buffer) => Promise<void> | void;

/**
 * Splits a multiplexed stream into its channels, with back-pressure, which docker-modem lacks.
 * Throws what the stream and the sink throw, and CutFrameError.
 */
export async function demux(stream: AsyncIterable<Buffer>, sink: FrameSink): Promise<void> {
  const header = Buffer.alloc(HEADER_BYTES);
  let filled = 0;
  let left = 0;

  for await (const chunk of stream) {
    let at = 0;
    while (at < chunk.length) {
      if (left === 0) {
        const copied = chunk.copy(header, filled, at, at + HEADER_BYTES - filled);
        at += copied;
        filled += copied;
        if (filled < HEADER_BYTES) break;

        filled = 0;
        left = header.readUInt32BE(4);
        if (header.readUInt8(0) > LAST_CHANNEL)
          throw new Error('the stream of the engine is not multiplexed');

        continue;
      }

      const piece = chunk.subarray(at, at + left);
      at += piece.length;
      left -= piece.length;

      const taken = sink(header.readUInt8(0), piece);
      if (taken !== undefined) await taken;
    }
  }

  if (left > 0 || filled > 0) throw new CutFrameError(left);
}

/**
 * A stream's JSON values, one per line, with back-pressure. Throws for any other line, and what the
 * stream throws.
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

/** Sets the API version of all calls through `docker` and the objects that it made. */
export function setVersion({ modem }: Docker, version: string): void {
  // docker-modem's types lack the property, which it reads at each call.
  Object.assign(modem, { version: `v${version}` });
}

/**
 * Asks for an upgrade as the start of a step does, where it starts nothing: the engine's /session
 * refuses every protocol but h2c, and says so (moby/buildkit, session/manager.go).
 */
export function requestUpgrade({ modem }: Docker, abortSignal: AbortSignal): Promise<NodeJS.ReadWriteStream> {
  const request = {
    path: '/session',
    method: 'POST',
    options: { Detach: false, Tty: false },
    hijack: true,
    isStream: true,
    statusCodes: { 200: true },
    abortSignal,
  };

  return new Promise((resolve, reject) => {
    modem.dial(request, (error, answer) => {
      if (error) reject(error);
      else resolve(answer as NodeJS.ReadWriteStream);
    });
  });
}
