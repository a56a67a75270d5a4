import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type GitHub, startGitHub } from '../../emulators/github/github.ts';
import { testImage } from '../../support/docker/images.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
let image: string;
let directory: string;
let github: GitHub;
let child: ChildProcess | undefined;

beforeAll(async () => {
  image = await testImage('job');
}, 120_000);
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'serve-'));
  github = await startGitHub({ repository: 'acme/infrastructure' });
});
afterEach(async () => {
  child?.kill('SIGKILL');
  await github.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Starts it for the emulated GitHub and waits until it is ready. */
async function serve(...args: string[]) {
  const [outputs, result, stopFile] = ['outputs', 'result', 'stop'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  await writeFile(outputs, '');
  const options = {
    repository: 'acme/infrastructure',
    program: 'shell',
    image,
    outputs,
    result,
    'stop-file': stopFile,
    issuer: github.issuer.url,
    'jwks-url': github.issuer.jwksUri,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const started = spawn(process.execPath, ['demo/serve.ts', ...flags, ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  child = started;
  const ended = new Promise<number | null>((resolve) => started.once('close', resolve));
  const ready = Promise.withResolvers<void>();
  createInterface({ input: started.stdout }).on('line', (line) => {
    if (line.includes('deployments are queued')) ready.resolve();
  });
  await Promise.race([
    ready.promise,
    ended.then((code) => Promise.reject(new Error(`serve.ts ended with exit code ${code} before it was ready`))),
  ]);
  const values = Object.fromEntries(
    (await readFile(outputs, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  return { values, stopFile, ended, process: started, result: () => readFile(result, 'utf8') };
}

it('tells what is wrong: a deployment that nobody ran, and a call that no agent makes', async () => {
  const { values, ended, process: started, result } = await serve();
  expect(values).toEqual({
    'service-url': expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
    organization: 'acme',
    'runner-pool-id': expect.any(String),
  });
  expect((await fetch(`${values['service-url']}/api/deployments/poll`)).status).toBe(406);
  started.kill('SIGINT');
  expect(await ended).toBe(1);
  const lines = (await result()).split('\n');
  expect(lines[0]).toMatch(/^violation: GET \/api\/deployments\/poll: /u);
  expect(lines).toContain('stack-1: the deployment is not-started (undefined)');
  expect(lines).toContain('stack-1: network is not in the state');
});
