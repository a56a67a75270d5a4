import { createHash, randomBytes } from 'node:crypto';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';
import { type GitHub, startGitHub } from '../../emulators/github/github.ts';
import type { PhaseResult } from '../../emulators/github/phase.ts';
import { listProcesses } from '../../emulators/github/process-tree.ts';
import { writeAction } from '../../emulators/github/throwaway-action.ts';

let blobStore: BlobStore;
let github: GitHub;
let directory: string;
let actions = 0;

beforeAll(async () => {
  blobStore = await startBlobStore();
});
afterAll(() => blobStore.stop());
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'github-integration-'));
  github = await startGitHub({ repository: 'acme/infra', blobStore });
});
afterEach(async () => {
  await github.stop();
  await rm(directory, { recursive: true, force: true });
});

const writeNew = (main: string, post?: string): Promise<string> =>
  writeAction(join(directory, `action-${++actions}`), {
    main,
    inputs: { file: '', name: 'logs', days: '' },
    ...(post !== undefined && { post }),
  });

/** Runs a script that has `core` and `client` of @actions/artifact at hand, to its end. */
async function runWithArtifacts(script: string, inputs: Record<string, string> = {}, env: Record<string, string> = {}) {
  const action = await writeNew(`
    import * as core from '@actions/core';
    import { DefaultArtifactClient } from '@actions/artifact';
    import { dirname } from 'node:path';
    const client = new DefaultArtifactClient();
    const file = core.getInput('file');
    const name = core.getInput('name');
    const upload = (options) => client.uploadArtifact(name, [file], dirname(file), options);
    try {
      ${script}
    } catch (error) {
      core.setFailed(error.message);
    }
    process.exit();
  `);
  return (await github.newJob(action, inputs, env)).main();
}

function outputOf(result: PhaseResult, name: string) {
  return JSON.parse(result.outputs[name] ?? '');
}

async function newFile(content: Buffer | string, name = 'a.log'): Promise<string> {
  await writeFile(join(directory, name), content);
  return join(directory, name);
}

describe('artifacts', () => {
  it('of 2 MB are uploaded by the real client, kept with size and digest, and read back', async () => {
    const content = randomBytes(2 * 1024 * 1024);
    const result = await runWithArtifacts(
      `const { id, size, digest } = await upload({ compressionLevel: 1, retentionDays: 5 });
       core.setOutput('answer', { id, size, digest });`,
      { file: await newFile(content), name: 'big' },
    );
    expect(result.conclusion, result.console.join('\n')).toBe('success');
    const answer = outputOf(result, 'answer');
    const [stored] = github.artifacts.list();
    expect(stored).toMatchObject({
      name: 'big',
      finalized: true,
      id: answer.id,
      size: answer.size,
      mimeType: 'application/zip',
    });
    expect(stored?.digest).toBe(`sha256:${answer.digest}`);
    expect(stored?.size).toBeGreaterThan(content.length);
    const days = ((stored?.expiresAt?.getTime() ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(4.9);
    expect(days).toBeLessThan(5.1);
    const entries = await github.artifacts.download('big');
    expect([...entries.keys()]).toEqual(['a.log']);
    expect(
      createHash('sha256')
        .update(entries.get('a.log') ?? '')
        .digest('hex'),
    ).toBe(createHash('sha256').update(content).digest('hex'));
  });

  it('have names that are unique in a run, over its jobs and attempts', async () => {
    const file = await newFile('x');
    expect((await runWithArtifacts('await upload();', { file })).conclusion).toBe('success');
    const second = await runWithArtifacts('await upload();', { file });
    expect(second.conclusion).toBe('failure');
    expect(second.annotations[0]?.message).toContain(
      '(409) Conflict: an artifact with this name already exists on the workflow run',
    );
    github.allow('artifact-already_exists');
    expect(github.artifacts.violations).toMatchObject([{ rule: 'artifact-already_exists' }]);
    expect((await runWithArtifacts('await upload();', { file, name: 'logs-2' })).conclusion).toBe('success');
  });

  it('survive one answer of 503 and are not retried after a reset', async () => {
    const file = await newFile('x');
    github.artifacts.faults.inject('CreateArtifact', { kind: 'status', status: 503 });
    expect((await runWithArtifacts('await upload();', { file })).conclusion).toBe('success');
    expect(github.artifacts.calls.map((one) => [one.method, one.status])).toEqual([
      ['CreateArtifact', 503],
      ['CreateArtifact', 200],
      ['FinalizeArtifact', 200],
    ]);
    github.artifacts.switchOff();
    const off = await runWithArtifacts('await upload();', { file, name: 'second' });
    expect(off.conclusion).toBe('failure');
    expect(github.artifacts.calls).toHaveLength(4);
  });

  it('hang when the blob store stalls, until the client gives up', async () => {
    github.artifacts.blobs.set('stall');
    const result = await runWithArtifacts(
      'await upload();',
      { file: await newFile('x') },
      { ACTIONS_ARTIFACT_UPLOAD_TIMEOUT_MS: '300' },
    );
    expect(result).toMatchObject({ conclusion: 'failure', annotations: [{ message: 'Upload progress stalled.' }] });
    expect(github.artifacts.list()).toMatchObject([{ name: 'logs', finalized: false }]);
    github.artifacts.blobs.set('open');
    expect((await runWithArtifacts('await upload();', { file: await newFile('x'), name: 'next' })).conclusion).toBe(
      'success',
    );
  });
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
      ['malformed', 400, 'CreateArtifact', create, { 'content-type': 'text/plain' }],
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

describe('ID tokens', () => {
  it('reach a job through @actions/core, verifiable, until the job ends', async () => {
    const action = await writeNew(
      `import * as core from '@actions/core';
       const token = await core.getIDToken('urn:pulumi:org:acme');
       core.setOutput('token', token);
       console.log('token is ' + token);`,
      `import * as core from '@actions/core';
       core.setOutput('again', (await core.getIDToken('urn:pulumi:org:acme')).length);`,
    );
    const job = await github.newJob(action, {}, {}, { job: 'prod', attempt: 2 });
    const main = await job.main();
    expect(main.conclusion, main.console.join('\n')).toBe('success');
    expect(main.console).toEqual(['token is ***']);
    const keys = createRemoteJWKSet(new URL(github.issuer.jwksUri));
    const { payload } = await jwtVerify(String(Object.values(main.outputs)[0]), keys, {
      issuer: github.issuer.url,
      audience: 'urn:pulumi:org:acme',
    });
    expect(payload).toMatchObject({ sub: 'repo:acme/infra:ref:refs/heads/main', run_attempt: '2' });
    expect(Number(Object.values((await job.post())?.outputs ?? {})[0])).toBeGreaterThan(500);
    expect(github.idTokens.requests).toMatchObject([
      { job: 'prod', status: 200 },
      { job: 'prod', status: 200 },
    ]);
    await job.cleanUpOrphans();
    const late = await (await github.newJob(action, {}, {}, { idToken: 'none' })).main();
    expect(late.conclusion).toBe('failure');
    expect(late.console.join('\n')).toContain('Unable to get ACTIONS_ID_TOKEN_REQUEST_URL');
  });
});

describe('startGitHub', () => {
  it('stops everything it started: processes, its own blob store, files', async () => {
    const own = await startGitHub({ repository: 'acme/infra' });
    const action = await writeNew(
      `import { spawn } from 'node:child_process';
       const child = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
       child.unref();
       console.log(child.pid + ' ' + process.env.RUNNER_TEMP);
       setInterval(() => {}, 1000);`,
    );
    const job = await own.newJob(action);
    const handle = await job.startMain();
    const [, pid, temp] = await handle.waitForConsole(/^(\d+) (.+)$/u, 10_000);
    // This file's blob store, the emulator's own one, and the job's main.
    const children = async () => (await listProcesses()).filter((one) => one.parent === process.pid && !one.zombie);
    expect(await children()).toHaveLength(3);
    await own.stop();
    expect(await children()).toHaveLength(1);
    expect((await handle.exited).signal).toBe('SIGKILL');
    const pids = (await listProcesses()).filter((one) => !one.zombie).map((one) => one.pid);
    expect(pids).not.toContain(Number(pid));
    expect(pids).not.toContain(handle.pid);
    await expect(access(dirname(temp ?? ''))).rejects.toThrow('ENOENT');
    await expect(fetch(own.artifacts.url)).rejects.toThrow('fetch failed');
    await expect(fetch(own.issuer.url)).rejects.toThrow('fetch failed');
  });

  it('gives each job a workspace of its own and the run its identity', async () => {
    const action = await writeNew(
      `console.log([process.env.GITHUB_RUN_ID, process.env.GITHUB_JOB, process.env.GITHUB_WORKSPACE])`,
    );
    const [a, b] = await Promise.all([
      github.newJob(action, {}, {}, { job: 'a' }),
      github.newJob(action, {}, {}, { job: 'b' }),
    ]);
    const results = await Promise.all([a.main(), b.main()]);
    const lines = results.map((one) => one.console.join(''));
    expect(lines[0]).toContain("'a'");
    expect(lines[1]).toContain("'b'");
    expect(lines[0]).toContain(`'${a.identity.runId}'`);
    expect(new Set(lines).size).toBe(2);
  });
});
