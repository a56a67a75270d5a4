import { describe, expect, it } from 'vitest';
import { DeadlineError } from '../../../src/executor/deadline.ts';
import { EngineRefusedError, refusedWith, textOf, translate } from '../../../src/executor/docker/engine/errors.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { oneLine } from '../../../src/executor/one-line.ts';

const endpoint = { name: 'unix:///x.sock', socketPath: '/x.sock' };
const coded = (code: string, message = code) => Object.assign(new Error(message), { code });
const answered = (statusCode: number, json: unknown, message = 'm') =>
  Object.assign(new Error(message), { statusCode, json });

describe('translate', () => {
  it.each([
    ['ENOENT', /the socket does not exist\. Start Docker here/],
    ['EACCES', /may not use the socket\. Add the user that runs this agent to the group/],
    ['ECONNREFUSED', /nothing accepts connections there/],
    ['ENOTSOCK', /not a socket/],
    ['EAI_AGAIN', /has no address/],
    ['EHOSTUNREACH', /the host does not answer/],
    ['ECONNRESET', /the connection was cut/],
    ['HPE_INVALID_CONSTANT', /does not speak HTTP/],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', /signed by nobody who is trusted here .* into ca\.pem of DOCKER_CERT_PATH\./],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', /signed by nobody who is trusted here/],
    ['CERT_HAS_EXPIRED', /its certificate is not valid now/],
    ['ERR_TLS_CERT_ALTNAME_INVALID', /its certificate is for another name/],
    ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS/],
    ['EPROTO', /does not speak TLS/],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', /it wants a client's certificate, and there is none/],
    ['ERR_SSL_NO_CIPHER_MATCH', /the TLS handshake failed/],
  ])('%s', (code, sentence) => {
    const cause = coded(code);
    const error = translate(cause, endpoint);
    expect(error).toBeInstanceOf(ExecutorUnavailableError);
    expect((error as Error).message).toMatch(
      /^Failed to reach the Docker engine for this runner at unix:\/\/\/x\.sock: /,
    );
    expect((error as Error).message).toMatch(sentence);
    expect((error as Error).cause).toBe(cause);
  });

  it('looks into the attempts of a host with several addresses', () => {
    const error = translate(new AggregateError([coded('ECONNREFUSED'), coded('ETIMEDOUT')]), endpoint);
    expect((error as Error).message).toContain('nothing accepts connections');
  });

  it('names the context that the address comes from, and what else is there', () => {
    const context = { ...endpoint, origin: 'the Docker context "far"' };
    expect((translate(coded('ENOTFOUND'), context) as Error).message).toMatch(
      /at unix:\/\/\/x\.sock \(from the Docker context "far"\): .*\. Correct the Docker context "far"\.$/,
    );
    expect((translate(coded('CERT_HAS_EXPIRED'), context) as Error).message).toContain('(from the Docker context');
    expect((translate(coded('EPROTO_'), { ...endpoint, tls: { cert: 'C' } }) as Error).message).toBe('EPROTO_');
    const message = (others: string[]) => (translate(coded('ENOENT'), { ...endpoint, others }) as Error).message;
    expect(message(['unix:///a'])).toContain('should run the jobs (unix:///a is there).');
    expect(message(['unix:///a', 'unix:///b'])).toContain('should run the jobs (unix:///a and unix:///b are there).');
  });

  it('takes the time that was given into the sentence', () => {
    expect((translate(new DeadlineError(10_000), endpoint) as Error).message).toContain('no answer within 10 s');
  });

  it("takes the engine's own words, wherever they are", () => {
    const text = (error: unknown) => (translate(error, endpoint) as Error).message;
    expect(text(answered(404, { message: 'No such container: x\n' }))).toBe('No such container: x');
    expect(text(answered(502, Buffer.from('<html>\r\nBad Gateway')))).toBe('<html> Bad Gateway');
    expect(text(answered(500, null, '(HTTP code 500) server error - no basic auth credentials '))).toBe(
      'no basic auth credentials',
    );
    expect(text(answered(400, null, '(HTTP code 400) unexpected -  '))).toBe('HTTP 400');
    const refused = translate(answered(409, { message: 'x' }), endpoint);
    expect(refused).toBeInstanceOf(EngineRefusedError);
    expect(refusedWith(refused, 404, 409)).toBe(true);
    expect(refusedWith(refused, 404)).toBe(false);
  });

  it('leaves everything else as it is', () => {
    for (const other of [new Error('x'), coded('EOTHER'), 'text', undefined, new EngineRefusedError(404, 'x')]) {
      expect(translate(other, endpoint)).toBe(other);
    }
  });
});

describe('a foreign text', () => {
  it('becomes a short part of one line', () => {
    expect(oneLine(' a\r\n\tb\u001b[31mc\u0000d\u0085e... ')).toBe('a b [31mc d e');
    expect(oneLine('x'.repeat(1000))).toHaveLength(501);
    expect(textOf(new AggregateError([new Error('a'), new Error('b')]))).toBe('a; b');
    expect(textOf('plain.')).toBe('plain');
  });
});
