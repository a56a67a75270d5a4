/** Shorter values, ignoring surrounding white space, are not redacted: they would blot out half of every log. */
export const SHORTEST_SECRET = 4;
/** The least length at which lines of a multi-line value and encoded forms are redacted. */
export const SHORTEST_PART = 8;

/** The greatest length at which rare forms are redacted too: each costs memory, and URLs hold no longer values. */
const LONGEST_RARE = 4_096;

/** Replaces `characters` in `text` with their JSON escapes. */
function unicodeEscaped(text: string, characters: RegExp): string {
  return text.replace(characters, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The value in a JSON string: plain, with HTML escapes (Go, Gson), with escaped slashes, in ASCII (Python, PHP). */
function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const slashes = plain.replaceAll('/', '\\/');
  const ascii = [plain, slashes].map((form) => unicodeEscaped(form, /[^ -~]/g));
  return [plain, unicodeEscaped(plain, /[<>&]/g), unicodeEscaped(plain, /[<>&=']/g), slashes, ...ascii];
}

/** What URL encoders keep besides letters, digits, `-`, `_`, `.`: forms; Go's QueryEscape; encodeURIComponent. */
const KEPT_IN_URLS = ['*', '~', "~!*'()"];
/** Python's quote; encodeURI; Go's url.UserPassword, PathEscape and paths; passwords in WHATWG URLs. */
const KEPT_RARELY = ['~/', "~!*'();/?:@&=+$,#", '~$&+,;=', '~$&+=:@', '~$&+,/:;=@', "~!$%&'()*+,"];

/** The value in a URL, with a space as `%20` or `+`, and hex digits in either case. */
function urlForms(value: string): string[] {
  const alphabets = value.length > LONGEST_RARE ? KEPT_IN_URLS : [...KEPT_IN_URLS, ...KEPT_RARELY];
  return alphabets.flatMap((kept) => {
    const form = percentEncoded(value.toWellFormed(), kept);
    const forms = [form, form.replaceAll('%20', '+')];
    // RFC 3986 recommends upper case, but not all encoders use it.
    return [...forms, ...forms.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
  });
}

function percentEncoded(value: string, kept: string): string {
  return value.replace(/[^\w.-]/gu, (character) =>
    kept.includes(character) ? character : Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
  );
}

/** Line widths of wrapped base64: GNU base64 and MIME; PEM and OpenSSL. */
const BASE64_WIDTHS = [76, 64];

/** The value in base64: alone, also wrapped, and at each of three offsets in a group. Not wrapped after other text. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const forms = [bytes.toString('base64').replace(/=+$/, ''), ...shiftedForms(bytes)];
  // Without the end, which depends on what follows the value, such as echo's newline.
  const alone = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6));
  for (const width of BASE64_WIDTHS) {
    for (let at = 0; alone.length > width && at < alone.length; at += width) forms.push(alone.slice(at, at + width));
  }
  // Such as a key in a service account's JSON, passed on in base64.
  const json = JSON.stringify(value).slice(1, -1);
  if (json !== value && json.length <= LONGEST_RARE) forms.push(...shiftedForms(Buffer.from(json)));
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** For each offset of `bytes` in a group of three, the characters that depend only on them. */
function shiftedForms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

/** Line width of `xxd -p`. */
const HEX_WIDTH = 60;

/** The value in hexadecimal without spaces, anywhere in the text, and in wrapped lines if encoded alone. */
function hexForms(value: string): string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex');
  const forms = [hex, hex.toUpperCase()];
  for (let at = 0; hex.length > HEX_WIDTH && at < hex.length; at += HEX_WIDTH)
    forms.push(hex.slice(at, at + HEX_WIDTH));
  return forms;
}

/** The lines of a multi-line value to redact on their own, without indentation if enough remains. */
function lineForms(value: string): string[] {
  return value.split(/\r?\n/).flatMap((line) => {
    const bare = line.trim();
    if (bare.length >= SHORTEST_PART) return [bare];
    return line.length >= SHORTEST_PART && bare.length >= SHORTEST_SECRET ? [line] : [];
  });
}

/**
 * Every text that reveals `value`: the value; without trailing line breaks, as from a shell's `$(…)`; with LF and with
 * CRLF line ends; each line of at least 8 characters; and its JSON, URL, base64 and hexadecimal forms of at least 8.
 * Empty for values too short to redact.
 */
export function secretForms(value: string): string[] {
  if (value.trim().length < SHORTEST_SECRET) return [];
  const forms = new Set([value]);
  const bare = value.replace(/[\r\n]+$/, '');
  const unix = bare.replaceAll('\r\n', '\n');
  for (const form of [bare, unix, unix.replaceAll('\n', '\r\n')]) forms.add(form);
  if (unix.includes('\n')) for (const line of lineForms(unix)) forms.add(line);
  for (const encode of [jsonForms, urlForms, base64Forms, hexForms]) {
    for (const form of [...encode(bare), ...(bare === unix ? [] : encode(unix))]) {
      if (form.length >= SHORTEST_PART) forms.add(form);
    }
  }
  return [...forms];
}
