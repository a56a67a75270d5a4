import type { Duplex } from 'node:stream';
import { StepReport } from '../../container/step-report.ts';
import type { OutputSink } from '../../executor.ts';
import { demux, STDERR, STDOUT } from '../engine/beyond-dockerode.ts';

/** Milliseconds until an ended step's shell may exit; within 2 s an engine then closes the streams, read or not. */
const GO_MS = 100;
/** More than pipes and sockets hold, some 1.5 MB: anything beyond comes from a process that outlived the step. */
const HELD_BYTES = 4 * 1024 ** 2;

/** Reads a step's stream: its output goes to the sink, the lines of STEP_SCRIPT to the report. */
export class StepOutput {
  readonly report = new StepReport();
  readonly #stream: Duplex;
  readonly #sink: OutputSink;
  #isBlocked = false;
  #isReading = true;
  #sinkFailure: { readonly error: unknown } | undefined;
  #lastRead = performance.now();
  #endedAt: number | undefined;
  /** Bytes of output since the step's end. */
  #rest = 0;

  constructor(stream: Duplex, sink: OutputSink) {
    this.#stream = stream;
    this.#sink = sink;
  }

  /** False once the stream is read to its end. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Milliseconds since the last byte; 0 while we wait for the sink. */
  get idleMs(): number {
    return this.#isBlocked ? 0 : performance.now() - this.#lastRead;
  }

  /** Milliseconds since the step's end; undefined while it runs. Its output may still be on its way. */
  get endedMs(): number | undefined {
    return this.#endedAt === undefined ? undefined : performance.now() - this.#endedAt;
  }

  /** Called when the step is over, whether or not it could report that. */
  end(): void {
    this.#endedAt ??= performance.now();
  }

  /** Reads to the end, or to where the stream was cut, and delivers everything. Throws what the sink throws. */
  async read(): Promise<void> {
    try {
      await demux(this.#stream, async (channel, piece) => {
        this.#lastRead = performance.now();
        if (channel === STDOUT) await this.#deliver(piece);
        else if (channel === STDERR && this.report.end === undefined) this.#report(piece);
      });
    } catch {
      if (this.#sinkFailure !== undefined) throw this.#sinkFailure.error;
    } finally {
      this.#isReading = false;
      this.report.close();
      this.#stream.destroy();
    }
  }

  async #deliver(piece: Buffer): Promise<void> {
    // The engine writes to the stdout why a step never began.
    if (this.report.leader === undefined) this.report.note(piece.toString('utf8'));
    if (this.#endedAt !== undefined) this.#rest += piece.length;
    this.#isBlocked = true;
    try {
      await this.#sink(piece);
    } catch (error) {
      this.#sinkFailure = { error };
      throw error;
    } finally {
      this.#isBlocked = false;
      this.#lastRead = performance.now();
    }
  }

  #report(piece: Buffer): void {
    this.report.read(piece.toString('latin1'));
    if (this.report.end === undefined) return;
    this.end();
    const go = setInterval(() => {
      if (this.#isBlocked && this.#rest < HELD_BYTES) return;
      // Only once: if the engine has closed its end, a write would cut the stream and lose what is unread.
      clearInterval(go);
      this.#stream.write('\n');
    }, GO_MS);
    this.#stream.once('close', () => clearInterval(go));
  }
}
