import type { Duplex } from 'node:stream';
import { type ContainerState, readState } from '../container/state-function.ts';
import type { OutputSink } from '../executor.ts';
import { demux, STDERR, STDOUT } from './demux.ts';

/** What is held back until it is known that the step has begun: a short text without that is the engine's complaint. */
const HELD_BYTES = 1024 ** 2;
/** What is read ahead of a slow sink once the step is over: the rest in pipes and sockets is about 1.5 MB. */
const AHEAD_BYTES = 4 * 1024 ** 2;
const CONTROL_CHARACTERS = 1000;

/** What a step's shell says at its end. */
export interface StepEnd {
  readonly code: number;
  readonly state: ContainerState | undefined;
}

/** Reads a step's stream: its output goes to the sink, the lines of STEP_SCRIPT become `leader` and `end`. */
export class StepOutput {
  readonly #stream: Duplex;
  readonly #sink: OutputSink;
  readonly #leader = Promise.withResolvers<number | undefined>();
  #known: number | undefined;
  #end: StepEnd | undefined;
  #control = '';
  /** What came before the step had begun; undefined once it goes to the sink. */
  #held: Buffer[] | undefined = [];
  #heldBytes = 0;
  #complaint = '';
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
    return this.#known !== undefined;
  }

  /** How the step ended, once it is over. */
  get end(): StepEnd | undefined {
    return this.#end;
  }

  /** What was said when the step never began, by the engine on stdout or by its runtime on stderr. */
  get complaint(): string {
    return `${Buffer.concat(this.#held ?? []).toString('utf8')} ${this.#complaint} ${this.#control}`.trim();
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
        if (channel === STDERR && this.#end === undefined) return this.#hearControl(piece);
        return channel === STDOUT ? this.#take(piece) : undefined;
      });
    } finally {
      this.#isReading = false;
      this.#leader.resolve(undefined);
      this.#stream.destroy();
      // Also after a cut: what was read before it belongs to the step.
      if (this.hasBegun) await this.#delivery;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #take(piece: Buffer): Promise<void> | undefined {
    if (this.#held !== undefined) {
      this.#held.push(piece);
      this.#heldBytes += piece.length;
      if (this.#heldBytes < HELD_BYTES) return undefined;
      // No complaint is that long: it is output that overtook the line which tells of the beginning.
      this.#release();
      return this.#delivered();
    }
    this.#deliver(piece);
    if (this.#end !== undefined && this.#ahead < AHEAD_BYTES) return undefined;
    return this.#delivered();
  }

  #release(): void {
    for (const piece of this.#held ?? []) this.#deliver(piece);
    this.#held = undefined;
  }

  #deliver(piece: Buffer): void {
    this.#ahead += piece.length;
    this.#delivery = this.#delivery.then(async () => {
      if (this.#failure !== undefined) return;
      try {
        await this.#sink(piece);
      } catch (error) {
        this.#failure = { error };
      } finally {
        this.#ahead -= piece.length;
      }
    });
  }

  async #delivered(): Promise<void> {
    this.#blocked = true;
    await this.#delivery;
    this.#blocked = false;
    this.#lastRead = performance.now();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #hearControl(piece: Buffer): Promise<void> {
    const lines = (this.#control + piece.toString('latin1')).split('\n');
    this.#control = (lines.pop() ?? '').slice(0, CONTROL_CHARACTERS);
    for (const line of lines) {
      const [, number, state] = /^(\d{1,9})(?: (.+))?$/.exec(line) ?? [];
      if (number === undefined) this.#complaint = `${this.#complaint} ${line}`.slice(0, CONTROL_CHARACTERS);
      else if (this.#known === undefined) this.#begin(Number(number));
      else if (this.#end === undefined) this.#finish({ code: Number(number), state: readState(state ?? '') });
    }
    await this.#delivered();
  }

  #begin(leader: number): void {
    this.#known = leader;
    this.#leader.resolve(leader);
    this.#release();
  }

  #finish(end: StepEnd): void {
    this.#end = end;
    this.onEnd?.();
  }
}
