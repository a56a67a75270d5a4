import { fieldsOf } from '../base/json.ts';
import { clause } from '../base/outcome.ts';
import type { CloudAnswer } from './attempt.ts';

/** Characters examined of a refusal: the expressions below take quadratic time on hostile text. */
const REFUSAL_LIMIT = 8 * 1024;

/** Characters of the sentence that are shown. */
const SENTENCE_LIMIT = 300;

/**
 * The first sentence of a refusal, truncated, without tags and stack trace. Tokens are masked here,
 * because no redactor recognizes a truncated one.
 */
export function refusal({ status, text, json }: CloudAnswer): string {
  const { message, error_description, error } = fieldsOf(json);
  const detail = [message, error_description, error, fieldsOf(error)['message']].find(
    (field) => typeof field === 'string',
  );
  const shown =
    typeof detail === 'string' ? detail.slice(0, REFUSAL_LIMIT) : withoutTags(text.slice(0, REFUSAL_LIMIT));
  const sentence = firstSentence(withoutTokens(shown));

  return sentence === '' ? `HTTP ${status}` : `HTTP ${status} ${sentence}`;
}

/** A text without Pulumi's tokens and JSON Web Tokens: no redactor recognizes one that is cut. */
export function withoutTokens(text: string): string {
  return text.replace(/(?:pul-|eyJ)[\w.-]+/g, '***');
}

/**
 * True for the body of a refusal by Pulumi Cloud: `{code, message}`, or an `error` code of OAuth
 * (RFC 6749, 5.2).
 */
export function isPulumis(json: unknown): boolean {
  const { code, message, error } = fieldsOf(json);
  // Gateways say "Not Found" there.
  const isOAuth = typeof error === 'string' && /^[a-z_]+$/.test(error);
  return isOAuth || (typeof code === 'number' && typeof message === 'string');
}

/** The title goes last: it often says nothing but "Error". */
function withoutTags(text: string): string {
  const [, title = ''] = /<title[^>]*>([^<]*)/i.exec(text) ?? [];
  const shown = text
    .replace(/<(style|script|title)[^>]*>.*?<\/\1>/gis, ' ')
    .replace(/<\/?(?:a|b|code|em|i|small|span|strong)\b[^>]*>/gi, '')
    .replace(/<[^>]*>/g, '\n\n');
  return `${shown}\n\n${title}`;
}

/**
 * The first sentence of the first non-blank line. A stack trace may follow, on further lines or as
 * ` at f (…)`.
 */
function firstSentence(text: string): string {
  const line = text.split(/[\r\n]+/).find((each) => each.trim() !== '') ?? '';
  const [sentence = ''] = line
    .replace(/\s+/g, ' ')
    .trim()
    .split(/(?<=[.!?]) (?=["'(]?\p{Lu})| at (?=\S+ ?\(|\S+:\d+:\d+)/u, 1);
  const shown = clause(sentence).replace(/:$/, '');
  return shown.length > SENTENCE_LIMIT ? `${shown.slice(0, SENTENCE_LIMIT)}…` : shown;
}
