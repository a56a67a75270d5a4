import { clause } from '../outcome.ts';

/** Characters of a refusal that are looked at: the expressions below take quadratic time on hostile text. */
const REFUSAL_LIMIT = 8 * 1024;
/** Characters of a sentence that are shown. */
const SENTENCE_LIMIT = 300;

/** An answer that is no success; `json` is its text as JSON, if it is any. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
}

/**
 * What a refusal says: the first sentence of Pulumi's `message`, OAuth's `error_description` or else the text (HTML without tags),
 * on one line and cut, never a server's stack trace. Tokens that it echoes are hidden here, because no redactor knows the piece
 * of one that the cut leaves.
 */
export function refusal(answer: Answer): string {
  const { message, error_description, error } = fieldsOf(answer.json);
  const said = [message, error_description, error, fieldsOf(error)['message']].find(
    (field) => typeof field === 'string',
  );
  const text = typeof said === 'string' ? readable(said) : withoutTags(readable(answer.text));
  const sentence = firstSentence(text.replace(/(?:pul-|eyJ)[\w.-]+/g, '***'));
  return sentence === '' ? `HTTP ${answer.status}` : `HTTP ${answer.status} ${sentence}`;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The part that can say something: Python has its message behind the trace. */
function readable(text: string): string {
  if (!/^\s{0,99}Traceback \(/.test(text)) return text.slice(0, REFUSAL_LIMIT);
  return text.slice(-REFUSAL_LIMIT).trim().split('\n').at(-1) ?? '';
}

/** A page's title is behind its text: it often says nothing but "Error". */
function withoutTags(text: string): string {
  const [, title = ''] = /<title[^>]*>([^<]*)/i.exec(text) ?? [];
  const shown = text
    .replace(/<(style|script|title)[^>]*>.*?<\/\1>/gis, ' ')
    .replace(/<\/?(?:a|b|code|em|i|small|span|strong)\b[^>]*>/gi, '')
    .replace(/<[^>]*>/g, '\n\n');
  return `${shown}\n\n${title}`;
}

/** A line of a stack trace, as JavaScript, Java, .NET, Python, Go, Rust, Ruby and PHP have them. */
const TRACE_LINE =
  /^\s*(?:at \S|from \S+:\d+:in|File ".*", line \d|Caused by:|Traceback \(|goroutine \d+ \[|created by \S+\(?|\S+\.go:\d+|#\d+ \S|\d+: 0x|stack ?(?:back)?trace\b)/i;
/** The same on one line. */
const TRACE =
  / at (?:async |new )?[^ ()]{1,300}(?: ?\([^()]{0,300}:\d+\)|:\d+:\d+)| File "[^"]{0,300}", line \d| goroutine \d+ \[/;

function firstSentence(text: string): string {
  for (const paragraph of text.split(/\r?\n[^\S\n]*\r?\n/)) {
    const lines = paragraph.split(/\r?\n/);
    const end = lines.findIndex((line) => TRACE_LINE.test(line));
    const said = lines.slice(0, end === -1 ? undefined : end).join(' ');
    const line = said.replace(/\s+/g, ' ').split(TRACE, 1).join().trim();
    if (line === '') continue;
    const [sentence = ''] = line.split(/(?<=[.!?]) (?=["'(]?\p{Lu})/u, 1);
    const shown = clause(sentence).replace(/:$/, '');
    return shown.length > SENTENCE_LIMIT ? `${shown.slice(0, SENTENCE_LIMIT)}…` : shown;
  }
  return '';
}
