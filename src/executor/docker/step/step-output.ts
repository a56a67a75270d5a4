import type { Duplex } from 'node:stream';
import { ShellReport } from '../../container/step-report.ts';
import type { OutputSink } from '../../executor.ts';
import { CutFrameError, demux, STDERR, STDOUT } from '../engine/streams.ts';

/**
 * Bytes read ahead of the sink after a step's end: more than pipes and sockets hold, some 1.5 MB.
 */
const AHEAD_BYTES = 4 * 1024 ** 2;

/** Reads a step's stream: its output goes to the sink, the lines of STEP_SCRIPT to the report. */
export class StepOutput {
  readonly report = new ShellReport();
  readonly #stream: Duplex;
  readonly #sink: OutputSink;
  /** Rejects once the sink has failed. */
  #delivery: Promise<void> = Promise.resolve();
  /** Bytes that the sink hasn't taken yet. */
  #ahead = 0;
  #bytes = 0;
  #missing = 0;
  #isBlocked = false;
  #isReading = true;
  #lastRead = performance.now();
  #endedAt: number | undefined;

  constructor(stream: Duplex, sink: OutputSink) {
    this.#stream = stream;
    this.#sink = sink;
  }

  /** False once the stream is read to its end; the sink can still have to take the last of it. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Bytes of output that were read. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bytes that the engine announced before the stream was cut, and that never arrived. */
  get missing(): number {
    return this.#missing;
  }

  /** Milliseconds since the last byte; 0 while we wait for the sink. */
  get idleMs(): number {
    return this.#isBlocked ? 0 : performance.now() - this.#lastRead;
  }

  /**
   * Milliseconds since the step's end; undefined while it runs. Its output can still be on its way.
   */
  get endedMs(): number | undefined {
    return this.#endedAt === undefined ? undefined : performance.now() - this.#endedAt;
  }

  /**
   * Writes a byte to the step's shell, which reads no line before the step's end: the step itself
   * has another stdin.
   */
  keepAlive(): void {
    if (this.#stream.writable && this.report.end === undefined) this.#stream.write(' ');
  }

  /** Called when the step is over, whether or not it could report that. */
  end(): void {
    this.#endedAt ??= performance.now();
  }

  /**
   * Reads to the end, or to where the stream was cut, and delivers everything. Throws the sink's
   * errors.
   */
  async read(): Promise<void> {
    try {
      await demux(this.#stream, (channel, piece) => {
        this.#lastRead = performance.now();
        if (channel === STDOUT) return this.#take(piece);
        if (channel === STDERR && this.report.end === undefined) this.#report(piece);
        return undefined;
      });
    } catch (error) {
      // Output that was read before a cut still counts; an error of the sink is thrown below.
      if (error instanceof CutFrameError) this.#missing = error.missing;
    } finally {
      this.#isReading = false;
      this.report.close();
      this.#stream.destroy();
    }

    await this.#delivery;
  }

  /** The promise to await before more is read; undefined for reading ahead. */
  #take(piece: Buffer): Promise<void> | undefined {
    // The engine writes to the stdout why a step never began.
    if (this.report.leader === undefined) this.report.note(piece.toString('utf8'));
    this.#ahead += piece.length;
    this.#bytes += piece.length;

    this.#delivery = this.#delivery.then(async () => {
      await this.#sink(piece);
      this.#ahead -= piece.length;
    });

    this.#delivery.catch(() => undefined);

    return this.report.end !== undefined && this.#ahead < AHEAD_BYTES ? undefined : this.#delivered();
  }

  async #delivered(): Promise<void> {
    this.#isBlocked = true;
    try {
      await this.#delivery;
    } finally {
      this.#isBlocked = false;
      this.#lastRead = performance.now();
    }
  }

  #report(piece: Buffer): void {
    this.report.read(piece.toString('latin1'));
    if (this.report.end === undefined) return;
    this.end();
    // Lets the shell exit; within 2 s an engine then closes the streams, read or not: from here on
    // we read ahead.
    this.#stream.write('\n');
  }
}
