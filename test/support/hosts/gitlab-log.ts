/*
 * GitLab's reader of job logs, after gitlab-org/gitlab: lib/gitlab/ci/ansi2json/converter.rb, line.rb, state.rb,
 * style.rb and lib/gitlab/regex.rb, in its first version, and with the escape sequences of the second (v2/converter.rb).
 * Works on bytes, as Ruby does on a binary stream. A continuation's offsets, which only GitLab's paging needs, are left
 * out.
 */

export interface LogLine {
  readonly text: string;
  /** The innermost open section. */
  readonly section?: string;
  readonly isHeader: boolean;
  readonly isFooter: boolean;
  readonly options?: string;
  /** True if the line's style hides or colours anything in it. */
  readonly isStyled: boolean;
}

const ESC = String.fromCharCode(0x1b);
const SECTION = new RegExp(
  String.raw`section_(start|end):(\d+):([a-zA-Z0-9_.-]+)(\[(?:\w+=\w+)(?:, ?(?:\w+=\w+))*\])?\r${ESC}\[0K`,
  'y',
);
const TIMESTAMP =
  /\d{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]\.[0-9]{6}Z [0-9a-f]{2}[EO][+ ]/;
const DATE_LENGTH = 27;
const HEADER_LENGTH = 32;
const SEQUENCE = new RegExp(`${ESC}([@-_])([^\n]*?)([@-~])`, 'y');
const CUT_SEQUENCE = new RegExp(`${ESC}(?:[@-_][^\n]*?)?(?=\n|$)`, 'y');
const SEQUENCE_V2 = new RegExp(`${ESC}[@-_]([0-?]*)([ -/]*)([@-~])?`, 'y');
const LONE_ESCAPE = new RegExp(`${ESC}(?!$)`, 'y');
const TEXT = new RegExp(`.[^${ESC}\r\ns]*`, 'sy');

interface Line {
  content: string;
  isHeader: boolean;
  isFooter: boolean;
  options?: string;
  isStyled: boolean;
  isAtStart: boolean;
  sections: string[];
}

/** A log as GitLab's page shows it; `log` begins with the log's first byte or, in a later part of it, with a line. */
export function gitlabLog(log: Buffer | string, version: 1 | 2 = 1): LogLine[] {
  const lines: LogLine[] = [];
  const open = new Map<string, number>();
  const style = new Set<string>();
  let line = newLine();

  const raw =
    Buffer.from(log)
      .toString('latin1')
      .match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const hasTimestamps = TIMESTAMP.test(raw[0] ?? '');
  let buffered = '';
  let isContinuation = false;

  for (const [at, text] of raw.entries()) {
    const isContinued = hasTimestamps && raw[at + 1]?.[HEADER_LENGTH - 1] === '+';
    const part = isContinued ? text.replace(/\n$/, '') : text;
    buffered += isContinuation ? part.slice(HEADER_LENGTH) : part;
    isContinuation = isContinued;
    if (isContinued) continue;

    consume(buffered);
    buffered = '';
  }

  flush();

  return lines;

  function newLine(): Line {
    return {
      content: '',
      isHeader: false,
      isFooter: false,
      isStyled: false,
      isAtStart: true,
      sections: [...open.keys()],
    };
  }

  function flush(): void {
    if (line.content !== '' || line.isFooter) {
      const { content, isHeader, isFooter, options, isStyled, sections } = line;
      const text = Buffer.from(content, 'latin1').toString();
      const section = sections.at(-1);
      lines.push({
        text,
        isHeader,
        isFooter,
        isStyled,
        ...(section !== undefined && { section }),
        ...(options !== undefined && { options }),
      });
    }
    line = newLine();
  }

  function consume(text: string): void {
    let at = 0;
    const scan = (pattern: RegExp): RegExpExecArray | null => {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found !== null) at += found[0].length;
      return found;
    };

    while (at < text.length) {
      if (hasTimestamps && line.isAtStart && isTimestamp(text.slice(at))) {
        at += HEADER_LENGTH;
        continue;
      }

      const marker = scan(SECTION);
      if (marker !== null) {
        section(marker);
      } else if (text[at] === ESC) {
        if (!sequence(scan)) at = text.length;
      } else if (scan(version === 1 ? /\r?\n/y : /\r*\n/y) !== null) {
        flush();
      } else if (scan(/\r/y) !== null) {
        Object.assign(line, { content: '', isAtStart: true });
      } else {
        const [added = ''] = scan(TEXT) ?? [];
        line.content += added;
        line.isStyled ||= style.size > 0;
        line.isAtStart = false;
      }
    }
  }

  function section([, action = '', time = '', name = '', options]: RegExpExecArray): void {
    const sanitized = name.toLowerCase().replace(/[^a-z0-9]/g, '-');
    if (action === 'start') {
      flush();
      open.set(sanitized, Number(time));
      line.sections.push(sanitized);
      line.isHeader = true;
      line.isAtStart = false;
      if (options !== undefined) line.options = options;
    } else if (open.has(sanitized)) {
      flush();
      line.isFooter = true;
      open.delete(sanitized);
      flush();
    }
  }

  /** Reads an escape sequence; false if GitLab drops the rest of the line, and its end, with it. */
  function sequence(scan: (pattern: RegExp) => RegExpExecArray | null): boolean {
    if (version === 1) {
      const [, indicator, codes = '', end] = scan(SEQUENCE) ?? [];
      if (end === undefined) return scan(CUT_SEQUENCE) === null && scan(TEXT) !== null;
      if (indicator === '[' && end === 'm') restyle(codes);
      return true;
    }

    const [whole, codes = '', , end] = scan(SEQUENCE_V2) ?? [];
    if (whole === undefined) return scan(LONE_ESCAPE) !== null;
    if (end === undefined) return false;
    if (whole[1] === '[' && end === 'm') restyle(codes);
    return true;
  }

  /** Which style it is does not matter here: only whether anything is set. */
  function restyle(codes: string): void {
    for (const code of codes === '' ? ['0'] : codes.split(';')) {
      if (Number(code) === 0) style.clear();
      else style.add(code);
    }
  }
}

function isTimestamp(text: string): boolean {
  if (text.length <= HEADER_LENGTH) return false;
  return (
    text[DATE_LENGTH - 1] === 'Z' &&
    text[4] === '-' &&
    text[7] === '-' &&
    text[10] === 'T' &&
    text[13] === ':'
  );
}
