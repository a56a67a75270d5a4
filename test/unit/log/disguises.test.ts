import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AhoCorasick } from '../../../src/log/aho-corasick.ts';
import { RedactedText } from '../../../src/log/redacted-text.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { secretForms } from '../../../src/log/secret-forms.ts';

/** How programs write a text, each by a way of its own: what is hidden must not depend on how the product makes its forms. */
const DISGUISES: Record<string, (value: string, before: string, after: string) => string> = {
  plain: (value, before, after) => before + value + after,
  json: (value, before, after) => JSON.stringify({ before, value, after }),
  'json as Go writes it': (value) =>
    JSON.stringify(value).replaceAll('<', '\\u003c').replaceAll('>', '\\u003e').replaceAll('&', '\\u0026'),
  url: (value, before) => `https://example.org/${encodeURIComponent(before)}/${encodeURIComponent(value)}?q`,
  'url in lower case': (value) => encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  form: (value, before, after) => new URLSearchParams({ [before]: value, after }).toString(),
  base64: (value, before, after) => Buffer.from(before + value + after).toString('base64'),
  base64url: (value, before, after) => Buffer.from(before + value + after).toString('base64url'),
  hex: (value, before, after) => Buffer.from(before + value + after).toString('hex'),
  HEX: (value, before, after) =>
    Buffer.from(before + value + after)
      .toString('hex')
      .toUpperCase(),
};
const disguise = fc.constantFrom(...Object.values(DISGUISES));

/** Slow and obviously right: every place of every form, then one mask for each stretch. */
function reference(text: string, forms: readonly string[]): string {
  const covered = new Uint8Array(text.length);
  for (const form of forms)
    for (let at = text.indexOf(form); at !== -1; at = text.indexOf(form, at + 1)) covered.fill(1, at, at + form.length);
  let out = '';
  for (let at = 0; at < text.length; at++) {
    if (covered[at] === 0) out += text[at];
    else if (at === 0 || covered[at - 1] === 0) out += '***';
  }
  return out;
}

function redacted(redactor: Redactor, bytes: Buffer, cuts: readonly number[]): string {
  const text = new RedactedText(redactor);
  const at = [0, ...cuts.map((cut) => Math.floor(cut * bytes.length)).toSorted((a, b) => a - b), bytes.length];
  // A copy of each: what goes through untouched is the very piece that came in.
  const out = at.slice(1).map((end, index) => Buffer.from(text.push(Buffer.from(bytes.subarray(at[index], end)))));
  return String(Buffer.concat([...out, text.end()]));
}

const value = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 60 }),
  fc.string({ unit: 'grapheme', minLength: 8, maxLength: 30 }),
  fc.base64String({ minLength: 20, maxLength: 200 }),
  fc
    .array(fc.string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 70 }), { minLength: 2, maxLength: 5 })
    .map((lines) => lines.join('\n')),
);
const filler = fc.string({ unit: 'grapheme-ascii', maxLength: 9 });

describe('a step prints its secrets in every disguise', () => {
  test('however the bytes are split, what comes out is what the reference leaves', () => {
    const cases = fc.array(value, { minLength: 1, maxLength: 4 }).chain((secrets) =>
      fc.record({
        secrets: fc.constant(secrets),
        parts: fc.array(
          fc.tuple(fc.constantFrom(...secrets), disguise, filler, filler, fc.constantFrom('', ' ', '\n', 'é✔\n')),
          {
            maxLength: 12,
          },
        ),
        cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ secrets, parts, cuts }) => {
        const text = parts.map(([secret, write, before, after, end]) => write(secret, before, after) + end).join('');
        const redactor = new Redactor();
        redactor.add(secrets);
        expect(redacted(redactor, Buffer.from(text), cuts)).toBe(
          reference(text.toWellFormed(), secrets.flatMap(secretForms)),
        );
      }),
      { numRuns: 400 },
    );
  });

  test('none of them can be read back', () => {
    const cases = fc.record({ secret: value, write: disguise, before: filler, after: filler });
    fc.assert(
      fc.property(cases, ({ secret, write, before, after }) => {
        // Six bytes inside: fewer stand in other text by chance, or are there before.
        fc.pre(secret.trim().length >= 12 && secret.isWellFormed() && !(before + after).includes(secret.slice(3, -3)));
        const redactor = new Redactor();
        redactor.add([secret]);
        const text = write(secret, before, after);
        const out = redacted(redactor, Buffer.from(text), []);
        expect(out).toContain('***');
        const inside = Buffer.from(secret).subarray(3, -3);
        for (const encoding of ['base64', 'base64url', 'hex'] as const) {
          for (const piece of out.split('***'))
            expect(Buffer.from(piece, encoding).includes(inside) && inside.length > 0).toBe(false);
        }
      }),
      { numRuns: 400 },
    );
  });

  test.each([
    ['xxd -p', (text: string) => execHex(text).replace(/.{60}/g, '$&\n')],
    ['od without blanks, in capitals', (text: string) => execHex(text).toUpperCase()],
  ])('%s', (_, write) => {
    const secret = `-----BEGIN KEY-----${'Zq7+/x'.repeat(30)}`;
    const redactor = new Redactor();
    redactor.add([secret]);
    for (const line of redactor.text(write(secret)).split('\n')) expect(line).toMatch(/^(\*\*\*)?[0-9a-f]{0,7}$/);
  });
});

/** The digits of a program that is not ours. */
function execHex(text: string): string {
  return execFileSync('od', ['-An', '-v', '-tx1'], { input: text, encoding: 'utf8' }).replace(/\s/g, '');
}

test('a mask that a step asks for is none: only what the agent knows is hidden', () => {
  const redactor = new Redactor();
  redactor.add(['known-secret-1']);
  const out = redacted(
    redactor,
    Buffer.from('::add-mask::harmless\n##[add-mask]harmless\nharmless known-secret-1\n'),
    [],
  );
  expect(out).toBe('::add-mask::harmless\n##[add-mask]harmless\nharmless ***\n');
});

describe('work', () => {
  const random = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      `${Buffer.from(`${at * 7919}-secret`).toString('base64')}${at}/&x`.repeat(2),
    );
  const log = Array.from({ length: 2_000 }, (_, at) => ` +  aws:s3/bucket:Bucket my-bucket-${at} creating (0s)\n`).join(
    '',
  );

  test.each([1, 50, 500])('stays under two looks for each character of a log with %i secrets', (count) => {
    const secrets = random(count);
    const automaton = new AhoCorasick([...new Set(secrets.flatMap(secretForms))]);
    // Also a text that keeps beginning secrets and breaking them off.
    const teasing = secrets.map((secret) => `${secret.slice(0, -1)}~${secret.slice(3)}`).join('');
    for (const text of [log, teasing, log + teasing]) {
      const before = automaton.looks;
      let found = 0;
      automaton.scanText(text, 0, () => void found++);
      // Beside its own, a character takes as many as the depth it falls back by, each of them gained by a character before.
      expect(automaton.looks - before).toBeLessThanOrEqual(2 * text.length);
    }
  });

  test('does not grow with how alike the secrets are', () => {
    const automaton = new AhoCorasick([`${'a'.repeat(20_000)}b`, `${'a'.repeat(10_000)}c`]);
    const text = `${'a'.repeat(19_999)}x`.repeat(20);
    const before = automaton.looks;
    automaton.scanText(text, 0, () => undefined);
    expect(automaton.looks - before).toBeLessThanOrEqual(4 * text.length);
  });
});
