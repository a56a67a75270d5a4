type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/**
 * The code of a user-facing error, which has an entry in TROUBLESHOOTING.md. Codes are never
 * reused.
 */
export type ErrorCode = `PRA-${Uppercase<string>}-${Digit}${Digit}`;

/** The URL of the entry for `code`; `page` is the URL of TROUBLESHOOTING.md. */
export function entryOf(code: string, page: string): string {
  return `${page}#${code.toLowerCase()}`;
}

/**
 * `message` followed by its entry's code: on a separate line if the message has several lines, else
 * as a sentence of its own.
 */
export function withEntry(message: string, code: string | undefined): string {
  if (code === undefined) return message;
  if (message.includes('\n')) return `${message}\nSee ${code}`;
  // No full stop after the code or a URL: a terminal would include it in the URL.
  const isComplete = /[.!?…]["')]?$|https?:\/\/\S+$/.test(message);
  return `${message}${isComplete ? '' : '.'} See ${code}`;
}

/** `text` with each entry's URL appended to its code; unchanged if the page's URL is unknown. */
export function withLinks(text: string, page: string | undefined): string {
  if (page === undefined) return text;
  return text.replace(
    /\bSee (PRA-[A-Z0-9]+-\d{2})\b/g,
    (reference, code: string) => `${reference}: ${entryOf(code, page)}`,
  );
}
