import { describe, expect, it } from 'vitest';
import { refusal } from '../../../src/cloud/refusal.ts';

const MEBIBYTE = 1024 * 1024;

describe('what a refusal says', () => {
  const said = (text: string, status = 400) => {
    let json: unknown;
    try {
      json = JSON.parse(text);
    } catch {
      json = undefined;
    }
    return refusal({ status, text, json });
  };

  it.each([
    ['{"code":401,"message":"Unauthorized: no"}', 'HTTP 400 Unauthorized: no'],
    ['{"error":"invalid_grant","error_description":"expired\\ntoken"}', 'HTTP 400 expired token'],
    ['{"error":"invalid_grant"}', 'HTTP 400 invalid_grant'],
    ['{"message":7,"error":{"a":1}}', 'HTTP 400 {"message":7,"error":{"a":1}}'],
    ['"no"', 'HTTP 400 "no"'],
    ['{"error":{"code":500,"message":"no database"}}', 'HTTP 400 no database'],
    ['', 'HTTP 400'],
    [' \r\n\t ', 'HTTP 400'],
    [
      '<!doctype html>\n<html><head><style>p { color: red }</style>\n<script type="x">alert("1")</script></head>' +
        '<body>\r\n<h1>502 Bad\u2028Gateway</h1><p\nclass="x">nginx</p></body></html>',
      'HTTP 400 502 Bad Gateway',
    ],
  ])('%j becomes %j', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    ['The pool was deleted. Ask your administrator.', 'The pool was deleted'],
    [
      'No such pool, e.g. because v1.2 of it was deleted. "Ask" for another.',
      'No such pool, e.g. because v1.2 of it was deleted',
    ],
    ['<html><title>Sign in. Please.</title><body></body></html>', 'Sign in'],
    ['Who are you? Sign in!', 'Who are you?'],
    ['The <b>pool</b> was <a href="/x">deleted</a>.<p>Ask.</p>', 'The pool was deleted'],
  ])('is its first sentence: %j', (text, expected) => {
    expect(said(text)).toBe(`HTTP 400 ${expected}`);
  });

  it.each([
    [
      'JavaScript',
      'TypeError: x is no function\n    at foo (file.js:1:2)\n    at async /srv/app.js:3:4',
      'TypeError: x is no function',
    ],
    ['JavaScript on one line', 'Error: boom at foo (file:1:2) at bar (file:3:4)', 'Error: boom'],
    ['Express', '<title>Error</title><pre>Error: boom<br> &nbsp; &nbsp;at foo (/srv/app.js:1:2)</pre>', 'Error: boom'],
    [
      'Java',
      'java.lang.IllegalStateException: no pool\r\n\tat com.pulumi.Pools.get(Pools.java:12)\r\n\t... 12 more\r\nCaused by: java.io.IOException',
      'java.lang.IllegalStateException: no pool',
    ],
    ['.NET', 'System.Exception: no pool\n   at Pulumi.Pools.Get() in C:\\pools.cs:line 7', 'System.Exception: no pool'],
    [
      'Python',
      'Traceback (most recent call last):\n  File "/srv/app.py", line 3, in get\n    raise ValueError("no pool")\nValueError: no pool\n',
      'ValueError: no pool',
    ],
    ['Python behind a sentence', 'It broke:\nTraceback (most recent call last):\n  File "a.py", line 3', 'It broke'],
    [
      'a long one of Python',
      `Traceback (most recent call last):\n${'  File "a.py", line 3\n'.repeat(900)}KeyError: 7`,
      'KeyError: 7',
    ],
    ['Go', 'panic: no pool\n\ngoroutine 7 [running]:\nmain.get(0x1)\n\t/srv/main.go:12 +0x1d', 'panic: no pool'],
    ['Go at once', 'no pool\ngoroutine 7 [running]:\nmain.get(0x1)', 'no pool'],
    ['PHP', 'PHP Fatal error: no pool\nStack trace:\n#0 /srv/a.php(3): get()', 'PHP Fatal error: no pool'],
    ['nothing else', 'goroutine 7 [running]:\nmain.get(0x1)', ''],
  ])('is no stack trace, as of %s', (_, text, expected) => {
    for (const given of [text, JSON.stringify({ code: 500, message: text })])
      if (given === text || !text.startsWith('<')) expect(said(given, 500)).toBe(`HTTP 500 ${expected}`.trim());
  });

  it('is cut', () => {
    expect(said('y'.repeat(10_000))).toBe(`HTTP 400 ${'y'.repeat(300)}…`);
  });

  it('shows no token that a server echoes, not even a piece that the cut leaves', () => {
    const token = `pul-${'a1'.repeat(20)}`;
    const idToken = `eyJ${'aZ09-_'.repeat(30)}.${'b'.repeat(400)}.sig`;
    for (const secret of [token, idToken]) {
      for (const text of [`${'x'.repeat(280)} ${secret}`, JSON.stringify({ message: `bad token ${secret}` })]) {
        expect(said(text)).not.toContain(secret.slice(0, 8));
      }
    }
  });

  it.each(['<', '<script>', '<style', '<script></', '  '])(
    'is found in no time in a page of nothing but %j',
    (piece) => {
      const text = piece.repeat((16 * MEBIBYTE) / piece.length);
      const started = process.cpuUsage();
      said(text);
      expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
    },
  );
});
