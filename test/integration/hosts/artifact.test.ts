import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as core from '@actions/core';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ArtifactUpload } from '../../../src/ci-step/host.ts';
import { artifactName, uploadRunDirectory } from '../../../src/ci-step/hosts/github/artifact.ts';
import { ArtifactService } from '../../emulators/github/artifact-service.ts';
import { type BlobStore, startBlobStore } from '../../emulators/github/azurite.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { CONTEXT } from '../../support/hosts/step.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

let blobs: BlobStore;
let service: ArtifactService;
beforeAll(async () => {
  blobs = await startBlobStore();
  service = await ArtifactService.start(Promise.resolve(blobs));
}, 40_000);
afterAll(async () => {
  await service.close();
  await blobs.stop();
});

let environment: Record<string, string>;
beforeEach(async () => {
  environment = {
    ACTIONS_RESULTS_URL: service.url,
    ACTIONS_RUNTIME_TOKEN: await service.runtimeToken('run', 'job'),
  };
  // The client reads the process's own environment.
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return () => {
    vi.unstubAllEnvs();
    service.faults.clear();
  };
});

async function runDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  await mkdir(join(directory, 'steps'));
  await writeFile(join(directory, 'run.json'), '{}');
  await writeFile(join(directory, 'steps', '00-setup.log'), 'line\n'.repeat(1_000));
  await symlink('/etc/passwd', join(directory, 'link'));
  return directory;
}

async function upload(name: string, over: Partial<ArtifactUpload> = {}, context = CONTEXT) {
  const directory = await runDirectory();
  const { signal } = new AbortController();
  return await uploadRunDirectory(
    { directory, name, deadlineMs: 15_000, signal, last: false, ...over },
    environment,
    context,
    core.warning,
  );
}

describe('uploadRunDirectory', () => {
  test('uploads every file of the run directory, and no link', async () => {
    const stdout = captureStdout();
    const artifact = await upload('whole', { retentionDays: 3 });
    expect(artifact).toEqual({
      name: 'whole',
      id: expect.stringMatching(/^\d+$/),
      url: `https://github.com/acme/infra/actions/runs/77/artifacts/${artifact?.id}`,
    });
    const files = await service.download('whole');
    expect([...files.keys()].sort()).toEqual(['run.json', 'steps/00-setup.log']);
    expect(files.get('steps/00-setup.log')?.toString()).toBe('line\n'.repeat(1_000));
    const { groups, annotations } = stdout.read();
    expect(groups.map(({ title }) => title)).toEqual(['Artifact whole']);
    expect(annotations).toEqual([]);
    expect(service.violations).toEqual([]);
  });

  test.each([
    ['before there is an artifact', 'CreateArtifact', /^CreateArtifact$/],
    ['at its very end, by another name', 'FinalizeArtifact', /^FinalizeArtifact-[0-9a-f]{6}$/],
  ] as const)('tries once more when the connection is reset %s', async (_, call, name) => {
    const stdout = captureStdout();
    service.faults.inject(call, { kind: 'reset' });
    const artifact = await upload(call);
    expect(artifact?.name).toMatch(name);
    expect(await service.download(artifact?.name ?? '')).toHaveProperty('size', 2);
    expect(stdout.read().annotations).toEqual([]);
  });

  test('takes another name when the workflow run already has an artifact of this name', async () => {
    const stdout = captureStdout();
    expect(await upload('the same')).toMatchObject({ name: 'the same' });
    const second = await upload('the same');
    expect(second?.name).toMatch(/^the same-[0-9a-f]{6}$/);
    expect(await service.download(second?.name ?? '')).toHaveProperty('size', 2);
    expect(stdout.read().annotations).toEqual([
      {
        level: 'notice',
        message: `The workflow run already has an artifact the same: this one is called ${second?.name}.`,
        properties: {},
      },
    ]);
  });

  test('says where the run directory is when the service refuses', async () => {
    const stdout = captureStdout();
    service.faults.inject('CreateArtifact', { kind: 'status', status: 403 });
    expect(await upload('refused')).toBeUndefined();
    const { annotations, groups, lines } = stdout.read();
    expect(annotations).toHaveLength(1);
    expect(annotations[0]).toMatchObject({
      level: 'warning',
      message: expect.stringMatching(
        /^Failed to upload the artifact refused .*403.* are in \/.* until the job ends\. See PRA-RECORD-01$/,
      ),
    });
    expect(groups).toHaveLength(1);
    // The warning comes after the group, where it is not folded away.
    expect(lines[Number(groups[0]?.to) - 1]).toBe('##[endgroup]');
  });

  test('gives up a stalled upload at its deadline, and at once when the job is cancelled', async () => {
    const stdout = captureStdout();
    for (let call = 0; call < 3; call += 1) service.faults.inject('CreateArtifact', { kind: 'stall' });
    expect(await upload('stalled', { deadlineMs: 1_000 })).toBeUndefined();
    expect(stdout.read().annotations[0]?.message).toContain('it took longer than 1 s');
    const cancelled = AbortSignal.abort();
    expect(await upload('cancelled', { signal: cancelled })).toBeUndefined();
    expect(stdout.read().annotations).toHaveLength(1);
    expect(await upload('the last', { signal: cancelled, last: true })).toBeUndefined();
    expect(stdout.read().annotations[1]?.message).toMatch(
      /^Failed to upload the artifact the last .*: the step was stopped\. The run/,
    );
  });

  test.each([
    ['https://github.com', 'the runner offers no artifact service to this job'],
    ['https://acme.ghe.com', 'the runner offers no artifact service to this job'],
    ['https://github.com.acme.example', 'GitHub Enterprise Server accepts none from this action'],
  ])('says why there is no artifact service: %s', async (serverUrl, reason) => {
    const stdout = captureStdout();
    environment['ACTIONS_RUNTIME_TOKEN'] = '';
    expect(await upload('none', {}, { ...CONTEXT, serverUrl })).toBeUndefined();
    const [annotation] = stdout.read().annotations;
    expect({ level: annotation?.level, message: annotation?.message }).toEqual({
      level: 'notice',
      message: expect.stringMatching(`^No artifact was uploaded: ${reason}.*\\. The run directory is /`),
    });
  });
});

describe('artifactName', () => {
  test('names the stack and its number, else deployment or run, with job and attempt, however long, and differs each time', () => {
    const name = artifactName({ deploymentId: 'dep-1' }, CONTEXT);
    expect(name).toMatch(/^pulumi-runner-dep-1-deploy-1-[0-9a-f]{6}$/);
    const long = artifactName(
      { deploymentId: `../${'d'.repeat(300)}` },
      { ...CONTEXT, job: 'j'.repeat(300) },
    );
    expect(long).toMatch(/^pulumi-runner-\.\.-d{60,}-j{100}-1-[0-9a-f]{6}$/);
    expect(long).toHaveLength(200);
    expect(artifactName({ deploymentId: 'dep-1' }, CONTEXT)).not.toBe(name);
    const identity = { organization: 'acme', project: 'network', stack: 'prod', version: 1042, proven: true };
    expect(artifactName({ identity, deploymentId: 'dep-1' }, CONTEXT)).toMatch(
      /^pulumi-runner-network-prod-1042-deploy-1-[0-9a-f]{6}$/,
    );
    expect(artifactName({}, CONTEXT)).toMatch(/^pulumi-runner-77-deploy-1-[0-9a-f]{6}$/);
  });

  test('holds nothing that GitHub forbids', () => {
    expect(artifactName({ name: 'a"b:c<d>e|f*g?h\\i/j\rk\nl' }, CONTEXT)).toBe('a-b-c-d-e-f-g-h-i-j-k-l');
    expect(artifactName({ name: 'x'.repeat(500) }, CONTEXT)).toHaveLength(200);
    // Half a character would be refused.
    expect(artifactName({ name: `x${'💥'.repeat(200)}` }, CONTEXT).isWellFormed()).toBe(true);
  });
});
