/*
 * Invisible text: control characters except line feed and tab, zero-width characters, and escape sequences.
 * Redaction ignores it, and display removes it, both by `invisibleLength`, so that no secret appears
 * between the two.
 *
 * An escape sequence ends on its line, within `MOST_INVISIBLE` bytes, and has neither another invisible character nor a
 * mask inside. Of anything else only its first character, a control, is invisible, so it hides no text.
 */

/** Bytes that a sequence has at the most, and that can lie between the characters of a secret. */
export const MOST_INVISIBLE = 16 * 1024;

/** The text ends within what may become invisible. */
export const CUT = -1;

const TAB = 0x09;
const LF = 0x0a;
const BEL = 0x07;
const ESC = 0x1b;

/** Also in masks, so never part of a sequence: a mask would join one that its text left open. */
const ASTERISK = 0x2a;
const BACKSLASH = 0x5c;
const DELETE = 0x7f;

/**
 * First byte of C1 controls in UTF-8; the second is that of the same control after an escape, plus
 * 0x40.
 */
const C1 = 0xc2;
const STRING_TERMINATOR = 0x9c;

/**
 * The bytes that open a control string after an escape (ECMA-48: DCS, SOS, OSC, PM, APC), and CSI.
 */
const STRINGS = new Set(Buffer.from('PX]^_'));
const CSI = 0x5b;

/**
 * Zero-width characters, from and to: Unicode's Default_Ignorable_Code_Point, and annotation marks.
 * Sorted.
 */
const ZERO_WIDTH = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
] as const;

/** For each byte, 1 if something invisible can begin with it, or if it ends a line. */
export const IS_NOTABLE = new Uint8Array(256)
  .fill(1, 0, 0x20)
  .fill(0, TAB, TAB + 1)
  .fill(1, DELETE, DELETE + 1);

/**
 * For each two bytes, the first one the upper, 1 if an invisible character of three or four can
 * begin with them.
 */
const IS_NOTABLE_PAIR = new Uint8Array(0x10000);

for (const [first, last] of [[0x80, 0x9f] as const, ...ZERO_WIDTH]) {
  for (let code = first; code <= last; code += 0x40 - (code & 0x3f)) {
    const [lead = 0, second = 0] = Buffer.from(String.fromCodePoint(code));
    IS_NOTABLE[lead] = 1;
    IS_NOTABLE_PAIR[(lead << 8) | second] = 1;
  }
}

/**
 * The length of what is invisible at `at`, 0 for something visible. `CUT` if the text ends before
 * that is certain, unless `isEnd` says that nothing follows.
 */
export function invisibleLength(text: Uint8Array, at: number, isEnd: boolean): number {
  const size = characterLength(text, at, isEnd);
  if (size <= 0) return size;

  const second = text[at + 1];
  let opener: number | undefined;

  if (text[at] === ESC) {
    if (second === undefined) return isEnd ? size : CUT;
    opener = second;
  } else if (text[at] === C1 && second !== undefined && second < 0xa0) {
    opener = second - 0x40;
    if (opener !== CSI && !STRINGS.has(opener)) return size;
  }

  if (opener === undefined) return size;

  const end = sequenceEnd(text, at, opener, isEnd);
  if (end > text.length) return isEnd || text.length - at >= MOST_INVISIBLE ? size : CUT;

  return end < 0 || end - at > MOST_INVISIBLE ? size : end - at;
}

/**
 * The end of a sequence, whose opener is its second byte; -1 for none, more than the text's length
 * if that cuts it.
 */
function sequenceEnd(text: Uint8Array, at: number, opener: number, isEnd: boolean): number {
  if (STRINGS.has(opener)) return stringEnd(text, at, isEnd);

  const last = Math.min(text.length, at + MOST_INVISIBLE);
  let end = at + 2;
  let lowest = 0x40;

  if (opener === CSI) {
    while (end < last && isWithin(text[end], 0x30, 0x3f)) end += 1;
  } else if (isWithin(opener, 0x20, 0x2f) && opener !== ASTERISK) {
    lowest = 0x30;
  } else {
    return isWithin(opener, 0x30, 0x7e) ? end : -1;
  }

  while (end < last && isWithin(text[end], 0x20, 0x2f) && text[end] !== ASTERISK) end += 1;

  return end === text.length || isWithin(text[end], lowest, 0x7e) ? end + 1 : -1;
}

/** The same for a control string, which BEL or ST ends. */
function stringEnd(text: Uint8Array, at: number, isEnd: boolean): number {
  const last = Math.min(text.length, at + MOST_INVISIBLE);
  for (let end = at + 2; end < last; end++) {
    const byte = text[end] as number;
    const next = text[end + 1];
    if (byte === BEL) return end + 1;
    if (byte === C1 && next === STRING_TERMINATOR) return end + 2;
    if (byte === ESC) return next === undefined || next === BACKSLASH ? end + 2 : -1;
    if (byte === ASTERISK && next === ASTERISK && text[end + 2] === ASTERISK) return -1;
    if (IS_NOTABLE[byte] === 0) continue;

    const length = characterLength(text, end, isEnd);
    if (length === CUT) return text.length + 1;
    if (length > 0 || byte === LF) return -1;
  }

  return last === text.length ? last + 1 : -1;
}

/** The length of an invisible character in UTF-8, 0 for other characters or bytes, or `CUT`. */
function characterLength(text: Uint8Array, at: number, isEnd: boolean): number {
  const lead = text[at] as number;
  if (lead < 0x20) return lead === TAB || lead === LF ? 0 : 1;
  if (lead < C1) return lead === DELETE ? 1 : 0;

  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (size > 2 && at + 1 < text.length && IS_NOTABLE_PAIR[(lead << 8) | (text[at + 1] as number)] === 0)
    return 0;

  let code = lead & (0x7f >> size);
  for (let next = at + 1; next < at + size; next++) {
    if (next === text.length) return isEnd ? 0 : CUT;
    const byte = text[next] as number;
    if ((byte & 0xc0) !== 0x80) return 0;
    code = (code << 6) | (byte & 0x3f);
  }

  return isWithin(code, 0x80, 0x9f) || isZeroWidth(code, size) ? size : 0;
}

function isZeroWidth(code: number, size: number): boolean {
  // Four bytes for a smaller code are an overlong form, which is shown as four replacement
  // characters.
  if (size === 4 && code < 0x10000) return false;
  for (const [first, last] of ZERO_WIDTH) {
    if (code <= last) return code >= first;
  }
  return false;
}

/** A text that is cut at its end, without an invisible piece that the cut splits or may split. */
export function withoutPartialSequence(text: Buffer): Buffer {
  for (let at = 0; at < text.length; at++) {
    const length = IS_NOTABLE[text[at] as number] === 0 ? 0 : invisibleLength(text, at, false);
    if (length === CUT) return text.subarray(0, at);
    if (length > 0) at += length - 1;
  }
  return text;
}

function isWithin(byte: number | undefined, first: number, last: number): boolean {
  return byte !== undefined && byte >= first && byte <= last;
}

/** `text` without what is invisible, unless `keeps` says to keep such a piece. Linear time. */
export function withoutInvisible(text: string, keeps: (piece: Buffer) => boolean = () => false): string {
  if (!/(?![\t\n])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u.test(text)) return text;

  const bytes = Buffer.from(text);

  // Bytes up to `size` are the result so far, those from `rest` on follow it.
  let [size, rest] = [0, 0];

  for (let at = 0; at < bytes.length; at++) {
    const length = IS_NOTABLE[bytes[at] as number] === 0 ? 0 : invisibleLength(bytes, at, true);
    if (length === 0) continue;

    if (!keeps(bytes.subarray(at, at + length))) {
      bytes.copyWithin(size, rest, at);
      size += at - rest;
      rest = at + length;
    }

    at += length - 1;
  }

  bytes.copyWithin(size, rest);

  return bytes.toString('utf8', 0, size + bytes.length - rest);
}

/*
 * Patterns for the messages that a CI system finds in a line. Wider than the invisible text above: some systems compare
 * as ICU does, which ignores more.
 */

/** A colour's escape sequence, as the source of a regular expression. */
export const COLOUR = String.raw`\u001b\[[0-9;:]*m`;

/**
 * Characters that ICU ignores in a culture-sensitive comparison, as part of a class: of the marks and
 * modifiers it ignores about half.
 */
export const IGNORABLE = String.raw`\p{Cc}\p{Cf}\p{M}\p{Lm}\p{Default_Ignorable_Code_Point}\u180a\u1cd3\ufe73`;

/**
 * Text that ICU or a reader does not see: whole colour sequences, and ignorable characters except a
 * lone escape.
 */
export const INVISIBLE = String.raw`(?:${COLOUR}|(?!\u001b)[${IGNORABLE}])*`;
