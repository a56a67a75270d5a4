import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { startIssuer } from '../../emulators/github/issuer.ts';
import { testImage } from '../../support/docker/images.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

const ROOT = join(import.meta.dirname, '../../..');

it('the demo reports a deployment that nobody ran and a call that no agent makes', {
  timeout: 120_000,
}, async () => {
  const image = await testImage('job');
  const directory = await temporaryDirectory();
  const issuer = await startIssuer();
  onTestFinished(() => issuer.close());
  const [outputs, result] = [join(directory, 'outputs'), join(directory, 'result')];
  await writeFile(outputs, '');
  const options = {
    repository: 'acme/infrastructure',
    program: 'shell',
    image,
    outputs,
    result,
    'stop-file': join(directory, 'stop'),
    issuer: issuer.url,
    'jwks-url': issuer.jwksUri,
  };
  const flags = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, ['demo/serve.ts', ...flags], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  const printed: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => printed.push(line));
  await expect.poll(() => printed.join('\n'), { timeout: 60_000 }).toContain('deployments are queued');
  const values = Object.fromEntries(
    (await readFile(outputs, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  expect(values).toEqual({
    'service-url': expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/u),
    organization: 'acme',
    'runner-pool-id': expect.any(String),
  });
  expect((await fetch(`${values['service-url']}/api/deployments/poll`)).status).toBe(406);
  child.kill('SIGINT');
  expect(await closed).toEqual([1, null]);
  const lines = (await readFile(result, 'utf8')).split('\n');
  expect(lines[0]).toMatch(/^violation: GET \/api\/deployments\/poll: /u);
  expect(lines).toContain('stack-1: the deployment is not-started (undefined)');
  expect(lines).toContain('stack-1: network is not in the state');
});
