import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { requestIdToken } from '../../../src/hosts/github/id-token.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** A loopback endpoint that answers with `answers` in turn, the last one for ever. */
async function endpoint(...answers: Answer[]) {
  const requests: { url: URL; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    requests.push({
      url: new URL(request.url ?? '', 'http://127.0.0.1'),
      authorization: request.headers.authorization,
    });
    (answers.length > 1 ? answers.shift() : answers[0])?.(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/token?api-version=2.0`;
  // @actions/core reads these from the process's own environment.
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_URL', url);
  vi.stubEnv('ACTIONS_ID_TOKEN_REQUEST_TOKEN', 'request-token');
  onTestFinished(() => void vi.unstubAllEnvs());
  return requests;
}

const status =
  (code: number): Answer =>
  (_, response) =>
    void response.writeHead(code).end('{"message":"no"}');
const reset: Answer = (request) => void request.socket.resetAndDestroy();
const stall: Answer = () => undefined;

function give(token: string): Answer {
  return (_, response) => void response.writeHead(200).end(JSON.stringify({ value: token }));
}

const AUDIENCE = 'urn:pulumi:org:acme';
let abort: AbortController;
beforeEach(() => {
  abort = new AbortController();
});

function ask(signal = abort.signal): Promise<string> {
  return requestIdToken(AUDIENCE, process.env, signal, 1);
}

describe('requestIdToken', () => {
  test('asks GitHub for the audience with the job’s own token, and masks the answer', async () => {
    const stdout = captureStdout();
    const requests = await endpoint(give('the.id.token'));
    expect(await ask()).toBe('the.id.token');
    expect(requests).toHaveLength(1);
    expect(requests[0]?.url.searchParams.get('audience')).toBe(AUDIENCE);
    expect(requests[0]?.authorization).toBe('Bearer request-token');
    expect(stdout.read().masks).toContain('the.id.token');
  });

  test.each([
    ['a reset connection', reset],
    ['a 500', status(500)],
    ['a 429', status(429)],
  ])('asks again after %s', async (_, fault) => {
    captureStdout();
    const requests = await endpoint(fault, fault, give('a.b.c'));
    expect(await ask()).toBe('a.b.c');
    expect(requests).toHaveLength(3);
  });

  test('gives up after four resets', async () => {
    captureStdout();
    const requests = await endpoint(reset);
    await expect(ask()).rejects.toThrow(
      /^Failed to get this job's ID token for urn:pulumi:org:acme: .+ see githubstatus/,
    );
    expect(requests).toHaveLength(4);
  });

  test('asks once where the answer is a refusal', async () => {
    captureStdout();
    const requests = await endpoint(status(403));
    const error = await ask().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OutcomeError);
    expect((error as OutcomeError).outcome).toBe('auth-error');
    expect((error as OutcomeError).message).not.toMatch(/\n/);
    expect(requests).toHaveLength(1);
  });

  test('says what permission is missing, and that forks don’t get it', async () => {
    const request = requestIdToken(AUDIENCE, {}, abort.signal);
    await expect(request).rejects.toMatchObject({
      outcome: 'auth-error',
      message: expect.stringMatching(/permissions: id-token: write.*pull requests from forks/),
    });
  });

  test('stops at once when the job is cancelled, whatever the endpoint does', async () => {
    captureStdout();
    let asked = (): void => undefined;
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    await endpoint((request, response) => {
      asked();
      stall(request, response);
    });
    const waiting = ask();
    await arrived;
    abort.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });
});
