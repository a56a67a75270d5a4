const LONGEST_SHOWN = 60;
const LONGEST_SEARCHED = 400; // the search is quadratic

/** What looks like a Pulumi token, a JWT, or any long random word: a secret pasted into the wrong place. */
const SECRET_LIKE = /pul-[\w-]+|eyJ[\w.-]+|(?=[A-Za-z_-]*\d)[\w-]{20,}/g;

/** The first 400 characters of `text` on one line, with control characters escaped and whatever looks like a secret masked. */
export function maskSecretLike(text: string): string {
  return text
    .slice(0, LONGEST_SEARCHED)
    .replace(SECRET_LIKE, '***')
    .replace(/[\p{C}\u2028\u2029]/gu, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
}

/** A value from outside as a message may show it: masked, escaped, at most 60 characters, in double quotes. */
export function quoteValue(value: string): string {
  const masked = maskSecretLike(value);
  return `"${masked.length > LONGEST_SHOWN ? `${masked.slice(0, LONGEST_SHOWN - 1)}…` : masked}"`;
}
