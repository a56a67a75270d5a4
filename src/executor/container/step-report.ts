import { type ContainerState, readState } from './state-function.ts';

const CHARACTERS = 1_000;

/** How a step ended. */
export interface StepEnd {
  readonly code: number;
  readonly state: ContainerState | undefined;
  /** Bytes that the step has printed, where its script counts them. */
  readonly bytes: number;
}

/** What a step's shells report beside its output (STEP_SCRIPT), over all its streams. */
export class StepReport {
  /** The step's process group, as soon as it is known. */
  leader: number | undefined;
  /** How the step ended, once it has. */
  end: StepEnd | undefined;
  readonly #begun = Promise.withResolvers<number | undefined>();
  #unknown = '';
  /** The beginning of a line whose end has not come yet. */
  #partial = '';

  /** The step's process group, once it has begun; undefined when it never will have, or is over. */
  get begun(): Promise<number | undefined> {
    return this.#begun.promise;
  }

  /** What is no report: a shell's own errors. */
  get unknown(): string {
    return `${this.#unknown} ${this.#partial}`.trim().slice(0, CHARACTERS);
  }

  /** Another stream: the line that the one before was cut in is void. */
  startAnew(): void {
    this.#partial = '';
  }

  /** Takes a stream's standard error, cut anywhere. */
  read(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = (lines.pop() ?? '').slice(0, CHARACTERS);
    for (const line of lines) {
      const [, number, state, bytes = '0'] = /^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(line) ?? [];
      if (number === undefined) this.note(line);
      else if (state !== undefined) this.end = { code: Number(number), state: readState(state), bytes: Number(bytes) };
      else if (this.leader === undefined) {
        this.leader = Number(number);
        this.#begun.resolve(this.leader);
      }
    }
  }

  /** Adds to `unknown`. */
  note(text: string): void {
    this.#unknown = `${this.#unknown} ${text}`.trimStart().slice(0, CHARACTERS);
  }

  /** No stream is read any more. */
  close(): void {
    this.#begun.resolve(undefined);
  }
}
