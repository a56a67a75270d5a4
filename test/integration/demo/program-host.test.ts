import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ProgramHost, startProgramHost } from '../../../demo/program-host.ts';

let host: ProgramHost;

beforeEach(async () => {
  host = await startProgramHost({ bindAddress: '127.0.0.1' });
});
afterEach(() => host.stop());

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
  const call = async (method: string, body?: string, query = '') => {
    const authorization = `Basic ${Buffer.from(`${host.username}:${host.password}`).toString('base64')}`;
    const answer = await fetch(`${host.stateUrl}${query}`, {
      method,
      headers: { authorization },
      ...(body !== undefined && { body }),
    });
    return { status: answer.status, text: await answer.text() };
  };

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

  it('lets only the holder of its lock write or delete', async () => {
    await call('LOCK', '{"ID":"one"}');
    expect((await call('POST', '{}', '?ID=two')).status).toBe(423);
    expect((await call('POST', '{}')).status).toBe(423);
    expect((await call('DELETE', undefined, '?ID=two')).status).toBe(423);
    expect(host.state()).toBeUndefined();
    expect((await call('POST', '{}', '?ID=one')).status).toBe(200);
    expect(host.state()).toBe('{}');
  });
});
