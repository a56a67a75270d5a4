/*
 * Reads a job's log as Buildkite shows it: the state machine of buildkite/terminal-to-html (parser.go, screen.go) over
 * bytes, without styles' meaning and with an endless window, and the headers of buildkite/agent (header_times_streamer.go).
 */

const HEADER = /^(---|\+\+\+|~~~)[\t\n\f\r ]/;
const EXPANSION = /^\^\^\^[\t\n\f\r ]\+\+\+/;

/** The agent's own time stamps. */
const TIMESTAMP = /^bk;d?t=\d+$/;

export interface LogLine {
  readonly text: string;
  /** A group's header, the order to open the group before it, or output. */
  readonly kind: 'header' | 'expansion' | 'output';
}

export interface BuildkiteLog {
  readonly lines: readonly LogLine[];
  /** Everything else that the log did to the page: links, images, metadata, moves of the cursor, erasures. */
  readonly effects: readonly string[];
  /** Colours apply at the end. */
  readonly isStyled: boolean;
}

/** Reads a log. A time stamp of the agent is no effect. */
export function readBuildkiteLog(log: string): BuildkiteLog {
  const screen = new Screen();
  const bytes = Buffer.from(log);
  let started = 0;
  let mode: 'normal' | 'escape' | 'control' | 'string' | 'string-escape' | 'charset' = 'normal';
  let kind = '';
  let instructions: string[] = [];
  let from = 0;

  const command = (end: number): void => {
    mode = 'normal';
    const sequence = String(bytes.subarray(from, end));
    if (kind === '_' && TIMESTAMP.test(sequence)) return;
    const isKnown = kind === '_' ? sequence.startsWith('bk;') : /^(8|1338|1339);|^1337;File=/.test(sequence);
    if (isKnown) screen.effects.push(kind + sequence);
  };
  const instruction = (end: number): void => {
    if (end > from) instructions.push(String(bytes.subarray(from, end)));
  };

  for (let cursor = 0; cursor < bytes.length; ) {
    const { char, length } = runeAt(bytes, cursor);

    if (mode === 'normal') {
      if (char === '\u001b') [started, mode] = [cursor, 'escape'];
      else screen.put(char);
    } else if (mode === 'escape') {
      [from, kind, instructions] = [cursor + 1, char, []];
      if (char === '[') mode = 'control';
      else if (char === ']' || char === '_') mode = 'string';
      else if (char === '(' || char === ')') mode = 'charset';
      else {
        mode = 'normal';
        if ('M78'.includes(char)) screen.effects.push(char);
        else if (!'=>'.includes(char)) cursor = started;
      }
    } else if (mode === 'control') {
      const code = char.toUpperCase();
      if (code === ';') {
        instruction(cursor);
        from = cursor + 1;
      } else if (!/[?\d]/.test(code)) {
        mode = 'normal';
        if (/[A-HJKMQ]/.test(code)) {
          instruction(cursor);
          screen.apply(code, instructions);
        } else if (!/[ILN]/.test(code)) cursor = started;
      }
    } else if (mode === 'charset') {
      mode = 'normal';
    } else if (mode === 'string-escape') {
      if (char === '\\') command(cursor - 1);
      else mode = 'string';
    } else if (char === '\u0007') {
      command(cursor);
    } else if (char === '\u001b') {
      mode = 'string-escape';
    }

    cursor += length;
  }

  const lines = screen.lines.map((cells): LogLine => {
    const text = cells.join('');
    return { text, kind: HEADER.test(text) ? 'header' : EXPANSION.test(text) ? 'expansion' : 'output' };
  });
  // An unfinished sequence swallows what follows.
  if (mode !== 'normal') screen.effects.push(`unfinished ${kind}`);
  return { lines, effects: screen.effects, isStyled: screen.isStyled };
}

class Screen {
  readonly lines: string[][] = [];
  readonly effects: string[] = [];
  isStyled = false;
  #x = 0;
  #y = 0;

  put(char: string): void {
    if (char === '\n') {
      this.#line();
      [this.#x, this.#y] = [0, this.#y + 1];
    } else if (char === '\r') {
      this.#x = 0;
    } else if (char === '\b') {
      this.#x = Math.max(0, this.#x - 1);
    } else {
      const line = this.#line();
      if (this.#x < line.length) this.effects.push('overwrites');
      line[this.#x] = char;
      this.#x += 1;
    }
  }

  apply(code: string, instructions: readonly string[]): void {
    if (instructions[0]?.startsWith('?')) return;
    if (code === 'M') this.isStyled = !(instructions.length === 0 || instructions.join() === '0');
    else this.effects.push(`${code}${instructions.join(';')}`);
  }

  #line(): string[] {
    while (this.lines.length <= this.#y) this.lines.push([]);
    return this.lines[this.#y]!;
  }
}

/** Like Go's utf8.DecodeRune: an invalid byte is a replacement character of one byte. */
function runeAt(bytes: Buffer, at: number): { char: string; length: number } {
  const first = bytes[at] ?? 0;
  const length = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const char = String(bytes.subarray(at, at + length));
  return char.includes('\ufffd') && length !== 3 ? { char: '\ufffd', length: 1 } : { char, length };
}
