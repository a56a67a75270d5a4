/** Characters of a refusal that are looked at: the expressions below take quadratic time on hostile text. */
const REFUSAL_LIMIT = 8 * 1024;

/** An answer that is no success; `json` is its text as JSON, if it is any. */
interface Answer {
  readonly status: number;
  readonly text: string;
  readonly json: unknown;
}

/**
 * What a refusal says, on one line and cut: Pulumi's `message`, OAuth's `error_description`, else the text (HTML without tags).
 * Tokens that it echoes are hidden here, because no redactor knows the piece of one that the cut leaves.
 */
export function refusal(answer: Answer): string {
  const fields =
    typeof answer.json === 'object' && answer.json !== null ? (answer.json as Record<string, unknown>) : {};
  const said = [fields['message'], fields['error_description'], fields['error']].find(
    (field) => typeof field === 'string',
  );
  const read = (typeof said === 'string' ? said : answer.text).slice(0, REFUSAL_LIMIT);
  const text = (typeof said === 'string' ? read : read.replace(/<(style|script)[^>]*>.*?<\/\1>|<[^>]*>/gis, ' '))
    .replace(/(?:pul-|eyJ)[\w.-]+/g, '***')
    .replace(/\s+/g, ' ')
    .trim();
  return `HTTP ${answer.status}${text === '' ? '' : ` ${text.length > 300 ? `${text.slice(0, 300)}…` : text}`}`;
}
