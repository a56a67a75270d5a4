import { type ContainerState, readState } from '../container/state-function.ts';

const CHARACTERS = 1_000;

/** How a step ended. */
export interface LastWords {
  readonly code: number;
  readonly state: ContainerState | undefined;
  /** Bytes that the step has printed. */
  readonly bytes: number;
}

/** What a step's shells say beside its output (STEP_SCRIPT, REJOIN_SCRIPT), over all its streams. */
export class StepWords {
  readonly #onGone: () => void;
  readonly #begun = Promise.withResolvers<number | undefined>();
  #leader: number | undefined;
  #last: LastWords | undefined;
  #line = '';
  #complaint = '';

  /** @param onGone called when the step's output isn't there any more */
  constructor(onGone: () => void) {
    this.#onGone = onGone;
  }

  /** The step's process group, once it has begun; undefined when it never will have, or is over. */
  get begun(): Promise<number | undefined> {
    return this.#begun.promise;
  }

  /** The step's process group, as soon as it is known. */
  get leader(): number | undefined {
    return this.#leader;
  }

  /** How the step ended, once it has. */
  get last(): LastWords | undefined {
    return this.#last;
  }

  /** What was said that is none of these words. */
  get complaint(): string {
    return this.#complaint;
  }

  /** Another stream: what came of a line over the one before is nothing. */
  startAnew(): void {
    this.#line = '';
  }

  hear(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, CHARACTERS);
    for (const line of lines) {
      const [, number, state, bytes = '0'] = /^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(line) ?? [];
      if (line === 'gone') this.#onGone();
      else if (number === undefined) this.#complaint = `${this.#complaint} ${line}`.trim().slice(0, CHARACTERS);
      else if (state !== undefined)
        this.#last = { code: Number(number), state: readState(state), bytes: Number(bytes) };
      else if (this.#leader === undefined) {
        this.#leader = Number(number);
        this.#begun.resolve(this.#leader);
      }
    }
  }

  /** Nobody listens any more. */
  close(): void {
    this.#begun.resolve(undefined);
  }
}
