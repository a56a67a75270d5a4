import { type ContainerState, readState } from './shell.ts';

/** Characters kept of lines that are no reports. */
const MAX_CHARACTERS = 1_000;

export interface ShellEnd {
  readonly code: number;
  readonly state: ContainerState | undefined;
  /** Bytes that the step has printed; undefined if its script doesn't count them. */
  readonly bytes: number | undefined;
}

/** The reports of a step's shells (STEP_SCRIPT), apart from its output, across all its streams. */
export class ShellReport {
  /** The step's process group, once it is known. */
  leader: number | undefined;
  end: ShellEnd | undefined;
  readonly #begun = Promise.withResolvers<number | undefined>();
  /** Resolves with the begun step's process group; undefined if no stream is read any more. */
  readonly begun = this.#begun.promise;
  #unknown = '';
  /** The start of a line whose end hasn't arrived yet. */
  #partial = '';

  /** Lines that are no reports: a shell's own errors. */
  get unknown(): string {
    return `${this.#unknown} ${this.#partial}`.trim().slice(0, MAX_CHARACTERS);
  }

  /** Called when another stream begins: drops the line in which the previous one was cut. */
  startAnew(): void {
    this.#partial = '';
  }

  /** Takes a piece of a stream's standard error, cut anywhere. */
  read(text: string): void {
    const lines = (this.#partial + text).split('\n');
    this.#partial = (lines.pop() ?? '').slice(0, MAX_CHARACTERS);

    for (const line of lines) {
      const [, number, state, bytes] = /^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(line) ?? [];
      if (number === undefined) this.note(line);
      else if (state !== undefined)
        this.end = {
          code: Number(number),
          state: readState(state),
          bytes: bytes === undefined ? undefined : Number(bytes),
        };
      else if (this.leader === undefined) {
        this.leader = Number(number);
        this.#begun.resolve(this.leader);
      }
    }
  }

  note(text: string): void {
    this.#unknown = `${this.#unknown} ${text}`.trimStart().slice(0, MAX_CHARACTERS);
  }

  /** Called when no stream is read any more. */
  close(): void {
    this.#begun.resolve(undefined);
  }
}

/** The report of a container's last step on the container. */
export class LastReport {
  /** Processes that the kernel's out-of-memory killer had ended by then. */
  #oomKills = 0;
  #state: ContainerState | undefined;

  /** False if the step has left nothing to read in the environment file. */
  get environmentChanged(): boolean {
    return this.#state?.environmentChanged !== false;
  }

  /** Notes the state at a step's end. True if processes were killed for lack of memory since the last one. */
  note(state: ContainerState): boolean {
    const outOfMemory = state.oomKills > this.#oomKills;
    this.#oomKills = Math.max(this.#oomKills, state.oomKills);
    this.#state = state;
    return outOfMemory;
  }

  /** Forgets the state, which more code in the container can change. */
  forget(): void {
    this.#state = undefined;
  }
}
