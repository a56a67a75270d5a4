import { describe, expect, it } from 'vitest';
import { DeadlineError } from '../../../../src/base/deadline.ts';
import { EngineRefusedError, textOf, translate } from '../../../../src/executor/docker/engine/errors.ts';
import { startFailure } from '../../../../src/executor/docker/step/step-script.ts';
import { ExecutorUnavailableError } from '../../../../src/executor/executor.ts';
import { oneLine } from '../../../../src/executor/foreign-text.ts';

const endpoint = { name: 'unix:///x.sock', socketPath: '/x.sock' };
const coded = (code: string) => Object.assign(new Error(code), { code });
const answered = (statusCode: number, json: unknown, message = 'm') =>
  Object.assign(new Error(message), { statusCode, json });
const message = (error: unknown, at: Parameters<typeof translate>[1] = endpoint) =>
  (translate(error, at) as Error).message;

describe('an engine that can’t be reached', () => {
  it.each([
    ['ENOENT', /the socket does not exist\. Start Docker here/],
    ['EACCES', /can't use the socket\. Add the user that runs this agent to the group/],
    ['ECONNREFUSED', /nothing accepts connections there/],
    ['EAI_AGAIN', /has no address/],
    ['EHOSTUNREACH', /the host does not answer/],
    ['ECONNRESET', /the connection was cut/],
    ['HPE_INVALID_CONSTANT', /does not speak HTTP/],
    [
      'CERT_HAS_EXPIRED',
      /the TLS handshake failed .* both clocks, and that ca\.pem in DOCKER_CERT_PATH belongs/,
    ],
    ['EPROTO', /does not speak TLS/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /it requires a client certificate, and there is none/],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /the TLS handshake failed/],
  ])('is explained for %s', (code, sentence) => {
    const cause = coded(code);
    const error = translate(cause, endpoint);
    expect(error).toBeInstanceOf(ExecutorUnavailableError);
    expect(error).toMatchObject({ code: 'PRA-DOCKER-01', cause });
    expect(message(cause)).toMatch(
      /^Failed to reach the Docker engine for this runner at unix:\/\/\/x\.sock: /,
    );
    expect(message(cause)).toMatch(sentence);
  });

  it.each([
    ['ENOENT', true],
    ['ECONNREFUSED', true],
    ['ENOTFOUND', true],
    ['EAI_AGAIN', true],
    ['ECONNRESET', true],
    ['EACCES', false],
    ['HPE_INVALID_CONSTANT', false],
    ['CERT_HAS_EXPIRED', false],
    ['EPROTO', false],
  ])('may be starting for %s: %s', (code, mayBeStarting) => {
    expect(translate(coded(code), endpoint)).toMatchObject({ mayBeStarting });
  });

  it('is explained by the attempts at several addresses, and by a deadline', () => {
    const error = new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]);
    expect(message(error)).toContain('nothing accepts connections');
    expect(message(new DeadlineError(10_000))).toContain('no answer within 10 s');
  });

  it('is named with the context that its address comes from', () => {
    expect(message(coded('ENOTFOUND'), { ...endpoint, origin: 'the Docker context "far"' })).toMatch(
      /at unix:\/\/\/x\.sock \(from the Docker context "far"\): .*\. Correct the Docker context "far"\.$/,
    );
  });
});

describe('an engine’s refusal', () => {
  it("is reported in the engine's own words, wherever they are", () => {
    expect(message(answered(404, { message: 'No such container: x\n' }))).toBe('No such container: x');
    expect(message(answered(502, Buffer.from('<html>\r\nBad Gateway')))).toBe('<html> Bad Gateway');
    const streaming = '(HTTP code 500) server error - no basic auth credentials ';
    expect(message(answered(500, null, streaming))).toBe('no basic auth credentials');
    expect(message(answered(400, null, '(HTTP code 400) unexpected -  '))).toBe('HTTP 400');
    expect(translate(answered(409, { message: 'x' }), endpoint)).toMatchObject({ status: 409 });
  });

  it('is distinguished from other errors, which stay unchanged', () => {
    for (const other of [
      new Error('x'),
      coded('EOTHER'),
      'text',
      undefined,
      new EngineRefusedError(404, 'x'),
    ])
      expect(translate(other, endpoint)).toBe(other);
  });

  it('becomes a short piece of one line', () => {
    expect(oneLine(' a\r\n\tb\u001b[31mc\u0000d\u0085e... ')).toBe('a b [31mc d e');
    expect(oneLine('x'.repeat(1000))).toHaveLength(501);
    expect(textOf(new AggregateError([new Error('a'), new Error('b')]))).toBe('a; b');
  });
});

it.each([
  ["sh: can't fork: Resource temporarily unavailable", 'raise pids_limit'],
  ['exec: "sh": argument list too long', 'shorter than 128 KiB'],
  ['exec: "sh": executable file not found in $PATH', 'the image has a POSIX shell'],
])('a step that could not start because of "%s" says what to do', (text, advice) => {
  expect(startFailure(text).message).toContain(`: ${text}. `);
  expect(startFailure(text).message).toContain(advice);
});
