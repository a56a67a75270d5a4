/** What a part begins with that goes on with the one before it. */
const CONTINUED = '… ';

/** Cuts a text into parts of at most `limit` bytes of UTF-8 (16 at least); none ends within a character. */
export function* syslogParts(text: string, limit: number): Generator<string> {
  if (Buffer.byteLength(text) <= limit) {
    yield text;
    return;
  }
  const bytes = Buffer.from(text);
  let prefix = '';
  for (let at = 0; at < bytes.length; ) {
    let end = Math.min(bytes.length, at + limit - Buffer.byteLength(prefix));
    // Bytes of the form 10xxxxxx go on with a character.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    yield prefix + bytes.toString('utf8', at, end);
    prefix = CONTINUED;
    at = end;
  }
}
