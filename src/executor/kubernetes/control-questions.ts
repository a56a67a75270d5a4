const LINE_CHARACTERS = 200;

/** One question, as the line that asks it, and its answer. */
export interface Question {
  readonly id: number;
  readonly line: string;
  readonly answer: Promise<string>;
}

/** What was asked of CONTROL_SCRIPT and is not answered yet: `<id> <question>` a line, and `<id> <answer>` back. */
export class ControlQuestions {
  readonly #waiting = new Map<number, { readonly line: string; readonly answer: (text: string) => void }>();
  #id = 0;
  #text = '';

  /** The lines that have no answer, oldest first. */
  get lines(): readonly string[] {
    return [...this.#waiting.values()].map(({ line }) => line);
  }

  /** The word that it obeys, which nobody asks for: the answer 0. */
  ready(): Promise<string> {
    return this.#expect(0, '');
  }

  ask(question: string): Question {
    this.#id += 1;
    const id = this.#id;
    const line = `${id} ${question}\n`;
    return { id, line, answer: this.#expect(id, line) };
  }

  /** Nobody waits for the answer any more. */
  drop({ id }: Question): void {
    this.#waiting.delete(id);
  }

  /** From here on another stream is heard, whose first line is whole. */
  startAnew(): void {
    this.#text = '';
  }

  /** Takes what the other end says, cut anywhere. */
  hear(text: string): void {
    const lines = (this.#text + text).split('\n');
    this.#text = (lines.pop() ?? '').slice(0, LINE_CHARACTERS);
    for (const line of lines) {
      const [, id, answer] = /^(\d{1,9}) ([\w ]{1,100})$/.exec(line) ?? [];
      if (id !== undefined && answer !== undefined) this.#waiting.get(Number(id))?.answer(answer);
    }
  }

  #expect(id: number, line: string): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(id, { line, answer: resolve });
    return promise;
  }
}
