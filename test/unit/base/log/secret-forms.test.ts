import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../../src/base/log/redactor.ts';
import { maskedLines, secretForms } from '../../../../src/base/log/secret-forms.ts';

const KEY = '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nshort\n    indented-line\n-----END KEY-----\n';

function redact(value: string, text: string): string {
  const redactor = new Redactor();
  redactor.add([value]);
  return redactor.text(text);
}

function passwordInUrl(password: string): string {
  const url = new URL('https://user@host/');
  url.password = password;
  return url.password;
}

describe('a multi-line value', () => {
  test.each([
    ['{\n  "key": "abcdefgh"\n}\n', ['"key": "abcdefgh"']],
    // No line is long: those that could be a secret by themselves.
    ['{\n"pin":1\n}', ['"pin":1']],
    ['1234\r\n56\r\n7890', ['1234', '7890']],
    ['{\n[]\n}', []],
    ['a', ['a']],
  ])('is masked by lines that hide it and no brace: %j', (secret, lines) => {
    expect(maskedLines(secret)).toEqual(lines);
  });

  test('is hidden as a whole, with LF or CRLF, with or without its final line end', () => {
    expect(redact(KEY, `<${KEY}>`)).toBe('<***>');
    expect(redact(KEY, `<${KEY.trimEnd()}>`)).toBe('<***>');
    expect(redact(KEY, `<${KEY.trimEnd().replaceAll('\n', '\r\n')}>`)).toBe('<***>');
    expect(redact(KEY.replaceAll('\n', '\r\n'), `<${KEY.trimEnd()}>`)).toBe('<***>');
  });

  test('is hidden line by line, from 8 characters, at any indentation', () => {
    const text = ' > MIIEvQIBADANBgkq\n > short\n > indented-line\n > -----END KEY-----';
    expect(redact(KEY, text)).toBe(' > ***\n > short\n > ***\n > ***');
    expect(redact(KEY.replaceAll('\n', '\r\n'), text)).toBe(' > ***\n > short\n > ***\n > ***');
  });

  test('hides neither blanks nor deeply indented brackets', () => {
    expect(redact('{\n          \n          }\n}', 'a           b          }')).toBe(
      'a           b          }',
    );
  });
});

test('a value with a line end is hidden without it', () => {
  expect(redact('hunter2\n', 'is hunter2!')).toBe('is ***!');
});

test.each([' hunter2', 'hunter2\t ', '\u200b hunter2 \n'])(
  'the value %j is hidden without the white space around it too, as a shell prints it unquoted',
  (value) => {
    expect(redact(value, '<hunter2>')).toBe('<***>');
    expect(redact(value, Buffer.from('hunter2').toString('base64'))).not.toMatch(/\w{3}/);
  },
);

describe('a secret is hidden when encoded as', () => {
  const value = 'p4ss w&rd/<ünïcode>+"quoted"';

  test.each([
    ['JSON', JSON.stringify(value)],
    [
      'JSON as Go writes it',
      JSON.stringify(value).replace('<', '\\u003c').replace('>', '\\u003e').replace('&', '\\u0026'),
    ],
  ])('%s', (_, text) => {
    expect(redact(value, text)).toBe('"***"');
  });

  test.each([
    ['a URL component', encodeURIComponent(value)],
    ['a form field', new URLSearchParams([['', value]]).toString().slice(1)],
    ['base64', Buffer.from(value).toString('base64').replace(/=+$/, '')],
    ['base64url', Buffer.from(value).toString('base64url')],
  ])('%s', (_, text) => {
    expect(redact(value, `<${text}>`)).toBe('<***>');
  });

  // How these encode a value that has every character that they treat differently.
  const odd = "p*ss~w/r!d+x=1$ (a)'b;c,d:e@f&g?h";
  test.each([
    ['Go’s url.QueryEscape', 'p%2Ass~w%2Fr%21d%2Bx%3D1%24+%28a%29%27b%3Bc%2Cd%3Ae%40f%26g%3Fh'],
    ['Go’s url.PathEscape', 'p%2Ass~w%2Fr%21d+x=1$%20%28a%29%27b%3Bc%2Cd:e@f&g%3Fh'],
    ['the password of a URL in Go', 'p%2Ass~w%2Fr%21d+x=1$%20%28a%29%27b;c,d%3Ae%40f&g%3Fh'],
    ['the path of a URL in Go', 'p%2Ass~w/r%21d+x=1$%20%28a%29%27b;c,d:e@f&g%3Fh'],
    ['Python’s quote', 'p%2Ass~w/r%21d%2Bx%3D1%24%20%28a%29%27b%3Bc%2Cd%3Ae%40f%26g%3Fh'],
    [
      'Python’s quote without safe slashes',
      'p%2Ass~w%2Fr%21d%2Bx%3D1%24%20%28a%29%27b%3Bc%2Cd%3Ae%40f%26g%3Fh',
    ],
    ['the password of a URL in Node.js', passwordInUrl(odd)],
    ['encodeURI', encodeURI(odd)],
  ])('%s', (_, text) => {
    expect(redact(odd, `<${text}>`)).toBe('<***>');
    expect(redact(odd, `<${text.replace(/%../g, (code) => code.toLowerCase())}>`)).toBe('<***>');
  });

  test.each([
    ['Python’s json.dumps', 'pä\u2028\u{1f600}\x7f/x', '"p\\u00e4\\u2028\\ud83d\\ude00\\u007f/x"'],
    ['PHP’s json_encode', 'ab/cä/de+f=', '"ab\\/c\\u00e4\\/de+f="'],
    ['JSON with escaped slashes', 'ab/cä/de+f=', '"ab\\/cä\\/de+f="'],
    ['.NET’s System.Text.Json', 'a+b"c\\é`\u0001', '"a\\u002Bb\\u0022c\\\\\\u00E9\\u0060\\u0001"'],
    ['Java’s Gson', "it's=<tag>&more", '"it\\u0027s\\u003d\\u003ctag\\u003e\\u0026more"'],
  ])('%s', (_, secret, text) => {
    expect(redact(secret, text)).toBe('"***"');
  });

  test('JSON inside base64, as service account keys are passed on', () => {
    for (const key of ['', 'a', 'ab']) {
      const text = Buffer.from(JSON.stringify({ [key]: KEY, type: 'x' })).toString('base64');
      expect(redact(KEY, text).length).toBeLessThan(40);
    }
  });

  test('base64 with text around it, in all whole groups of the value', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 9 }), fc.string({ maxLength: 9 }), (before, after) => {
        const out = redact(value, Buffer.from(before + value + after).toString('base64'));
        expect(out).toContain('***');
        // Besides the text around it, at most one character with bits of the value remains on either side.
        const around =
          Math.ceil((Buffer.byteLength(before) * 8) / 6) + Math.ceil((Buffer.byteLength(after) * 8) / 6);
        expect(out.replaceAll('=', '').length).toBeLessThanOrEqual(around + 2 + 3);
      }),
    );
  });
});

test('of a long value the rare forms are left out, which would cost memory', () => {
  const long = `${'a+/é '.repeat(1_000)}\n`.repeat(3);
  const size = [...secretForms(long).keys()].reduce((sum, form) => sum + form.length, 0);
  expect(size).toBeLessThan(14 * long.length);
  for (const text of [
    long,
    JSON.stringify(long),
    ...['base64', 'hex'].map((each) => Buffer.from(long).toString(each as 'hex')),
  ])
    expect(redact(long, text).length).toBeLessThan(10);
});

test('forms have at least 4 characters, and encoded ones at least 8', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (value) => {
      const forms = [...secretForms(value).keys()];
      for (const form of forms) expect(form.length).toBeGreaterThanOrEqual(4);
      if (value.trim().length < 4) expect(forms).toEqual([]);
      else expect(forms).toContain(value);
    }),
  );
  expect([...secretForms('true')]).toEqual([
    ['true', false],
    ['74727565', true],
  ]);
});
