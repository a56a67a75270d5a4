import { execFileSync } from 'node:child_process';
import { readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ownOwner } from '../../../src/base/owner.ts';
import type { ActionPhase } from '../../../src/ci-step/hosts/github/host.ts';
import { mainPhase, postPhase } from '../../../src/ci-step/hosts/github/phases.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { testImage } from '../../support/docker/images.ts';
import { captureStdout } from '../../support/hosts/captured-stdout.ts';
import { commandFiles } from '../../support/hosts/command-files.ts';
import { CONTEXT, stepIn } from '../../support/hosts/step.ts';
import { folder } from '../doctor/command.ts';

const AGENT = join(import.meta.dirname, '../../../src/cli/index.ts');
const RUN = `acme/infra/actions/runs/${process.pid}`;

let cloud: PulumiCloud;
let directory: string;
let files: Awaited<ReturnType<typeof commandFiles>>;
let cancel: AbortController;
beforeEach(async () => {
  cloud = await PulumiCloud.start();
  directory = await folder();
  cancel = new AbortController();
  files = await commandFiles(directory);
});
afterEach(async () => {
  expect(cloud.requests.filter(({ path }) => path.includes('poll'))).toEqual([]);
  await cloud.stop();
  const left = execFileSync('docker', ['ps', '-aq', '--filter', `label=pulumi-runner.ci-run=${RUN}`], {
    encoding: 'utf8',
  });
  expect(left).toBe('');
});

/** The action's step, with the agent run from its sources. */
async function stepOf(
  inputs: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
): Promise<ActionPhase> {
  const image = await testImage('busybox');
  const given = { doctor: 'true', 'service-url': cloud.url, image, 'pull-image': 'false', ...inputs };
  const context = { ...CONTEXT, runId: process.pid };
  return stepIn(directory, given, {
    environment,
    context,
    cancelled: cancel.signal,
    owner: ownOwner(),
    agentScript: AGENT,
  });
}

const privateFiles = async () =>
  (await readdir(join(directory, 'temp'), { recursive: true })).filter((file) => file.includes('private'));

it('the step is red when a check failed, with the outcome that a run would have had', async () => {
  cloud.allow(/takes a pool token, not a user token/);
  const stdout = captureStdout();
  const step = await stepOf({ token: cloud.userToken });
  expect(await mainPhase(step)).toBe(1);
  const { lines, annotations } = stdout.read();
  expect(lines).toContainEqual(
    expect.stringMatching(/^✘ Pool {17}Failed to use the token for the pool: HTTP 403/),
  );
  expect(annotations).toContainEqual({
    level: 'error',
    properties: { title: 'Pool' },
    message: expect.stringContaining('Use the token of a runner pool'),
  });
  // busybox lacks the programs that Pulumi Cloud's steps call.
  expect(annotations).toContainEqual({
    level: 'warning',
    properties: { title: 'Container' },
    message: expect.stringContaining('it lacks bash, curl, pulumi'),
  });
  expect(annotations.at(-1)).toMatchObject({
    level: 'error',
    message: expect.stringMatching(/^16 checks: .*1 failed.*\. Pulumi Cloud refused the credentials\.$/),
  });
  expect(await files.outputs()).toMatchObject({ outcome: 'auth-error' });
  expect(await files.summary()).toMatch(/^## A run would fail\n\n.*<code>auth-error<\/code>/);
  expect(await files.summary()).toContain('<td>✘&nbsp;failed</td><td>Pool</td>');
  expect(await privateFiles()).toEqual([]);
  const before = stdout.text().length;
  await postPhase(step);
  expect(stdout.text().slice(before)).toBe('The run is over; removing its temporary files.\n');
});

it('the step says that there was no report, and why', async () => {
  const stdout = captureStdout();
  const step = await stepOf({ token: 'pul-x' });
  const agentScript = join(directory, 'broken.js');
  await writeFile(agentScript, "import './absent.js';\n");
  expect(await mainPhase({ ...step, agentScript })).toBe(1);
  expect(stdout.read().annotations.at(-1)?.message).toMatch(
    /^✗ Failed to run the doctor for this job: it ended with 1 and said: .*Cannot find module/,
  );
  expect(await files.outputs()).toMatchObject({ outcome: 'failed' });
  expect(await privateFiles()).toEqual([]);
});

it('the step is over at once when the job is cancelled', async () => {
  const accepted = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    socket.resume().on('error', () => undefined);
    accepted.resolve();
  });
  const path = join(directory, 'docker.sock');
  await new Promise<void>((resolve) => silent.listen(path, resolve));
  onTestFinished(() => void silent.close());
  captureStdout();
  const phase = mainPhase(
    await stepOf({ token: cloud.createStaticToken('pool-1') }, { DOCKER_HOST: `unix://${path}` }),
  );
  await accepted.promise;
  cancel.abort(new Error('cancelled'));
  expect(await phase).toBe(130);
  expect(await files.outputs()).toEqual({ outcome: 'interrupted' });
  expect(await privateFiles()).toEqual([]);
});
