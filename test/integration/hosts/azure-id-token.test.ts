import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { requestIdToken } from '../../../src/ci-step/hosts/azure/id-token.ts';
import { type AzureIdTokens, startAzureIdTokens, type Trouble } from '../../emulators/azure/id-tokens.ts';
import { idTokenOf } from '../../support/cloud/id-token.ts';

const TOKEN = idTokenOf({ aud: 'api://AzureADTokenExchange' });
const REQUEST = { audience: 'urn:pulumi:org:acme' };
const QUICK = { firstPauseMs: 10, giveUpMs: 500 };
let service: AzureIdTokens;

const open = async (query?: string) => {
  service = await startAzureIdTokens(async () => TOKEN, query);
  onTestFinished(async () => {
    await service.stop();
    expect(service.violations).toEqual([]);
  });
};
const request = (environment = service.environment, signal = AbortSignal.timeout(20_000)) =>
  requestIdToken(REQUEST, environment, signal, QUICK);

beforeEach(() => open());

describe('the ID token of a job of Azure Pipelines', () => {
  it('is what the service answers', async () => {
    expect(await request()).toBe(TOKEN);
  });

  it('is asked for at an address that has a query already', async () => {
    await open('serviceConnectionId=7');
    expect(await request()).toBe(TOKEN);
  });

  it.each<Trouble[][]>([[[503, 'reset', 429]], [['page']]])('comes after %j', async (troubles) => {
    service.fail(...troubles);
    expect(await request()).toBe(TOKEN);
    expect(service.requests()).toBe(troubles.length + 1);
  });

  it('is refused at once where the service refuses it', async () => {
    service.fail(401);
    await expect(request()).rejects.toMatchObject({
      outcome: 'auth-error',
      message: expect.stringMatching(
        /^Failed to get this job's ID token from Azure Pipelines: HTTP 401\. Run/,
      ),
    });
    expect(service.requests()).toBe(1);
  });

  it('needs the access token, and says how to map it', async () => {
    await expect(request({ ...service.environment, SYSTEM_ACCESSTOKEN: '' })).rejects.toMatchObject({
      outcome: 'auth-error',
      message: expect.stringContaining('SYSTEM_ACCESSTOKEN: $(System.AccessToken)'),
    });
  });

  it('is not waited for once the job is cancelled', async () => {
    service.fail(...Array.from({ length: 50 }, () => 503));
    const cancel = new AbortController();
    const asking = requestIdToken(REQUEST, service.environment, cancel.signal, { firstPauseMs: 5_000 });
    setTimeout(() => cancel.abort(new Error('cancelled')), 50);
    await expect(asking).rejects.toThrow('cancelled');
  });
});
