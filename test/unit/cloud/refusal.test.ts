import { describe, expect, it } from 'vitest';
import { refusal } from '../../../src/cloud/refusal.ts';

describe('the message of a refusal', () => {
  const said = (text: string, status = 400) =>
    refusal({ status, text, json: text.startsWith('{') ? JSON.parse(text) : undefined });

  it.each([
    ['{"code":401,"message":"Unauthorized: no"}', 'HTTP 400 Unauthorized: no'],
    ['{"error":"invalid_grant","error_description":"expired\\ntoken"}', 'HTTP 400 expired'],
    ['{"error":"invalid_grant"}', 'HTTP 400 invalid_grant'],
    ['{"message":7,"error":{"a":1}}', 'HTTP 400 {"message":7,"error":{"a":1}}'],
    ['{"error":{"code":500,"message":"no database"}}', 'HTTP 400 no database'],
    [' \r\n\t ', 'HTTP 400'],
    [
      '<!doctype html>\n<html><head><style>p { color: red }</style>\n<script type="x">alert("1")</script></head>' +
        '<body>\r\n<h1>502 Bad\u2028Gateway</h1><p\nclass="x">nginx</p></body></html>',
      'HTTP 400 502 Bad Gateway',
    ],
    ['<html><title>Sign in. Please.</title><body></body></html>', 'HTTP 400 Sign in'],
    ['The <b>pool</b> was <a href="/x">deleted</a>.<p>Ask.</p>', 'HTTP 400 The pool was deleted'],
    [
      'No such pool, e.g. because v1.2 of it is. "Ask" for another.',
      'HTTP 400 No such pool, e.g. because v1.2 of it is',
    ],
    [`${'y'.repeat(10_000)}`, `HTTP 400 ${'y'.repeat(300)}…`],
  ])('is read from %j as %j', (text, expected) => {
    expect(said(text)).toBe(expected);
  });

  it.each([
    ['TypeError: x is no function\n    at foo (file.js:1:2)', 'TypeError: x is no function'],
    ['Error: boom at foo (file:1:2) at bar (file:3:4)', 'Error: boom'],
    ['<title>Error</title><pre>Error: boom<br> &nbsp; &nbsp;at foo (/srv/app.js:1:2)</pre>', 'Error: boom'],
    ['panic: no pool\n\ngoroutine 7 [running]:\nmain.get(0x1)\n\t/srv/main.go:12 +0x1d', 'panic: no pool'],
  ])('contains no stack trace: %j', (text, expected) => {
    expect(said(text, 500)).toBe(`HTTP 500 ${expected}`);
  });

  it('shows no token that a server echoes, not even a truncated one', () => {
    const token = `pul-${'a1'.repeat(20)}`;
    const idToken = `eyJ${'aZ09-_'.repeat(30)}.${'b'.repeat(400)}.sig`;
    for (const secret of [token, idToken]) {
      for (const text of [
        `${'x'.repeat(280)} ${secret}`,
        JSON.stringify({ message: `bad token ${secret}` }),
      ]) {
        expect(said(text)).not.toContain(secret.slice(0, 8));
      }
    }
  });

  it.each(['<', '<script>', '  '])('is found quickly in a page of nothing but %j', (piece) => {
    const text = piece.repeat((16 * 1024 * 1024) / piece.length);
    const started = process.cpuUsage();
    said(text);
    expect(process.cpuUsage(started).user / 1000).toBeLessThan(2_000);
  });
});
