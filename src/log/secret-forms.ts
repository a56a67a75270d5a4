/** Shorter values (white space around them not counted) are not redacted: they would blot out half of every log. */
export const SHORTEST_SECRET = 4;
/** Lines of a multi-line value, and encoded forms, are redacted from this length on. */
export const SHORTEST_PART = 8;

/** Characters up to which a value is looked for in rare forms too: each costs memory, and nobody puts longer ones into a URL. */
const LONGEST_RARE = 4_096;

/** `signs` as JSON may write any character. */
function unicodeEscaped(text: string, signs: RegExp): string {
  return text.replace(signs, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The value inside a JSON string: plain, with the HTML escapes of Go and of Gson, with slashes escaped, and in ASCII (Python, PHP). */
function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  const slashes = plain.replaceAll('/', '\\/');
  const ascii = [plain, slashes].map((form) => unicodeEscaped(form, /[^ -~]/g));
  return [plain, unicodeEscaped(plain, /[<>&]/g), unicodeEscaped(plain, /[<>&=']/g), slashes, ...ascii];
}

/** What a URL's encoders leave besides letters, digits, `-`, `_`, `.`: forms; Go's QueryEscape; JavaScript's encodeURIComponent. */
const KEPT_IN_URLS = ['*', '~', "~!*'()"];
/** Python's quote; encodeURI; Go's url.UserPassword, PathEscape and paths; passwords in URLs of the WHATWG. */
const KEPT_RARELY = ['~/', "~!*'();/?:@&=+$,#", '~$&+,;=', '~$&+=:@', '~$&+,/:;=@', "~!$%&'()*+,"];

/** The value inside a URL, with a space as `%20` and as `+`, and with either kind of hex digits. */
function urlForms(value: string): string[] {
  const alphabets = value.length > LONGEST_RARE ? KEPT_IN_URLS : [...KEPT_IN_URLS, ...KEPT_RARELY];
  return alphabets.flatMap((kept) => {
    const form = percentEncoded(value.toWellFormed(), kept);
    const forms = [form, form.replaceAll('%20', '+')];
    // RFC 3986 wants capitals; not everybody writes them.
    return [...forms, ...forms.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
  });
}

function percentEncoded(value: string, kept: string): string {
  return value.replace(/[^\w.-]/gu, (sign) =>
    kept.includes(sign) ? sign : Buffer.from(sign).toString('hex').toUpperCase().replace(/../g, '%$&'),
  );
}

/** Characters of a line of base64 as tools wrap it: GNU base64 and MIME; PEM and OpenSSL. */
const BASE64_WIDTHS = [76, 64];

/** The value inside base64 text: alone, in one line or several, and at each of its three places in a group. Not in lines behind something. */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const forms = [bytes.toString('base64').replace(/=+$/, ''), ...shiftedForms(bytes)];
  // The end differs with what stands behind the value, such as the line end that echo adds.
  const alone = bytes.toString('base64').slice(0, Math.floor((bytes.length * 8) / 6));
  for (const width of BASE64_WIDTHS) {
    for (let at = 0; alone.length > width && at < alone.length; at += width) forms.push(alone.slice(at, at + width));
  }
  // A key in the JSON of a service account, which is handed on in base64.
  const json = JSON.stringify(value).slice(1, -1);
  if (json !== value && json.length <= LONGEST_RARE) forms.push(...shiftedForms(Buffer.from(json)));
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** For each place that `bytes` can have in a group of three, the characters that depend on them alone. */
function shiftedForms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

/** Characters of a line of `xxd -p`. */
const HEX_WIDTH = 60;

/** The value as hexadecimal digits without spaces, wherever in such a text it stands, and in lines when encoded alone. */
function hexForms(value: string): string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex');
  const forms = [hex, hex.toUpperCase()];
  for (let at = 0; hex.length > HEX_WIDTH && at < hex.length; at += HEX_WIDTH)
    forms.push(hex.slice(at, at + HEX_WIDTH));
  return forms;
}

/** The lines of a multi-line value that are worth redacting alone: without their indentation where that leaves enough. */
function lineForms(value: string): string[] {
  return value.split(/\r?\n/).flatMap((line) => {
    const bare = line.trim();
    if (bare.length >= SHORTEST_PART) return [bare];
    return line.length >= SHORTEST_PART && bare.length >= SHORTEST_SECRET ? [line] : [];
  });
}

/**
 * Every text that gives `value` away: the value, without the line breaks at its end (as a shell's `$(…)` yields it), with LF and
 * with CRLF line ends, each of its lines of at least 8 characters, and from 8 characters on its JSON, URL, base64 and hexadecimal forms.
 * Empty for values that are too short to be redacted.
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
