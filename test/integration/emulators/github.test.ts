import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';
import { type GitHub, startGitHub } from '../../emulators/github/github.ts';

let blobStore: BlobStore;
let github: GitHub;

beforeAll(async () => {
  blobStore = await startBlobStore();
});
afterAll(() => blobStore.stop());
beforeEach(async () => {
  github = await startGitHub({ repository: 'acme/infra', blobStore });
});
afterEach(async () => {
  await github.stop();
});

describe('the artifact service is strict', () => {
  const SERVICE = 'twirp/github.actions.results.api.v1.ArtifactService';
  const ids = { workflow_run_backend_id: 'run-1', workflow_job_run_backend_id: 'job-1' };

  async function call(method: string, body: unknown, headers: object = {}) {
    const response = await fetch(`${github.artifacts.url}${SERVICE}/${method}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await github.artifacts.runtimeToken('run-1', 'job-1')}`,
        ...headers,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(10_000),
    });
    return { status: response.status, answer: await response.json() };
  }

  it('about who asks, and what', async () => {
    const create = { ...ids, name: 'a', version: 7 };
    const finalize = { ...ids, name: 'a', size: '1' };
    for (const [code, status, method, body, headers] of [
      ['unauthenticated', 401, 'CreateArtifact', create, { authorization: '' }],
      ['unauthenticated', 401, 'CreateArtifact', create, { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }],
      ['permission_denied', 403, 'FinalizeArtifact', { ...finalize, workflow_run_backend_id: 'run-2' }, {}],
      ['permission_denied', 403, 'CreateArtifact', { ...create, workflow_job_run_backend_id: 'j' }, {}],
      ['invalid_argument', 400, 'CreateArtifact', { ...create, name: 'a/b' }, {}],
      ['invalid_argument', 400, 'CreateArtifact', { ...create, version: 4 }, {}],
      ['invalid_argument', 400, 'CreateArtifact', { ...create, mimeType: 'a' }, {}],
      ['not_found', 404, 'FinalizeArtifact', finalize, {}],
      ['bad_route', 404, 'ListArtifacts', ids, {}],
      ['invalid_argument', 400, 'CreateArtifact', create, { 'content-type': 'text/plain' }],
    ] as const) {
      github.allow(`artifact-${code}`);
      expect(await call(method, body, headers)).toMatchObject({ status, answer: { code } });
      expect(github.artifacts.violations.at(-1)).toMatchObject({ rule: `artifact-${code}` });
    }
  });

  it('checks a finalized artifact against its blob', async () => {
    github.allow('artifact-failed_precondition', 'artifact-invalid_argument');
    const create = { ...ids, name: 'a', version: 7 };
    const { answer } = await call('CreateArtifact', create);
    const finalize = (size: string, hash?: string) => call('FinalizeArtifact', { ...ids, name: 'a', size, hash });
    expect(await finalize('5')).toMatchObject({ status: 412, answer: { msg: 'nothing was uploaded for "a"' } });
    const upload = (url: string) =>
      fetch(url, { method: 'PUT', headers: { 'x-ms-blob-type': 'BlockBlob' }, body: 'hello' });
    const { signed_upload_url: url } = z.object({ signed_upload_url: z.url() }).parse(answer);
    expect((await upload(url.replace(/sig=[^&]*/u, 'sig=AAAA'))).status).toBe(403);
    expect((await upload(url)).status).toBe(201);
    expect((await fetch(url)).status).toBe(403);
    expect((await finalize('4')).status).toBe(400);
    expect((await finalize('5', `sha256:${'0'.repeat(64)}`)).status).toBe(400);
    const digest = `sha256:${createHash('sha256').update('hello').digest('hex')}`;
    expect(await finalize('5', digest)).toMatchObject({ status: 200, answer: { ok: true } });
    expect((await finalize('5', digest)).status).toBe(412);
    // It is no zip, and the library says so.
    await expect(github.artifacts.download('a')).rejects.toThrow(/end of central directory/iu);
  });
});
