/** Splits lines as GitHub's runner (.NET) does: **a lone `\r`** ends one too; an unterminated last line counts. */
export class LineReader {
  readonly #decoder = new TextDecoder('utf-8');
  #pending: string[] = [];
  #afterCarriageReturn = false;

  /** Takes the next bytes and returns the lines they complete, without their line endings. */
  push(bytes: Uint8Array): string[] {
    return this.#split(this.#decoder.decode(bytes, { stream: true }));
  }

  /** Ends the stream and returns the rest: at most one unterminated line, never an empty one. */
  end(): string[] {
    const lines = this.#split(this.#decoder.decode());
    const rest = this.#takePending();
    return rest === '' ? lines : [...lines, rest];
  }

  #split(chunk: string): string[] {
    if (chunk === '') return [];
    // If chunks split a `\r\n`, its `\r` already ended the line.
    let start = this.#afterCarriageReturn && chunk.startsWith('\n') ? 1 : 0;
    this.#afterCarriageReturn = chunk.endsWith('\r');
    const lines: string[] = [];
    const lineEnd = /\r\n|\r|\n/g;
    lineEnd.lastIndex = start;
    for (let match = lineEnd.exec(chunk); match !== null; match = lineEnd.exec(chunk)) {
      this.#pending.push(chunk.slice(start, match.index));
      lines.push(this.#takePending());
      start = lineEnd.lastIndex;
    }
    if (start < chunk.length) this.#pending.push(chunk.slice(start));
    return lines;
  }

  #takePending(): string {
    const line = this.#pending.join('');
    this.#pending = [];
    return line;
  }
}
