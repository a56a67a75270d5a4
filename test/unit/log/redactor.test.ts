import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AhoCorasick } from '../../../src/log/aho-corasick.ts';
import { type RedactionStream, Redactor } from '../../../src/log/redactor.ts';
import { secretForms } from '../../../src/log/secret-forms.ts';

/** Whether each character belongs to an occurrence of a form. Slow and obviously right. */
function coverage(text: string, forms: Iterable<string>): boolean[] {
  const covered = new Array<boolean>(text.length).fill(false);
  for (const form of forms) {
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) {
      covered.fill(true, at, at + form.length);
    }
  }
  return covered;
}

/** Replaces each covered stretch with a mask. Stops at `end`, but still writes a mask that begins there. */
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

/** The length of the longest end of the text that is an incomplete form. */
function tailLength(text: string, forms: readonly string[]): number {
  const tails = Array.from({ length: text.length }, (_, index) => text.slice(text.length - index - 1));
  return tails.findLast((tail) => forms.some((form) => form !== tail && form.startsWith(tail)))?.length ?? 0;
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
  const at = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b), bytes.length];
  // Copies input and output, because an unchanged piece is returned as the same buffer.
  const out = at.slice(1).map((end, index) => Buffer.from(text.push(Buffer.from(bytes.subarray(at[index], end)))));
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

/** A text that contains secrets and pieces of secrets. */
const secretsAndText = fc.array(secretValue, { maxLength: 8 }).chain((secrets) => {
  const scraps = secrets.flatMap((secret) => [secret, secret.slice(1), secret.slice(0, -1)]);
  const part = fc.oneof(dense({ maxLength: 20 }), fc.string({ unit: 'grapheme' }), fc.constantFrom('', ...scraps));
  return fc.record({
    secrets: fc.constant(secrets),
    text: fc.array(part, { maxLength: 12 }).map((parts) => parts.join('').toWellFormed()),
    cuts: fc.array(fraction, { maxLength: 10 }),
  });
});

describe('a text', () => {
  test('is redacted exactly like the reference, however its bytes are split', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text, cuts }) => {
        const expected = reference(text, secrets.flatMap(secretForms));
        expect(redactorOf(...secrets).text(text)).toBe(expected);
        expect(redacted(redactorOf(...secrets), Buffer.from(text), cuts)).toBe(expected);
        for (const secret of secrets) {
          if (secret.trim().length >= 4 && !secret.includes('*')) expect(expected).not.toContain(secret);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('that asks for a mask gets none: only what the agent knows is hidden', () => {
    const bytes = Buffer.from('::add-mask::harmless\n##[add-mask]harmless\nharmless known-secret-1\n');
    const out = redacted(redactorOf('known-secret-1'), bytes, []);
    expect(out).toBe('::add-mask::harmless\n##[add-mask]harmless\nharmless ***\n');
  });
});

describe('a stream', () => {
  test('holds back only the tail that could begin a secret', () => {
    fc.assert(
      fc.property(secretsAndText, ({ secrets, text }) => {
        const forms = secrets.flatMap(secretForms);
        const stream = redactorOf(...secrets).stream();
        let [given, out] = ['', ''];
        for (const character of text) {
          given += character;
          out += push(stream, character);
          expect(out).toBe(masked(given, coverage(given, forms), given.length - tailLength(given, forms)));
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

  test('hides values added later in all that is not yet released, and earlier ones as before', () => {
    fc.assert(
      fc.property(secretsAndText, fc.nat(8), fraction, ({ secrets, text }, early, cut) => {
        const forms = (values: string[]) => values.flatMap(secretForms);
        const [before, after] = [forms(secrets.slice(0, early)), forms(secrets.slice(early))];
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
        const late = coverage(text.slice(kept), after);
        expect(out).toBe(
          masked(
            text,
            coverage(text, before).map((covered, index) => covered || late[index - kept] === true),
          ),
        );
      }),
      { numRuns: 400 },
    );
  });
});

test('secrets with states beyond the dense table are found', () => {
  // Pseudorandom letters: no long stretch repeats.
  const long = Array.from({ length: 700 }, (_, index) => createHash('sha256').update(`${index}`).digest('base64')).join(
    '',
  );
  const nested = long.slice(20_000, 20_030);
  const redactor = redactorOf(long, nested);
  const forms = [long, nested].flatMap(secretForms);
  for (const text of [`<${long}>`, `<${long.slice(0, -1)}>`, `${long.slice(0, 25_000)}${long}`, long.slice(1)]) {
    // Not toBe, which takes minutes to print so long a difference.
    expect(redactor.text(text) === reference(text, forms)).toBe(true);
  }
});

test('redaction stays fast however alike the secrets are, and however often one begins and breaks off', () => {
  const automaton = new AhoCorasick([`${'a'.repeat(20_000)}b`, `${'a'.repeat(10_000)}c`]);
  const text = Buffer.from(`${'a'.repeat(19_999)}x`.repeat(100));
  const started = process.cpuUsage();
  automaton.scan(text, () => undefined);
  // Restarting at every byte would take 20,000 times as long: minutes.
  expect(process.cpuUsage(started).user / 1000).toBeLessThan(5_000);
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
      fc.property(fc.array(fc.tuple(change, letters('abc ', { maxLength: 60 })), { maxLength: 12 }), (rounds) => {
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
      }),
      { numRuns: 500 },
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
