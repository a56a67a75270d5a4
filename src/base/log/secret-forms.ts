import { withoutInvisible } from './invisible-text.ts';
import { withoutTrailing } from './plain-text.ts';

/**
 * Shorter values, ignoring surrounding white space, are not redacted: they would blot out half of
 * every log.
 */
export const SHORTEST_SECRET = 4;

/** The least length at which lines of a multi-line value and encoded forms are redacted. */
const SHORTEST_PART = 8;

/**
 * The texts by which a CI system that masks line by line hides a secret: each line of at least
 * `SHORTEST_PART` characters, or of `SHORTEST_SECRET` where none is as long, or the only line, however short. A brace
 * would hide every brace.
 */
export function maskedLines(secret: string): string[] {
  const lines = secretLines(secret);
  if (lines.length === 1) return lines;
  const parts = lines.filter((line) => line.length >= SHORTEST_PART);
  return parts.length > 0 ? parts : lines.filter((line) => line.length >= SHORTEST_SECRET);
}

/** True if a secret of several lines has one that is too short to be masked by itself. */
export function hasShortLine(secret: string): boolean {
  const lines = secretLines(secret);
  return lines.length > 1 && lines.some((line) => line.length < SHORTEST_PART);
}

/** The lines of a secret without the white space around them; none of white space alone. */
function secretLines(secret: string): string[] {
  return secret
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/**
 * The greatest length at which rare forms are redacted too: each costs memory, and URLs hold no
 * longer values.
 */
const LONGEST_RARE = 4_096;

/** Replaces `characters` in `text` with their JSON escapes. */
function unicodeEscaped(text: string, characters: RegExp): string {
  return text.replace(
    characters,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * The value in a JSON string: plain, with escaped slashes, with HTML escapes (Go, Gson), in ASCII
 * (Python, PHP), and as .NET writes it.
 */
function jsonForms(value: string): string[] {
  const plain = JSON.stringify(value).slice(1, -1);
  if (value.length > LONGEST_RARE) return [plain];
  const slashes = plain.replaceAll('/', '\\/');
  const ascii = [plain, slashes].map((form) => unicodeEscaped(form, /[^ -~]/g));
  const html = [/[<>&]/g, /[<>&=']/g].map((characters) => unicodeEscaped(plain, characters));
  return [plain, slashes, ...html, ...ascii, dotnetEscaped(plain)];
}

/** JSON as .NET escapes it by default (JavaScriptEncoder.Default): more characters, in upper case. */
function dotnetEscaped(json: string): string {
  return json.replace(/\\u[0-9a-f]{4}|\\.|[^ -~]|[<>&'`+]/g, (match) => {
    if (match === '\\"') return '\\u0022';
    if (match.startsWith('\\')) return match.replace(/u.*/, (code) => `u${code.slice(1).toUpperCase()}`);
    return `\\u${match.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
  });
}

/**
 * Characters that URL encoders keep besides letters, digits, `-`, `_`, `.`: forms; Go's QueryEscape;
 * encodeURIComponent; Python's quote; encodeURI; Go's url.UserPassword, PathEscape and paths;
 * passwords in WHATWG URLs.
 */
const UNESCAPED_IN_URLS = [
  '*',
  '~',
  "~!*'()",
  '~/',
  "~!*'();/?:@&=+$,#",
  '~$&+,;=',
  '~$&+=:@',
  '~$&+,/:;=@',
  "~!$%&'()*+,",
];

/** The value in a URL, with a space as `%20` or `+`, and hex digits in either case. */
function urlForms(value: string): string[] {
  if (value.length > LONGEST_RARE) return [];
  return UNESCAPED_IN_URLS.flatMap((unescaped) => {
    const form = percentEncoded(value.toWellFormed(), unescaped);
    const forms = [form, form.replaceAll('%20', '+')];
    // RFC 3986 recommends upper case, but not all encoders use it.
    return [...forms, ...forms.map((each) => each.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))];
  });
}

function percentEncoded(value: string, unescaped: string): string {
  return value.replace(/[^\w.-]/gu, (character) =>
    unescaped.includes(character)
      ? character
      : Buffer.from(character).toString('hex').toUpperCase().replace(/../g, '%$&'),
  );
}

/**
 * The value in base64: alone, and at each of three offsets in a group; also its JSON, and in the
 * alphabet for URLs.
 */
function base64Forms(value: string): string[] {
  const bytes = Buffer.from(value, 'utf8');
  const forms = [bytes.toString('base64').replace(/=+$/, ''), ...shiftedForms(bytes)];
  if (value.length > LONGEST_RARE) return forms;
  // Such as a key in a service account's JSON, passed on in base64.
  const json = JSON.stringify(value).slice(1, -1);
  if (json !== value) forms.push(...shiftedForms(Buffer.from(json)));
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}

/** For each offset of `bytes` in a group of three, the characters that depend only on them. */
function shiftedForms(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    return text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6));
  });
}

/** The value in hexadecimal without spaces. */
function hexForms(value: string): string[] {
  const hex = Buffer.from(value, 'utf8').toString('hex');
  return value.length > LONGEST_RARE ? [hex] : [hex, hex.toUpperCase()];
}

/**
 * The lines of a multi-line value to redact on their own, without indentation if enough remains.
 */
function lineForms(value: string): string[] {
  return value.split('\n').flatMap((line) => {
    const bare = line.trim();
    if (bare.length >= SHORTEST_PART) return [bare];
    return line.length >= SHORTEST_PART && bare.length >= SHORTEST_SECRET ? [line] : [];
  });
}

/**
 * The value without trailing line breaks, as from a shell's `$(…)`; as a person reads that: CRLF
 * shows as LF; and each without white space around it, as a shell prints an unquoted variable.
 */
function readings(value: string): string[] {
  const bare = withoutTrailing(value, '\r\n');
  // Of a long value the second covers the first but for white space.
  const texts = [bare, withoutInvisible(bare)].flatMap((text) =>
    text.length > LONGEST_RARE ? [text.trim()] : [text, text.trim()],
  );
  return [...new Set(texts)].filter((text) => text.trim().length >= SHORTEST_SECRET);
}

/**
 * Every text that reveals `value`: the value; without white space around it; without what is
 * invisible in it; each line of at least 8 characters; and its JSON, URL, base64 and hexadecimal
 * forms of at least 8. Of a value longer than `LONGEST_RARE` only its plainest JSON, base64 and
 * hexadecimal. Maps those that programs wrap at any width, base64 and hexadecimal, to true. Empty
 * for values too short to redact.
 */
export function secretForms(value: string): Map<string, boolean> {
  if (value.trim().length < SHORTEST_SECRET) return new Map();

  const read = readings(value);
  const lines = read.flatMap((reading) => (reading.includes('\n') ? lineForms(reading) : []));
  const encoded = read.flatMap((reading) => [...jsonForms(reading), ...urlForms(reading)]);
  const wrapped = read.flatMap((reading) => [...base64Forms(reading), ...hexForms(reading)]);
  const isLong = (form: string) => form.length >= SHORTEST_PART;

  return new Map([
    ...[value, ...read, ...lines, ...encoded.filter(isLong)].map((form) => [form, false] as const),
    ...wrapped.filter(isLong).map((form) => [form, true] as const),
  ]);
}
