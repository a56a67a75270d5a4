import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { ArtifactService } from '../../emulators/github/artifact-service.ts';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';

const ids = { workflow_run_backend_id: 'run-1', workflow_job_run_backend_id: 'job-1' };
const CREATE = { ...ids, name: 'a', version: 7 };

let blobs: BlobStore;
let service: ArtifactService;
beforeAll(async () => {
  blobs = await startBlobStore();
  service = await ArtifactService.start(Promise.resolve(blobs));
});
afterAll(async () => {
  await service.close();
  await blobs.stop();
});

async function call(method: string, body: unknown, headers: object = {}) {
  const authorization = `Bearer ${await service.runtimeToken('run-1', 'job-1')}`;
  const url = `${service.url}twirp/github.actions.results.api.v1.ArtifactService/${method}`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, answer: await response.json() };
}

it('the artifact service is strict about who asks and what they ask for', async () => {
  for (const [code, status, method, body, headers] of [
    ['unauthenticated', 401, 'CreateArtifact', CREATE, { authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' }],
    ['permission_denied', 403, 'CreateArtifact', { ...CREATE, workflow_job_run_backend_id: 'j' }],
    ['invalid_argument', 400, 'CreateArtifact', { ...CREATE, name: 'a/b' }],
    ['invalid_argument', 400, 'CreateArtifact', { ...CREATE, mimeType: 'a' }],
    ['not_found', 404, 'FinalizeArtifact', { ...ids, name: 'a', size: '1' }],
    ['bad_route', 404, 'ListArtifacts', ids],
  ] as const) {
    expect(await call(method, body, headers)).toMatchObject({ status, answer: { code } });
    expect(service.violations.at(-1)).toMatchObject({ rule: `artifact-${code}` });
  }
});

it('an artifact can be finalized once, with what was uploaded to its signed URL', async () => {
  const { answer } = await call('CreateArtifact', CREATE);
  const finalize = (size: string) => call('FinalizeArtifact', { ...ids, name: 'a', size });
  expect(await finalize('5')).toMatchObject({ status: 412, answer: { msg: 'nothing was uploaded for "a"' } });
  const upload = (url: string) =>
    fetch(url, { method: 'PUT', headers: { 'x-ms-blob-type': 'BlockBlob' }, body: 'hello' });
  const { signed_upload_url: url } = z.object({ signed_upload_url: z.url() }).parse(answer);
  expect((await upload(url.replace(/sig=[^&]*/u, 'sig=AAAA'))).status).toBe(403);
  expect((await upload(url)).status).toBe(201);
  expect((await finalize('4')).status).toBe(400);
  expect((await finalize('5')).status).toBe(200);
  expect((await finalize('5')).status).toBe(412);
  // The upload is not a zip, and the library says so.
  await expect(service.download('a')).rejects.toThrow(/end of central directory/iu);
});
