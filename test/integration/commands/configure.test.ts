import { existsSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../../src/base/config/load.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { fileWith, folder, here, run } from '../doctor/command.ts';
import { onTerminal } from './terminal.ts';

const NAME = 'pulumi-workflow-agent.yaml';
const OIDC = ['--organization-name', 'acme', '--runner-pool-id', 'pool-1', '--oidc-token-file', 'id-token'];

const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

/** The configuration in a file, as `run` reads it. */
async function configOf(file: string) {
  return (await loadConfig({ environment: {}, workingDirectory: '/', file })).config;
}

describe('configure on a terminal', () => {
  it('asks for what a pool token needs, shows no secret, and writes what run reads', async () => {
    const home = await folder();
    const terminal = onTerminal(home, ['configure']);
    await terminal.answer('Choice [1]: ', 'three\r');
    await terminal.answer('Please answer with 1 or 2. Choice [1]: ', '2\r');
    await terminal.answer('Token of the runner pool (not shown): ', 'pul with-spaces-0123\r');
    await terminal.answer('Token of the runner pool (not shown): ', 'pul-typed-secret-0123\r');
    await terminal.answer('API of Pulumi Cloud [https://api.pulumi.com]: ', 'ftp://pulumi.example\r');
    await terminal.answer('API of Pulumi Cloud [https://api.pulumi.com]: ', '\r');
    expect(await terminal.ended).toBe(0);
    expect(terminal.shown()).toContain(`Wrote ${join(home, NAME)}.`);
    expect(terminal.shown()).not.toMatch(/typed-secret|with-spaces/);
    // Clearing the line after a question would hide the question.
    expect(terminal.raw()).not.toContain('(not shown): \u001b[1G\u001b[0J');
    expect(terminal.raw()).toContain('\u001b[0JToken of the runner pool');
    // Input that is not secret is echoed.
    expect(terminal.shown()).toContain('ftp://pulumi.example');
    expect(await modeOf(join(home, NAME))).toBe('600');
    expect(await configOf(join(home, NAME))).toMatchObject({
      token: 'pul-typed-secret-0123',
      serviceUrl: 'https://api.pulumi.com',
    });
  });

  it('asks for what OIDC needs and the flags leave open', async () => {
    const home = await folder();
    const terminal = onTerminal(home, [
      'configure',
      '--organization-name',
      'acme',
      '--output',
      'agent.yaml',
      '--single-run',
    ]);
    await terminal.answer('Choice [1]: ', '\r');
    await terminal.answer('ID of the runner pool: ', '\r');
    await terminal.answer('An answer is needed.\r\nID of the runner pool: ', 'pool-1\r');
    await terminal.answer('File with the ID token, kept fresh by your CI: ', 'id-token\r');
    await terminal.answer('API of Pulumi Cloud [https://api.pulumi.com]: ', 'https://pulumi.acme.example\r');
    expect(await terminal.ended).toBe(0);
    expect(await configOf(join(home, 'agent.yaml'))).toMatchObject({
      organizationName: 'acme',
      runnerPoolId: 'pool-1',
      oidcTokenFile: join(home, 'id-token'),
      serviceUrl: 'https://pulumi.acme.example',
      singleRun: true,
    });
  });

  it('writes nothing when Ctrl-C ends it', async () => {
    const home = await folder();
    const terminal = onTerminal(home, ['configure']);
    await terminal.answer('Choice [1]: ', '\u0003');
    expect(await terminal.ended).toBe(7);
    expect(terminal.shown()).toContain('Nothing was written');
    expect(existsSync(join(home, NAME))).toBe(false);
  });
});

describe('configure without a terminal', () => {
  it('writes what run then works with', async () => {
    const cloud = await PulumiCloud.start();
    onTestFinished(() => cloud.stop());
    const home = await folder();
    const token = await fileWith(`${cloud.createStaticToken('pool-1')}\n`);
    const flags = ['--token-file', token, '--service-url', cloud.url, '--single-run', '--max-wait', '0s'];
    const { code, stdout } = await run(['configure', ...flags, '--http-server-port', '0'], { home });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining(join(home, NAME)) });
    const ran = await run(['run', '--fail-on-no-work'], { home });
    expect(ran).toMatchObject({
      code: 75,
      stderr: expect.stringContaining(`configured by ${join(home, NAME)}`),
    });
  });

  it('ignores the environment: what a shell happens to hold does not get into a file', async () => {
    const home = await folder();
    const environment = { PULUMI_AGENT_TOKEN: 'pul-of-the-shell' };
    const { code, stderr } = await here(['configure'], { home, environment });
    expect(code).toBe(2);
    expect(stderr).toContain('no way to authenticate');
    expect(existsSync(join(home, NAME))).toBe(false);
  });

  it('keeps an existing file, and replaces it only when asked to, readable by its user alone', async () => {
    const home = await folder();
    const file = join(home, NAME);
    await writeFile(file, 'token: kept\n', { mode: 0o644 });
    const refused = await here(['configure', ...OIDC], { home });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(
      `${file} exists. Replace it with --force, or choose another with --output.`,
    );
    expect(await readFile(file, 'utf8')).toBe('token: kept\n');
    expect((await here(['configure', ...OIDC, '--force'], { home })).code).toBe(0);
    expect(await configOf(file)).toMatchObject({ runnerPoolId: 'pool-1' });
    expect(await modeOf(file)).toBe('600');
  });

  it.each([
    [
      'a token file that is missing',
      ['--token-file', 'none'],
      /Failed to read the token .*ENOENT.*Correct --token-file/,
    ],
    [
      'a folder that is missing',
      ['--token-file', '-', '--output', 'no/where.yaml'],
      /ENOENT.*Choose another place with --output/,
    ],
  ])('writes nothing for %s', async (_, flags, said) => {
    const home = await folder();
    const { code, stderr, stdout } = await here(['configure', ...flags], {
      home,
      input: 'pul-piped-secret-1',
    });
    expect(code).toBe(2);
    expect(stderr).toMatch(said);
    expect(stderr + stdout).not.toContain('piped-secret');
    expect(existsSync(join(home, NAME))).toBe(false);
  });
});
