import type { Duplex } from 'node:stream';
import { StepReport } from '../../container/step-report.ts';
import type { OutputSink } from '../../executor.ts';
import { demux, STDERR, STDOUT } from '../engine/beyond-dockerode.ts';

/** What is read ahead of a slow sink once the step is over: the rest in pipes and sockets is about 1.5 MB. */
const AHEAD_BYTES = 4 * 1024 ** 2;

/** Reads a step's stream: its output goes to the sink, the lines of STEP_SCRIPT to the report. */
export class StepOutput {
  readonly report = new StepReport();
  readonly #stream: Duplex;
  readonly #sink: OutputSink;
  #ahead = 0;
  #delivery: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;
  #blocked = false;
  #isReading = true;
  #lastRead = performance.now();
  /** Called once, as soon as the step is over; its output may still be on its way. */
  onEnd: (() => void) | undefined;

  constructor(stream: Duplex, sink: OutputSink) {
    this.#stream = stream;
    this.#sink = sink;
  }

  /** False once the stream is at its end, even if the sink still has to take what came. */
  get isReading(): boolean {
    return this.#isReading;
  }

  /** Milliseconds since the last byte; 0 while the sink is what we wait for. */
  get idleMs(): number {
    return this.#blocked ? 0 : performance.now() - this.#lastRead;
  }

  /** Reads to the end and delivers everything. Throws what the sink throws, and what the stream throws. */
  async read(): Promise<void> {
    try {
      await demux(this.#stream, (channel, piece) => {
        this.#lastRead = performance.now();
        if (channel === STDOUT) return this.#take(piece);
        if (channel !== STDERR || this.report.end !== undefined) return undefined;
        this.report.read(piece.toString('latin1'));
        return this.report.end === undefined ? undefined : this.onEnd?.();
      });
    } finally {
      this.#isReading = false;
      this.report.close();
      this.#stream.destroy();
      // Also after a cut: what was read before it belongs to the step.
      await this.#delivery;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #take(piece: Buffer): Promise<void> | undefined {
    // Why a step never began the engine writes to its stdout.
    if (this.report.leader === undefined) this.report.note(piece.toString('utf8'));
    this.#ahead += piece.length;
    this.#delivery = this.#delivery.then(() => this.#deliver(piece));
    return this.report.end !== undefined && this.#ahead < AHEAD_BYTES ? undefined : this.#delivered();
  }

  async #deliver(piece: Buffer): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      await this.#sink(piece);
    } catch (error) {
      this.#failure = { error };
    } finally {
      this.#ahead -= piece.length;
    }
  }

  async #delivered(): Promise<void> {
    this.#blocked = true;
    await this.#delivery;
    this.#blocked = false;
    this.#lastRead = performance.now();
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
