import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AhoCorasick } from '../../../../src/base/log/aho-corasick.ts';
import { MOST_INVISIBLE, withoutInvisible } from '../../../../src/base/log/invisible-text.ts';
import { stripControl } from '../../../../src/base/log/plain-text.ts';
import { type RedactionStream, Redactor } from '../../../../src/base/log/redactor.ts';
import { Scan } from '../../../../src/base/log/scan.ts';
import { secretForms } from '../../../../src/base/log/secret-forms.ts';
import { hostile, INVISIBLE, invisible, sequence, shortSequence } from '../../../support/log/invisible.ts';
import { runs } from '../../../support/property-runs.ts';

interface Reading {
  readonly text: string;
  /** Where each of its code units stands in the whole text. */
  readonly places: readonly number[];
}

/** The text without what matches. */
function without(whole: Reading, left: RegExp): Reading {
  const keep = new Array<boolean>(whole.text.length).fill(true);
  for (const { index, 0: match } of whole.text.matchAll(left)) keep.fill(false, index, index + match.length);
  const places = whole.places.filter((_, at) => keep[at]);
  return {
    text:
      [...whole.text].length === 0
        ? ''
        : whole.text
            .split('')
            .filter((_, at) => keep[at])
            .join(''),
    places,
  };
}

/** How three readers see it; the last one looks for wrapped forms. */
function readings(text: string): {
  readonly raw: Reading;
  readonly visible: Reading;
  readonly joined: Reading;
} {
  const raw = { text, places: Array.from({ length: text.length }, (_, at) => at) };
  const visible = without(raw, INVISIBLE);
  return { raw, visible, joined: without(visible, /(?<!\n[ \t]*)\n[ \t]*(?![ \t\n])/g) };
}

const formsOf = (secret: string) => [...secretForms(secret).keys()];
const wrappedFormsOf = (secret: string) => {
  const forms = [...secretForms(secret)];
  return forms.filter(([, canWrap]) => canWrap).map(([form]) => form);
};

/** Whether each character belongs to an occurrence of a form, or stands in one. Slow and obviously right. */
function coverage(text: string, secrets: readonly string[]): boolean[] {
  const covered = new Array<boolean>(text.length).fill(false);
  const { raw, visible, joined } = readings(text);
  const cover = (reading: Reading, forms: readonly string[]) => {
    for (const form of forms) {
      for (let at = reading.text.indexOf(form); at !== -1; at = reading.text.indexOf(form, at + 1)) {
        covered.fill(true, reading.places[at], (reading.places[at + form.length - 1] ?? 0) + 1);
      }
    }
  };
  const forms = secrets.flatMap(formsOf);
  cover(raw, forms);
  // A sequence that a mask touches would no longer be invisible, so it is covered too.
  for (const { index, 0: match } of text.matchAll(INVISIBLE)) {
    const end = index + match.length;
    if (covered.slice(index, end).includes(true)) covered.fill(true, index, end);
  }
  cover(visible, forms);
  cover(joined, secrets.flatMap(wrappedFormsOf));
  return covered;
}

const hasEscape = (text: string) => text.includes('\u001b') || text.includes('\u009b');

/**
 * Replaces each covered stretch with a mask, and ends the colours in it. Stops at `end`, but still writes a mask that
 * begins there.
 */
function masked(text: string, covered: readonly boolean[], end = text.length): string {
  let out = '';
  for (let at = 0; at <= end; ) {
    const next = covered.indexOf(!covered[at], at);
    const until = next === -1 ? text.length : next;
    if (!covered[at]) out += text.slice(at, Math.min(until, end));
    else out += `***${hasEscape(text.slice(at, until)) ? '\u001b[0m' : ''}`;
    at = Math.max(until, at + 1);
  }
  return out;
}

function reference(text: string, secrets: readonly string[]): string {
  return masked(text, coverage(text, secrets));
}

/** The length of the longest end of the text, raw or as it is seen, that is an incomplete form. */
function tailLength(text: string, forms: readonly string[]): number {
  const { raw, visible } = readings(text);
  const lengths = [raw, visible].map((reading) => {
    const tails = Array.from({ length: reading.text.length }, (_, index) => index).filter((at) => {
      const tail = reading.text.slice(at);
      return forms.some((form) => form !== tail && form.startsWith(tail));
    });
    return tails[0] === undefined ? 0 : text.length - (reading.places[tails[0]] ?? 0);
  });
  return Math.max(...lengths);
}

function redactorOf(...values: string[]): Redactor {
  const redactor = new Redactor();
  redactor.add(values);
  return redactor;
}

const push = (stream: RedactionStream, text: string) => String(stream.push(Buffer.from(text)));

/** Redacts bytes as a step prints them, cut at these fractions of their length. */
function redacted(redactor: Redactor, bytes: Buffer, cuts: readonly number[]): string {
  const text = redactor.stream();
  const at = [
    0,
    ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b),
    bytes.length,
  ];
  // Copies input and output, because an unchanged piece is returned as the same buffer.
  const out = at
    .slice(1)
    .map((end, index) => Buffer.from(text.push(Buffer.from(bytes.subarray(at[index], end)))));
  return String(Buffer.concat([...out, text.end()]));
}

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
/** Uses few letters, so secrets often overlap, nest and nearly match. */
const dense = (size: { minLength?: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), ...size });
const secretValue = fc.oneof(
  { weight: 3, arbitrary: dense({ minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 3, max: 9 }).map((length) => 'abcabbabc'.slice(0, length)) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 4 }) },
);

/** The text with something between its characters here and there. */
const broken = (text: string, between: fc.Arbitrary<string>) =>
  fc
    .array(fc.oneof({ weight: 2, arbitrary: fc.constant('') }, { weight: 1, arbitrary: between }), {
      minLength: text.length,
      maxLength: text.length,
    })
    .map((pieces) => [...text].map((character, at) => `${character}${pieces[at] ?? ''}`).join(''));

/** A text that contains secrets and pieces of secrets; with `between`, in or between them. */
const secretsAndText = (between: fc.Arbitrary<string> = fc.constant('')) =>
  fc.array(secretValue, { maxLength: 8 }).chain((secrets) => {
    const scraps = secrets.flatMap((secret) => [secret, secret.slice(1), secret.slice(0, -1)]);
    const scrap = fc.constantFrom('', ...scraps);
    const part = fc.oneof(
      dense({ maxLength: 20 }),
      fc.string({ unit: 'grapheme' }),
      scrap,
      between,
      scrap.chain((text) => broken(text, between)),
    );
    return fc.record({
      secrets: fc.constant(secrets),
      text: fc.array(part, { maxLength: 12 }).map((parts) => parts.join('').toWellFormed()),
      cuts: fc.array(fraction, { maxLength: 10 }),
    });
  });

describe('a text', () => {
  test('is redacted exactly like the reference, however its bytes are split and whatever is invisible in it', () => {
    fc.assert(
      fc.property(secretsAndText(fc.oneof(invisible, hostile)), ({ secrets, text, cuts }) => {
        const expected = reference(text, secrets);
        expect(redactorOf(...secrets).text(text)).toBe(expected);
        expect(redacted(redactorOf(...secrets), Buffer.from(text), cuts)).toBe(expected);
        for (const secret of secrets) {
          if (secret.trim().length >= 4 && !secret.includes('*')) expect(expected).not.toContain(secret);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  test('that asks for a mask gets none: only what the agent knows is hidden', () => {
    const bytes = Buffer.from('::add-mask::harmless\n##[add-mask]harmless\nharmless known-secret-1\n');
    const out = redacted(redactorOf('known-secret-1'), bytes, []);
    expect(out).toBe('::add-mask::harmless\n##[add-mask]harmless\nharmless ***\n');
  });
});

describe('what a person can read', () => {
  const secret = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcABC012-_.'), minLength: 4, maxLength: 24 }),
    fc.string({ unit: 'grapheme', minLength: 4, maxLength: 12 }),
  );

  test('contains no secret, whatever is invisible inside it, however it is split, wherever it is shown', () => {
    const shown = secret.chain((value) =>
      fc.record({
        value: fc.constant(value),
        text: broken(value, invisible),
        around: fc.tuple(hostile, hostile),
        cuts: fc.array(fraction, { maxLength: 10 }),
      }),
    );
    fc.assert(
      fc.property(shown, ({ value, text, around: [before, after], cuts }) => {
        const read = withoutInvisible(value);
        fc.pre(read.trim().length >= 4 && !read.includes('*') && !/[[\]();?]/.test(read));
        const out = redacted(redactorOf(value), Buffer.from(`${before}\n${text}\n${after}`), cuts);
        expect(out).toContain('***');
        expect(out.replaceAll(INVISIBLE, '')).not.toContain(read);
        for (const line of out.split('\n')) expect(stripControl(line, { colours: true })).not.toContain(read);
      }),
      { numRuns: runs(400) },
    );
  });

  test('passes byte for byte where there is no secret, however hostile it is', () => {
    const bytes = fc.oneof(
      hostile.map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each)),
    );
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 5 }), fc.array(fraction, { maxLength: 8 }), (parts, cuts) => {
        const all = Buffer.concat(parts);
        const stream = redactorOf('no-such-secret-1').stream();
        const at = [
          0,
          ...cuts.map((cut) => Math.floor(cut * all.length)).toSorted((a, b) => a - b),
          all.length,
        ];
        const out = at
          .slice(1)
          .map((end, index) => Buffer.from(stream.push(Buffer.from(all.subarray(at[index], end)))));
        expect(Buffer.concat([...out, stream.end()])).toEqual(all);
      }),
      { numRuns: runs(400) },
    );
  });

  test.each([
    [
      'grep --color',
      'x \u001b[01;31m\u001b[Khun\u001b[m\u001b[Kter22 y',
      'x \u001b[01;31m\u001b[K***\u001b[0m y',
    ],
    ['UTF-16', Buffer.from('x hunter22 y', 'utf16le').toString('latin1'), 'x\0 \0***\0 \0y\0'],
    ['CRLF and other controls', 'hunt\rer22\r\nh\bunter22\u0007\r\n', '***\r\n***\u0007\r\n'],
    ['moves of the cursor', 'hun\u001b[5Cter22 hun\u001b[K\u001b[2Dter22', '***\u001b[0m ***\u001b[0m'],
    ['a right-to-left override', 'h\u202eunter22', '***'],
    ['a title', '\u001b]0;user hunter22\u0007prompt', '***\u001b[0mprompt'],
    ['a title that is open', '\u001b]0;user hun\u200bter22 and on\n', '\u001b]0;user *** and on\n'],
    ['two secrets with a colour between', '\u001b[1mhunter22\u001b[0mhunter22', '\u001b[1m***\u001b[0m***'],
  ])('%s', (_, text, expected) => {
    expect(redactorOf('hunter22').text(text)).toBe(expected);
  });

  test('has no secret either that itself contains what is invisible', () => {
    const value = '\u001b[1mhun\u200bter22\u001b[0m';
    for (const text of [value, 'hunter22', 'h\0unter22'])
      expect(redactorOf(value).text(`<${text}>`)).toMatch(/^<\*\*\*.*>$/);
  });

  test('has nothing that a mask makes visible, wherever in a sequence it begins or ends', () => {
    const part = fc.oneof(
      sequence,
      shortSequence,
      fc.string({ unit: fc.constantFrom(...'ab_]P0m '), maxLength: 6 }),
    );
    const whole = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    const cuts = fc.array(fraction, { maxLength: 8 });
    fc.assert(
      fc.property(whole, fraction, fc.integer({ min: 4, max: 9 }), cuts, (text, place, length, at) => {
        const from = Math.floor(place * text.length);
        const value = text.slice(from, from + length);
        fc.pre(value.trim().length >= 4);
        const out = redacted(redactorOf(value), Buffer.from(text), at);
        expect(out).toBe(reference(text, [value]));
        const read = text.replaceAll(INVISIBLE, '');
        let end = 0;
        for (const shown of out.replaceAll(INVISIBLE, '').split('***')) {
          expect(read.slice(end)).toContain(shown);
          end = read.indexOf(shown, end) + shown.length;
        }
      }),
      { numRuns: runs(2_000) },
    );
  });

  test('is not masked by a mask: none becomes part of an escape sequence before it', () => {
    const out = redactorOf('31mhello', 'é-secret').text('sec\u001b[31mhello there \u001b[1é-secret m');
    expect(stripControl(out)).toBe('sec*** there [1*** m');
  });
});

test('a secret is hidden when a chunk ends in what only looks like an escape sequence so far', () => {
  const stream = redactorOf('hunterP22').stream();
  const text = `hunter${'\0'.repeat(10_000)}\u001bP22${'x'.repeat(7_000)}`;
  const out = push(stream, text) + push(stream, '\nnext\n') + stream.end().toString();
  expect(stripControl(out)).toBe(`***${'x'.repeat(7_000)}next`);
});

describe('base64 of a text that contains a secret', () => {
  test('is hidden at any width, with any line end and indentation, in every shift, however it is split', () => {
    const wrapped = fc.record({
      value: fc.string({ unit: fc.constantFrom(...'abcxyz-_.!0129'), minLength: 8, maxLength: 80 }),
      around: fc.tuple(fc.string({ maxLength: 40 }), fc.string({ maxLength: 40 })),
      width: fc.integer({ min: 8, max: 80 }),
      end: fc.constantFrom('\n', '\r\n', '\n  ', '\r\n\t'),
      encoding: fc.constantFrom('base64', 'base64url', 'hex'),
      cuts: fc.array(fraction, { maxLength: 10 }),
    });
    fc.assert(
      fc.property(wrapped, ({ value, around: [before, after], width, end, encoding, cuts }) => {
        const whole = Buffer.from(`${before}${value}${after}`).toString(encoding as BufferEncoding);
        const text = whole.replaceAll(new RegExp(`.{${width}}(?=.)`, 'g'), `$&${end}`);
        const read = (out: string) => out.replaceAll(/\s/g, '');
        expect(wrappedFormsOf(value).some((form) => whole.includes(form))).toBe(true);
        const [out, chunked] = [
          redactorOf(value).text(text),
          redacted(redactorOf(value), Buffer.from(text), cuts),
        ];
        // What a chunk's end leaves is at most the beginning of one form, shorter than 8 characters.
        const left = whole.length - read(out).length;
        expect(read(out)).toContain('***');
        expect(read(chunked).length).toBeLessThanOrEqual(whole.length - left + 7 + 3);
        for (const form of wrappedFormsOf(value))
          for (const each of [out, chunked]) expect(read(each)).not.toContain(form);
      }),
      { numRuns: runs(400) },
    );
  });

  test.each(['base64', 'hex'] as const)(
    'is hidden when folded, also where another value is that %s',
    (encoding) => {
      const value = 'correct-horse-battery-12';
      const encoded = Buffer.from(value).toString(encoding);
      const folded = encoded.replaceAll(/.{16}(?=.)/g, '$&\n');
      for (const order of [
        [value, encoded],
        [encoded, value],
      ])
        expect(redactorOf(...order).text(folded)).toBe('***');
    },
  );

  test('makes a live line wait only if the 8 characters at its end begin a form, until the next line', () => {
    const [form = ''] = wrappedFormsOf('correct-horse-1');
    const live = (...texts: string[]) => {
      const stream = redactorOf('correct-horse-1').stream();
      return texts.map((text) => push(stream, text));
    };
    expect(live(`key: ${form.slice(0, 7)}\n`, 'next\n')).toEqual([`key: ${form.slice(0, 7)}\n`, 'next\n']);
    expect(live(`key: ${form.slice(0, 8)}\n`, 'next\n')).toEqual(['key: ', `${form.slice(0, 8)}\nnext\n`]);
    expect(live(`key: ${form.slice(0, 8)}\n`, '\n')).toEqual(['key: ', `${form.slice(0, 8)}\n\n`]);
    expect(live(`${form.slice(0, 8)}\n`, `  ${form.slice(8)}\n`, 'x\n')).toEqual(['', '***\n', 'x\n']);
    expect(live(`${form.slice(0, 7)}\n`, `${form.slice(7)}\n`, 'x\n')).toEqual([
      `${form.slice(0, 7)}\n`,
      '***\n',
      'x\n',
    ]);
  });
});

describe('a stream', () => {
  test('holds back only the tail that could begin a secret', () => {
    fc.assert(
      fc.property(secretsAndText(), ({ secrets, text }) => {
        const forms = secrets.flatMap(formsOf);
        const stream = redactorOf(...secrets).stream();
        let [given, out] = ['', ''];
        for (const character of text) {
          given += character;
          out += push(stream, character);
          expect(out).toBe(masked(given, coverage(given, secrets), given.length - tailLength(given, forms)));
        }
      }),
    );
  });

  test('releases a tail as soon as it cannot be a secret, and masks a whole secret at once', () => {
    const stream = redactorOf('abcdefgh').stream();
    expect(push(stream, 'xx abcd')).toBe('xx ');
    expect(push(stream, 'X')).toBe('abcdX');
    expect(push(stream, 'abcdefgh')).toBe('***');
    expect(push(stream, 'abc')).toBe('');
    expect(String(stream.end())).toBe('abc');
    expect(push(stream, 'defg')).toBe('defg');
  });

  test.each([
    ['an escape sequence without an end', '\u001b]0;', 'x'],
    ['a flood of invisible characters', 'secr', '\0'],
    ['a colour between each two characters of a secret’s beginning', 'secr', '\u001b[31m'],
    ['a deeply indented line', Buffer.from('secret-of-length-22').toString('base64').slice(0, 12), '\n '],
  ])('holds no text back without end: %s', (_, begin, more) => {
    const stream = redactorOf('secret-of-length-22').stream();
    let [given, out] = [begin.length, push(stream, begin).length];
    for (let round = 0; round < 100; round++) {
      const text = more === '\n ' ? more.slice(Math.min(round, 1)).padEnd(1_000) : more.repeat(1_000);
      given += text.length;
      out += push(stream, text).length;
      expect(given - out).toBeLessThanOrEqual(MOST_INVISIBLE + 100);
    }
  });

  test('hides values added later in all that is not yet released, and earlier ones as before', () => {
    fc.assert(
      fc.property(secretsAndText(), fc.nat(8), fraction, ({ secrets, text }, early, cut) => {
        const forms = (values: string[]) => values.flatMap(formsOf);
        const before = forms(secrets.slice(0, early));
        const given = text.slice(0, Math.floor(cut * text.length));
        fc.pre(given.isWellFormed());
        const redactor = redactorOf(...secrets.slice(0, early));
        const stream = redactor.stream();
        const first = push(stream, given);
        redactor.add(secrets.slice(early));
        const out = first + push(stream, text.slice(given.length)) + String(stream.end());
        // A whole early value at the end is already masked, but still considered: a late value may begin with it.
        const whole = before.filter((form) => given.endsWith(form)).map((form) => form.length);
        const kept = given.length - Math.max(tailLength(given, before), ...whole);
        const late = coverage(text.slice(kept), secrets.slice(early));
        expect(out).toBe(
          masked(
            text,
            coverage(text, secrets.slice(0, early)).map(
              (covered, index) => covered || late[index - kept] === true,
            ),
          ),
        );
      }),
      { numRuns: runs(400) },
    );
  });
});

test('secrets with states beyond the dense table are found', () => {
  // Pseudorandom letters: no long stretch repeats.
  const long = Array.from({ length: 700 }, (_, index) =>
    createHash('sha256').update(`${index}`).digest('base64'),
  ).join('');
  const nested = long.slice(20_000, 20_030);
  const redactor = redactorOf(long, nested);
  for (const text of [
    `<${long}>`,
    `<${long.slice(0, -1)}>`,
    `${long.slice(0, 25_000)}${long}`,
    long.slice(1),
  ]) {
    // Not toBe, which takes minutes to print so long a difference.
    expect(redactor.text(text) === reference(text, [long, nested])).toBe(true);
  }
});

test('redaction stays fast however alike the secrets are, and however often one begins and breaks off', () => {
  const automaton = new AhoCorasick(new Set([`${'a'.repeat(20_000)}b`, `${'a'.repeat(10_000)}c`]), new Set());
  const text = Buffer.from(`${'a'.repeat(19_999)}x`.repeat(100));
  const started = process.cpuUsage();
  new Scan(automaton, 0).read(text, 0, true, () => undefined);
  // Restarting at every byte would take 20,000 times as long: minutes.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
});

test.each([
  ['an open escape sequence', 'hunter22', '\u001b]', `${'x'.repeat(16_000)}\n\u001b]`.repeat(4)],
  ['a flood of the invisible in a secret', 'hunter22', 'hunt', '\0'.repeat(16_000)],
  [
    'a long secret’s beginning',
    'ab\u001b7c'.repeat(40_000),
    'ab\u001b7c'.repeat(20_000),
    'ab\u001b7c'.repeat(200),
  ],
  [
    'the same with the invisible inside',
    'abc'.repeat(60_000),
    `a\0${'bca'.repeat(30_000)}`,
    'bca'.repeat(250),
  ],
])('%s that arrives in frames of one byte is not read again with each of them', (_, value, begin, frames) => {
  const stream = redactorOf(value).stream();
  push(stream, begin);
  const started = process.cpuUsage();
  for (const byte of Buffer.from(frames)) stream.push(Buffer.of(byte));
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
});

describe('scopes', () => {
  const letters = (unit: string, size: { minLength?: number; maxLength: number }) =>
    fc.string({ unit: fc.constantFrom(...unit), ...size });
  /** Adds values to one of three scopes or to the redactor, which forgets nothing; null makes a scope forget. */
  const change = fc.record({
    at: fc.nat(3),
    values: fc.option(fc.array(letters('abc', { minLength: 3, maxLength: 9 }), { maxLength: 3 })),
  });

  test('that come and go during a stream hide exactly what they currently hold', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(change, letters('abc ', { maxLength: 60 })), { maxLength: 12 }),
        (rounds) => {
          const redactor = new Redactor();
          const scopes = Array.from({ length: 3 }, () => redactor.scope());
          const held: string[][] = [[], [], [], []];
          const stream = redactor.stream();
          for (const [{ at, values }, said] of rounds) {
            if (values === null) scopes[at]?.forget();
            else (scopes[at] ?? redactor).add(values);
            if (values !== null) held[at]?.push(...values);
            else if (at in scopes) held[at] = [];
            // No secret contains a line end, so each round's text is independent of what the stream held back before.
            expect(push(stream, `\n${said}\n`)).toBe(`\n${redactorOf(...held.flat()).text(said)}\n`);
          }
          expect(String(stream.end())).toBe('');
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test('may forget while a stream holds their text: what is hidden stays hidden, and the rest is released', () => {
    const redactor = redactorOf('<job-secret>');
    const job = redactor.scope();
    job.add(['job-secret', 'not yet whole']);
    const stream = redactor.stream();
    expect(push(stream, 'a <job-secret')).toBe('a ');
    job.forget();
    expect(push(stream, '; not yet')).toBe('<***; not yet');
    expect(push(stream, ' whole') + String(stream.end())).toBe(' whole');
  });

  test('share one pass, so that a secret containing the agent’s is hidden whole', () => {
    const redactor = redactorOf('pul-token');
    redactor.scope().add(['user:pul-token@host']);
    expect(redactor.text('https://user:pul-token@host/')).toBe('https://***/');
  });
});

test('of values that replace one another, the latest are hidden, and a repeated one counts as new', () => {
  const redactor = new Redactor();
  const token = redactor.recent(2);
  for (const value of ['token-1', 'token-2', 'token-1', 'token-3']) token(value);
  expect(redactor.text('token-1 token-2 token-3')).toBe('*** token-2 ***');
});
