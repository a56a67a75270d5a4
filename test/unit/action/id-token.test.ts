import { readdir, readFile, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { keepIdTokenFresh, refreshDelay, requestIdToken, writeIdToken } from '../../../src/action/id-token.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import { captureStdout } from './captured-stdout.ts';
import { temporaryDirectory } from './temporary-directory.ts';

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

async function jwt(lifeSeconds: number): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = new SignJWT({ n: Math.random() }).setProtectedHeader({ alg: 'HS256' });
  return await claims.setExpirationTime(now + lifeSeconds).sign(new TextEncoder().encode('k'.repeat(32)));
}

const AUDIENCE = 'urn:pulumi:org:acme';
let abort: AbortController;
beforeEach(() => {
  abort = new AbortController();
});

function ask(signal = abort.signal): Promise<string> {
  return requestIdToken({ audience: AUDIENCE, environment: process.env, signal, firstPauseMs: 1 });
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
    const request = requestIdToken({ audience: AUDIENCE, environment: {}, signal: abort.signal });
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

describe('writeIdToken', () => {
  test('leaves one file that only this user can read', async () => {
    const directory = await temporaryDirectory();
    const path = join(directory, 'id-token');
    await writeIdToken(path, 'first');
    await writeIdToken(path, 'second');
    expect(await readFile(path, 'utf8')).toBe('second');
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory)).toEqual(['id-token']);
  });
});

describe('refreshDelay', () => {
  test('does not depend on this machine’s clock where the token says when it was made', async () => {
    const made = Date.parse('2026-06-18T10:00:00Z') / 1000;
    const token = (claims: object) => `a.${btoa(JSON.stringify(claims))}.c`;
    for (const hours of [-1, 0, 1])
      expect(refreshDelay(token({ iat: made, exp: made + 300 }), (made + hours * 3_600) * 1000)).toBe(180_000);
    // No timer waits for ever.
    expect(refreshDelay(token({ iat: 0, exp: made }), Date.now())).toBe(3_600_000);
  });

  test('is 60 % of what is left of the token’s life', async () => {
    const now = Math.floor(Date.now() / 1000) * 1000;
    expect(refreshDelay(await jwt(300), now)).toBeGreaterThan(179_000);
    expect(refreshDelay(await jwt(300), now)).toBeLessThan(181_000);
    expect(refreshDelay(await jwt(-10), now)).toBe(1_000);
    for (const odd of ['', 'a.b.c', `a.${Buffer.from('null').toString('base64url')}.c`, `a.${btoa('{"exp":"x"}')}.c`]) {
      expect(refreshDelay(odd, now)).toBe(180_000);
    }
  });
});

describe('keepIdTokenFresh', () => {
  test('writes a fresh token in time, outlives failing refreshes and warns once', async () => {
    captureStdout();
    const path = join(await temporaryDirectory(), 'id-token');
    const fresh = await jwt(300);
    const requests = await endpoint(status(403), status(403), give(fresh));
    const warnings: string[] = [];
    const written = new Promise<void>((resolve) => {
      const poll = setInterval(async () => {
        if ((await readFile(path, 'utf8').catch(() => '')) !== fresh) return;
        clearInterval(poll);
        resolve();
      }, 20);
    });
    const keeping = keepIdTokenFresh({
      path,
      token: await jwt(1),
      audience: AUDIENCE,
      environment: process.env,
      signal: abort.signal,
      now: Date.now,
      warn: (sentence) => warnings.push(sentence),
      retryMs: 5,
    });
    await written;
    expect(requests).toHaveLength(3);
    expect(warnings).toEqual([expect.stringMatching(/^Failed to get this job's ID token/)]);
    abort.abort();
    await keeping;
  });
});
