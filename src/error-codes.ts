type Digit = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** The code of an error that a user can meet, which has its entry in TROUBLESHOOTING.md. No code is ever used again for something else. */
export type ErrorCode = `PRA-${Uppercase<string>}-${Digit}${Digit}`;

/** The address of the entry of `code` on `page`, the address of TROUBLESHOOTING.md. */
export function entryOf(code: string, page: string): string {
  return `${page}#${code.toLowerCase()}`;
}

/** `message` with the code of its entry behind it, on a line of its own where the message has several. */
export function withEntry(message: string, code: string | undefined): string {
  // No full stop: a terminal would take it for a part of the address that may follow.
  return code === undefined ? message : `${message}${message.includes('\n') ? '\n' : ' '}See ${code}`;
}

/** `text` with its address behind each entry that it names; as it is where the page's address isn't known. */
export function withLinks(text: string, page: string | undefined): string {
  if (page === undefined) return text;
  return text.replace(/\bSee (PRA-[A-Z0-9]+-\d{2})\b/g, (named, code: string) => `${named}: ${entryOf(code, page)}`);
}
