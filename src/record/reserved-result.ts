import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from './schema.ts';

/** Bytes for the result; one with more steps and warnings than any run of ours had still fits. */
const RESULT_BYTES = 60 * 1024;

/** Bytes behind them for the one event that no full disk may refuse. */
const EVENT_BYTES = 4 * 1024;

/** Characters of its message that are kept: escaped, they take at most 6 bytes each. */
export const EVENT_MESSAGE = 500;

/**
 * run.json before it is one. Its blocks are allocated when the record opens and are then
 * overwritten in place, so that a disk that others fill meanwhile takes it all the same. A file
 * system that copies on write (btrfs, ZFS) can't promise that. Blank until there is an event or a
 * result, both of which JSON lets blanks surround.
 */
export class ReservedResult {
  readonly #paths: { readonly unfinished: string; readonly result: string };
  readonly #descriptor: number;

  /** Creates the file; one that exists is another agent's record. Throws what node:fs throws. */
  constructor(directory: string) {
    this.#paths = {
      unfinished: join(directory, RUN_FILES.unfinished),
      result: join(directory, RUN_FILES.result),
    };

    this.#descriptor = openSync(this.#paths.unfinished, 'wx', 0o600);

    try {
      this.#write(Buffer.alloc(RESULT_BYTES + EVENT_BYTES, ' '), 0);
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /**
   * Keeps an event until there is a result; `line` has its JSON, without a line end and at most
   * `EVENT_BYTES` long.
   */
  event(line: string): void {
    this.#write(Buffer.from(`${line}\n`), RESULT_BYTES);
  }

  /**
   * Writes run.json: a reader sees all of it or nothing. Throws what node:fs throws; the event is
   * then still there.
   */
  result(text: string): void {
    const bytes = Buffer.from(text);
    const reserved = RESULT_BYTES + EVENT_BYTES;

    // First the part that the disk may refuse.
    this.#write(bytes.subarray(reserved), reserved);
    this.#write(bytes.subarray(0, reserved), 0);
    ftruncateSync(this.#descriptor, bytes.length);
    if (statSync(this.#paths.unfinished).ino !== fstatSync(this.#descriptor).ino)
      throw new Error('another agent has moved this record');

    renameSync(this.#paths.unfinished, this.#paths.result);
  }

  /** Closes and removes the file. */
  discard(): void {
    this.close();
    rmSync(this.#paths.unfinished, { force: true });
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #write(bytes: Buffer, position: number): void {
    for (let done = 0; done < bytes.length; )
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
  }
}
