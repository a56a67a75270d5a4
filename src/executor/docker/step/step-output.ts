import type { Duplex } from 'node:stream';
import { type ContainerState, readState } from '../../container/state-function.ts';
import type { OutputSink } from '../../executor.ts';
import { demux, STDERR, STDOUT } from '../engine/beyond-dockerode.ts';

/** What is read ahead of a slow sink once the step is over: the rest in pipes and sockets is about 1.5 MB. */
const AHEAD_BYTES = 4 * 1024 ** 2;
const TEXT_CHARACTERS = 1000;

/** What a step's shell writes at its end. */
export interface StepEnd {
  readonly code: number;
  readonly state: ContainerState | undefined;
}

/** Reads a step's stream: its output goes to the sink, the lines of STEP_SCRIPT become `leader` and `end`. */
export class StepOutput {
  readonly #stream: Duplex;
  readonly #sink: OutputSink;
  readonly #leader = Promise.withResolvers<number | undefined>();
  #hasBegun = false;
  #end: StepEnd | undefined;
  #line = '';
  #startText = '';
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

  /** The step's process group and session; undefined when the stream ended without one. */
  get leader(): Promise<number | undefined> {
    return this.#leader.promise;
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** How the step ended, once it is over. */
  get end(): StepEnd | undefined {
    return this.#end;
  }

  /** Why a step never began: what the engine wrote to its stdout, or its runtime to stderr. */
  get startText(): string {
    return `${this.#startText} ${this.#line}`.trim();
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
        if (channel === STDERR && this.#end === undefined) return this.#readControl(piece);
        return channel === STDOUT ? this.#take(piece) : undefined;
      });
    } finally {
      this.#isReading = false;
      this.#leader.resolve(undefined);
      this.#stream.destroy();
      // Also after a cut: what was read before it belongs to the step.
      await this.#delivery;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #take(piece: Buffer): Promise<void> | undefined {
    if (!this.#hasBegun) this.#note(piece.toString('utf8'));
    this.#ahead += piece.length;
    this.#delivery = this.#delivery.then(() => this.#deliver(piece));
    return this.#end !== undefined && this.#ahead < AHEAD_BYTES ? undefined : this.#delivered();
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

  #readControl(piece: Buffer): void {
    const lines = (this.#line + piece.toString('latin1')).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, TEXT_CHARACTERS);
    for (const line of lines) {
      const [, number, state] = /^(\d{1,9})(?: (.+))?$/.exec(line) ?? [];
      if (number === undefined) this.#note(line);
      else if (!this.#hasBegun) {
        this.#hasBegun = true;
        this.#leader.resolve(Number(number));
      } else if (this.#end === undefined) {
        this.#end = { code: Number(number), state: readState(state ?? '') };
        this.onEnd?.();
      }
    }
  }

  #note(text: string): void {
    this.#startText = `${this.#startText} ${text}`.slice(0, TEXT_CHARACTERS);
  }
}
