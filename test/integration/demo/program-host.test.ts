import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ProgramHost, startProgramHost } from '../../../demo/program-host.ts';

let directory: string;
let host: ProgramHost;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'program-host-'));
  host = await startProgramHost({ bindAddress: '127.0.0.1' });
});
afterEach(async () => {
  await host.stop();
  await rm(directory, { recursive: true, force: true });
});

describe('the repository', () => {
  it('serves no file outside itself', async () => {
    const at = (path: string) => fetch(`${host.gitUrl}/${path}`).then(({ status }) => status);
    expect(await at('HEAD')).toBe(200);
    expect(await at('info/refs?service=git-upload-pack')).toBe(200);
    expect(await at('..%2f..%2fpackage.json')).toBe(404);
    expect(await at('objects')).toBe(404);
  });
});

describe('the state backend', () => {
  const call = async (method: string, body?: string, query = '', headers: Record<string, string> = {}) => {
    const authorization = `Basic ${Buffer.from(`${host.username}:${host.password}`).toString('base64')}`;
    const answer = await fetch(`${host.stateUrl}${query}`, {
      method,
      headers: { authorization, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };
  const md5 = (text: string): string => createHash('md5').update(text).digest('base64');

  it('gives its lock to one at a time, and says who holds it', async () => {
    const lock = '{"ID":"one","Who":"me"}';
    expect((await call('LOCK', lock)).status).toBe(200);
    expect(host.locked()).toEqual({ ID: 'one', Who: 'me' });
    expect(await call('LOCK', '{"ID":"two"}')).toEqual({ status: 423, text: lock });
    expect((await call('UNLOCK', '{"ID":"two"}')).status).toBe(409);
    expect((await call('UNLOCK', lock)).status).toBe(200);
    expect(host.locked()).toBeUndefined();
    expect((await call('UNLOCK', lock)).status).toBe(409);
    expect((await call('LOCK', '{"ID":"two"}')).status).toBe(200);
  });

  it('is written and deleted by nobody but the holder of its lock', async () => {
    await call('LOCK', '{"ID":"one"}');
    expect((await call('POST', '{}', '?ID=two')).status).toBe(423);
    expect((await call('POST', '{}')).status).toBe(423);
    expect((await call('DELETE', undefined, '?ID=two')).status).toBe(423);
    expect(host.state()).toBeUndefined();
    expect((await call('POST', '{}', '?ID=one')).status).toBe(200);
    expect(host.state()).toBe('{}');
  });

  it.each([
    ['a write whose checksum is wrong', 'POST', '{}', { 'content-md5': md5('[]') }, 400],
    ['a lock without an ID', 'LOCK', '{"Who":"me"}', {}, 400],
    ['a lock that is not JSON', 'LOCK', 'lock', {}, 400],
    ['a wrong password', 'POST', '{}', { authorization: 'Basic ZGVwbG95ZXI6d3Jvbmc=' }, 401],
    ['no password', 'GET', undefined, { authorization: '' }, 401],
  ])('refuses %s', async (_what, method, body, headers, status) => {
    expect((await call(method, body, '', headers as Record<string, string>)).status).toBe(status);
    expect(host.state()).toBeUndefined();
    expect(host.locked()).toBeUndefined();
  });
});
