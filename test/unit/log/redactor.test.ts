import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/log/redactor.ts';
import { secretForms } from '../../../src/log/secret-forms.ts';

/** Slow and obviously right: which characters belong to an occurrence of a form. */
function coverage(text: string, forms: Iterable<string>): boolean[] {
  const covered = new Array<boolean>(text.length).fill(false);
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      covered.fill(true, at, at + form.length);
    }
  }
  return covered;
}

/** One mask where a covered stretch begins, nothing for the rest of it. Stops at `end`, a mask that begins there included. */
function masked(text: string, covered: readonly boolean[], end = text.length): string {
  let out = '';
  for (let at = 0; at <= end; at++) {
    if (covered[at] && !covered[at - 1]) out += '***';
    else if (!covered[at] && at < end) out += text[at];
  }
  return out;
}

function reference(text: string, forms: Iterable<string>): string {
  return masked(text, coverage(text, forms));
}

/** How much of the text's end is a form's beginning, and not yet all of it. */
function tailLength(text: string, forms: readonly string[]): number {
  const tails = Array.from({ length: text.length }, (_, index) => text.slice(text.length - index - 1));
  return tails.findLast((tail) => forms.some((form) => form !== tail && form.startsWith(tail)))?.length ?? 0;
}

function redactorOf(...values: string[]): Redactor {
  const redactor = new Redactor();
  redactor.add(values);
  return redactor;
}

/** Cuts `text` at the given fractions of its length. */
function pieces(text: string, cuts: readonly number[]): string[] {
  const at = [0, ...cuts.map((cut) => Math.floor(cut * text.length)).toSorted((a, b) => a - b), text.length];
  return at.slice(1).map((end, index) => text.slice(at[index], end));
}

const fraction = fc.double({ min: 0, max: 1, noNaN: true });
/** Few letters, so that secrets overlap, nest and nearly match all the time. */
const dense = (size: { minLength?: number; maxLength: number }) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n'), ...size });
const secretValue = fc.oneof(
  { weight: 3, arbitrary: dense({ minLength: 1, maxLength: 12 }) },
  { weight: 2, arbitrary: fc.integer({ min: 3, max: 9 }).map((length) => 'abcabbabc'.slice(0, length)) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 4 }) },
);

/** A text with secrets, and pieces of secrets, in it. */
const secretsAndText = fc.array(secretValue, { maxLength: 8 }).chain((secrets) => {
  const scraps = secrets.flatMap((secret) => [secret, secret.slice(1), secret.slice(0, -1)]);
  const part = fc.oneof(dense({ maxLength: 20 }), fc.string({ unit: 'grapheme' }), fc.constantFrom('', ...scraps));
  return fc.record({
    secrets: fc.constant(secrets),
    text: fc.array(part, { maxLength: 12 }).map((parts) => parts.join('')),
    cuts: fc.array(fraction, { maxLength: 10 }),
  });
});

describe('a text', () => {
  test('is what the reference makes of it', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text }) => {
        const expected = reference(text, secrets.flatMap(secretForms));
        expect(redactorOf(...secrets).text(text)).toBe(expected);
      }),
      { numRuns: 1_500 },
    );
  });

  test('that is long is searched too', () => {
    const filler = 'abc '.repeat(5_000);
    expect(redactorOf('s3cr3t-value').text(`${filler}s3cr3t-value${filler}`)).toBe(`${filler}***${filler}`);
  });
});

describe('a stream', () => {
  test('gives what the reference gives, however the text is split', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text, cuts }) => {
        const stream = redactorOf(...secrets).stream();
        const out = pieces(text, cuts).map((piece) => stream.push(piece));
        expect(out.join('') + stream.end()).toBe(reference(text, secrets.flatMap(secretForms)));
      }),
      { numRuns: 1_500 },
    );
  });

  test('gives the same one character at a time, and twice in a row', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text }) => {
        const redactor = redactorOf(...secrets);
        const stream = redactor.stream();
        for (let round = 0; round < 2; round++) {
          expect([...text.split('').map((unit) => stream.push(unit)), stream.end()].join('')).toBe(redactor.text(text));
        }
      }),
    );
  });

  test('lets no secret through', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text, cuts }) => {
        const stream = redactorOf(...secrets).stream();
        const out =
          pieces(text, cuts)
            .map((piece) => stream.push(piece))
            .join('') + stream.end();
        for (const secret of secrets) {
          if (secret.trim().length >= 4 && !secret.includes('*')) expect(out).not.toContain(secret);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('leaves a text without secrets as it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.array(fraction), (text, cuts) => {
        const stream = redactorOf('\u{10ffff}never\u{10fffe}', '\u{10ffff}never').stream();
        fc.pre(!text.includes('never'));
        expect(
          pieces(text, cuts)
            .map((piece) => stream.push(piece))
            .join('') + stream.end(),
        ).toBe(text);
      }),
    );
  });

  test('has given out everything but the tail that is the beginning of a form', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text, cuts }) => {
        const forms = secrets.flatMap(secretForms);
        const stream = redactorOf(...secrets).stream();
        let given = '';
        let out = '';
        for (const piece of pieces(text, cuts)) {
          given += piece;
          out += stream.push(piece);
          expect(out).toBe(masked(given, coverage(given, forms), given.length - tailLength(given, forms)));
        }
      }),
    );
  });

  test('lets a tail go as soon as it is disproved, and masks at once what is certain', () => {
    const stream = redactorOf('abcdefgh').stream();
    expect(stream.push('xx abcd')).toBe('xx ');
    expect(stream.push('X')).toBe('abcdX');
    expect(stream.push('abcdefgh')).toBe('***');
    expect(stream.push('abc')).toBe('');
    expect(stream.end()).toBe('abc');
  });

  test('applies values that are added on the way, to the held tail too', () => {
    const redactor = redactorOf('first-secret');
    const stream = redactor.stream();
    expect(stream.push('second first')).toBe('second ');
    redactor.add(['second', 'first-thing']);
    expect(stream.push('-thing second first-secret')).toBe('*** *** ***');
    expect(stream.end()).toBe('');
  });

  test('looks at the held tail anew when values are added', () => {
    const redactor = redactorOf('xabc');
    const stream = redactor.stream();
    expect(stream.push('xab')).toBe('');
    // What "xab" was before is "qx" now.
    redactor.add(['qxxabz']);
    expect(stream.push('z')).toBe('xabz');
  });

  test('takes its first values while it runs', () => {
    const redactor = new Redactor();
    const stream = redactor.stream();
    expect(stream.push('hunter22 ')).toBe('hunter22 ');
    redactor.add(['hunter22']);
    expect(stream.push('hunter22 ') + stream.end()).toBe('*** ');
  });

  test('hides late values in everything that is not out yet, and early ones as before', () => {
    fc.assert(
      fc.property(secretsAndText, fc.nat(8), fraction, ({ secrets, text }, early, cut) => {
        const forms = (values: string[]) => values.flatMap(secretForms);
        const [before, after] = [forms(secrets.slice(0, early)), forms(secrets.slice(early))];
        const at = Math.floor(cut * text.length);
        const redactor = redactorOf(...secrets.slice(0, early));
        const stream = redactor.stream();
        const first = stream.push(text.slice(0, at));
        redactor.add(secrets.slice(early));
        const out = first + stream.push(text.slice(at)) + stream.end();
        // A whole early value at the end is masked already, but a late one may begin with it: it is still looked at.
        const given = text.slice(0, at);
        const whole = before.filter((form) => given.endsWith(form)).map((form) => form.length);
        const kept = at - Math.max(tailLength(given, before), ...whole);
        const late = coverage(text.slice(kept), after);
        expect(out).toBe(
          masked(
            text,
            coverage(text, before).map((covered, index) => covered || late[index - kept] === true),
          ),
        );
      }),
      { numRuns: 800 },
    );
  });
});

describe('overlaps', () => {
  test.each([
    ['abcdefghi', ['abcdef', 'defghi'], '***'],
    ['xabcdefghix', ['abcdef', 'defghi', 'cdef'], 'x***x'],
    ['aaaaaaaaaaaa', ['aaaa'], '***'],
    ['one-twoone-two', ['one-two'], '***'],
    ['long-secret-value long-secret', ['long-secret', 'long-secret-value'], '*** ***'],
    ['-xx-needle-xx', ['needle', '-xx-needle-xx-yy'], '-xx-***-xx'],
  ])('%s without %j', (text, secrets, expected) => {
    expect(redactorOf(...secrets).text(text)).toBe(expected);
  });
});

test('values that are too short, or blank, are not redacted', () => {
  expect(redactorOf('abc', '', ' ab ', '        ').text('abc  ab         ')).toBe('abc  ab         ');
});

test('secrets with states beyond the dense table are found', () => {
  // Letters in an order that never repeats a stretch of this length.
  const long = Array.from({ length: 700 }, (_, index) => createHash('sha256').update(`${index}`).digest('base64')).join(
    '',
  );
  const nested = long.slice(20_000, 20_030);
  const redactor = redactorOf(long, nested);
  const forms = [long, nested].flatMap(secretForms);
  for (const text of [`<${long}>`, `<${long.slice(0, -1)}>`, `${long.slice(0, 25_000)}${long}`, long.slice(1)]) {
    // Not toBe: a difference of this length takes minutes to print.
    expect(redactor.text(text) === reference(text, forms)).toBe(true);
  }
  expect(redactor.text(`<${long}>`)).toBe('<***>');
});

test('time is linear in the text, whatever the secrets are', () => {
  const redactor = redactorOf(`${'a'.repeat(20_000)}b`, `${'a'.repeat(10_000)}c`);
  const text = 'a'.repeat(2_000_000);
  const stream = redactor.stream();
  const started = process.cpuUsage();
  let length = 0;
  for (let at = 0; at < text.length; at += 65_536) length += stream.push(text.slice(at, at + 65_536)).length;
  length += stream.end().length;
  expect(length).toBe(text.length);
  // Trying every place anew would take 2e6 × 2e4 steps: minutes.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
});
