import { createInterface, type Interface } from 'node:readline/promises';
import { type Readable, Writable } from 'node:stream';
import type { OutcomeError } from '../base/outcome.ts';

/** The streams of a command; both are a terminal's if a person can answer. */
interface Streams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean };
}

/** True if the reader of the output can answer questions. */
export function isTerminal({ stdin, stdout }: Streams): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}

/**
 * Asks one question after the other on a terminal. Each method throws OutcomeError `interrupted` if
 * the user quits (Ctrl-C, Ctrl-D).
 */
export class Questions {
  readonly #output: Writable;
  readonly #readline: Interface;
  readonly #quit = new AbortController();
  #isHidden = false;

  /** `quit` makes the reason why nothing goes on if the user quits. */
  constructor({ stdin: input, stdout: output }: Streams, quit: () => OutcomeError) {
    this.#output = output;

    // readline echoes through this, so that a secret can be hidden; without a history, no key
    // recalls a token.
    const echo = new Writable({
      write: (chunk: Buffer, _, done) => {
        if (!this.#isHidden) output.write(chunk);
        done();
      },
    });

    this.#readline = createInterface({ input, output: echo, terminal: true, historySize: 0 });
    for (const event of ['SIGINT', 'close'] as const)
      this.#readline.on(event, () => this.#quit.abort(quit()));
  }

  /** Aborts when the user quits, between two questions too. */
  get quit(): AbortSignal {
    return this.#quit.signal;
  }

  [Symbol.dispose](): void {
    this.#readline.close();
  }

  /**
   * Asks until there is an answer of which `problem` returns nothing; a problem is a clause after
   * "That". An empty answer is `preset`, if there is one.
   */
  async text(
    question: string,
    problem: (text: string) => string | undefined,
    { preset = '', hidden = false }: { readonly preset?: string | undefined; readonly hidden?: boolean } = {},
  ): Promise<string> {
    const prompt = `${question}${preset && ` [${preset}]`}: `;

    for (;;) {
      const text = (await this.#answer(prompt, hidden)) || preset;
      const complaint = text === '' ? 'An answer is needed.' : problem(text) && `That ${problem(text)}.`;
      if (!complaint) return text;
      this.#output.write(`${complaint}\n`);
    }
  }

  /** Asks for one of several values by its number, each shown with its words; the first is preset. */
  async choice<T>(question: string, options: readonly (readonly [value: T, words: string])[]): Promise<T> {
    const lines = options.map(([, words], index) => `  ${index + 1}  ${words}\n`);
    this.#output.write(`${question}\n${lines.join('')}`);
    const last = options.length;
    const numbers = last === 2 ? '1 or 2' : `a number from 1 to ${last}`;

    for (let prompt = 'Choice [1]: '; ; prompt = `Please answer with ${numbers}. Choice [1]: `) {
      const text = (await this.#answer(prompt, false)) || '1';
      const chosen = /^\d$/.test(text) ? options[Number(text) - 1] : undefined;
      if (chosen !== undefined) return chosen[0];
    }
  }

  /** Asks for yes or no; anything else than yes is no. */
  async confirmed(question: string): Promise<boolean> {
    return /^y(es)?$/i.test(await this.#answer(`${question} [y/N]: `, false));
  }

  async #answer(prompt: string, hidden: boolean): Promise<string> {
    try {
      // readline itself shows the prompt: it clears the line before it does.
      const answer = this.#readline.question(prompt, { signal: this.#quit.signal });
      this.#isHidden = hidden;
      return (await answer).trim();
    } catch (cause) {
      if (!this.#quit.signal.aborted) throw cause;
      this.#output.write('\n');
      throw this.#quit.signal.reason;
    } finally {
      if (hidden) this.#output.write('\n');
      this.#isHidden = false;
    }
  }
}
