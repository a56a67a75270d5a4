import { beforeEach, describe, expect, test } from 'vitest';
import { OutcomeError } from '../../../src/base/outcome.ts';
import { requestIdToken } from '../../../src/ci-step/hosts/github/id-token.ts';
import type { Reply } from '../../support/cloud/scripted-server.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { idTokenReply, idTokenService } from '../../support/hosts/id-token-service.ts';

const AUDIENCE = 'urn:pulumi:org:acme';
let abort: AbortController;
beforeEach(() => {
  abort = new AbortController();
});

function ask(giveUpMs?: number): Promise<string> {
  return requestIdToken(AUDIENCE, process.env, abort.signal, { firstPauseMs: 1, giveUpMs });
}

describe('requestIdToken', () => {
  test('asks GitHub for the audience with the job’s own token, and masks the answer', async () => {
    const stdout = captureStdout();
    const { server } = await idTokenService(idTokenReply('the.id.token'));
    expect(await ask()).toBe('the.id.token');
    expect(server.received).toHaveLength(1);
    expect(new URL(server.received[0]?.path ?? '', server.url).searchParams.get('audience')).toBe(AUDIENCE);
    expect(server.received[0]?.headers.authorization).toBe('Bearer request-token');
    expect(stdout.read().masks).toContain('the.id.token');
  });

  test.each<Reply>([
    'reset',
    { status: 500 },
    { status: 429 },
    { status: 200, text: '<html><h1>Sign in</h1></html>' },
    { status: 200, json: { value: { token: 'a.b.c' } } },
  ])('asks again after %j, more than a few times', async (fault) => {
    captureStdout();
    const { server } = await idTokenService(fault, ...Array<Reply>(6).fill(fault), idTokenReply('a.b.c'));
    expect(await ask()).toBe('a.b.c');
    expect(server.received).toHaveLength(8);
  });

  test('gives up when its time is over', async () => {
    captureStdout();
    const { server } = await idTokenService({ status: 500 });
    await expect(ask(1_000)).rejects.toThrow(
      /^Failed to get this job's ID token for urn:pulumi:org:acme: .+ see githubstatus/,
    );
    expect(server.received.length).toBeGreaterThan(1);
  });

  test('asks only once when the answer is a refusal', async () => {
    captureStdout();
    const { server } = await idTokenService({ status: 403, json: { message: 'no' } });
    const error = await ask().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(OutcomeError);
    expect((error as OutcomeError).outcome).toBe('auth-error');
    expect((error as OutcomeError).message).not.toMatch(/\n/);
    expect(server.received).toHaveLength(1);
  });

  test('says which permission is missing, and that forks don’t get it', async () => {
    const request = requestIdToken(AUDIENCE, {}, abort.signal);
    await expect(request).rejects.toMatchObject({
      outcome: 'auth-error',
      message: expect.stringMatching(/permissions: id-token: write.*pull requests from forks/),
    });
  });

  test('stops at once when the job is cancelled, whatever the endpoint does', async () => {
    captureStdout();
    const { server } = await idTokenService('hang');
    const waiting = ask();
    await server.until(() => server.received.length === 1);
    abort.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
  });
});
