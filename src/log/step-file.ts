import type { Hash } from 'node:crypto';
import { closeSync, openSync, write } from 'node:fs';
import { promisify } from 'node:util';
import type { LineSink, LogBlock } from './sink.ts';

/** Bytes that may wait for the disk before the writer is asked to wait too. */
const HIGH_WATER = 64 * 1024;

const writeSome = promisify(write);

/** A step's log file could not be made or written. */
export class StepFileError extends Error {
  override readonly name = 'StepFileError';

  constructor(action: string, path: string, cause: unknown) {
    const why = cause instanceof Error ? cause.message : String(cause);
    super(
      `Failed to ${action} the step log ${path}: ${why}. Check the disk's free space and the folder's permissions.`,
      {
        cause,
      },
    );
  }
}

/**
 * A step's log on disk. Lines go to the kernel as soon as the write before them is done, without a timer, so a killed process
 * loses only what came within its last write.
 */
export class StepFile implements LineSink {
  readonly #descriptor: number;
  readonly #path: string;
  /** What waits for the disk, and the buffer that is being written: the two take turns, so that nothing is left to the garbage collector. */
  #pending = Buffer.allocUnsafeSlow(HIGH_WATER);
  #pendingBytes = 0;
  #writing = Buffer.allocUnsafeSlow(HIGH_WATER);
  #flushing: Promise<void> | undefined;
  #error: StepFileError | undefined;
  #ending: Promise<void> | undefined;
  #hash: Hash | undefined;
  #sha256: string | undefined;

  /** Owns the open file from here on. `path` is for error messages. */
  constructor(descriptor: number, path: string) {
    this.#descriptor = descriptor;
    this.#path = path;
  }

  /** Of the file's bytes, in hexadecimal digits, once `end()` has settled: of what was written, also when not everything could be. */
  get sha256(): string | undefined {
    return this.#sha256;
  }

  /** Throws, or rejects, with StepFileError from the first failed write on. */
  write(blocks: readonly LogBlock[]): Promise<void> | void {
    this.#check();
    for (const { bytes } of blocks) this.#append(bytes);
    if (this.#pendingBytes === 0) return undefined;
    this.#flushing ??= this.#flush();
    return this.#pendingBytes > HIGH_WATER ? this.#flushing.then(() => this.#check()) : undefined;
  }

  /** Resolves when everything is written and the file is closed; rejects with the first StepFileError, closed as well. */
  end(): Promise<void> {
    this.#ending ??= this.#close();
    return this.#ending;
  }

  #append(bytes: Buffer): void {
    const size = this.#pendingBytes + bytes.length;
    if (size > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(size * 2);
      this.#pending.copy(larger, 0, 0, this.#pendingBytes);
      this.#pending = larger;
    }
    bytes.copy(this.#pending, this.#pendingBytes);
    this.#pendingBytes = size;
  }

  /** Never rejects: an error is kept for whoever writes or ends next. */
  async #flush(): Promise<void> {
    try {
      while (this.#pendingBytes > 0) {
        const bytes = this.#pending.subarray(0, this.#pendingBytes);
        [this.#pending, this.#writing] = [this.#writing, this.#pending];
        this.#pendingBytes = 0;
        for (let done = 0; done < bytes.length; ) {
          const { bytesWritten } = await writeSome(this.#descriptor, bytes, done, bytes.length - done, null);
          this.#hash ??= await newHash();
          this.#hash.update(bytes.subarray(done, done + bytesWritten));
          done += bytesWritten;
        }
      }
    } catch (error) {
      this.#error = new StepFileError('write', this.#path, error);
      this.#pendingBytes = 0;
    } finally {
      this.#flushing = undefined;
    }
  }

  #check(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  async #close(): Promise<void> {
    await this.#flushing;
    this.#hash ??= await newHash();
    this.#sha256 = this.#hash.digest('hex');
    try {
      closeSync(this.#descriptor);
    } catch (error) {
      this.#error ??= new StepFileError('close', this.#path, error);
    }
    this.#check();
  }
}

/** Loaded when the first line is in its file already: a job's first output doesn't wait for it. */
async function newHash(): Promise<Hash> {
  const { createHash } = await import('node:crypto');
  return createHash('sha256');
}

/**
 * Makes the file, mode 0600; it must not exist (nor be a link). Throws StepFileError. Synchronous, as the record's writes are: a
 * thread for it costs more than the call, and the step waits.
 */
export function openStepFile(path: string): StepFile {
  try {
    return new StepFile(openSync(path, 'ax', 0o600), path);
  } catch (error) {
    throw new StepFileError('create', path, error);
  }
}
