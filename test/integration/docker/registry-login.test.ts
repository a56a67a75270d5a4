import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { hostLogin } from '../../../src/executor/docker/image/registry-login.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

let folder: string;
let troubles: string[];
beforeEach(async () => {
  folder = await temporaryDirectory();
  troubles = [];
});

async function write(config: unknown, home = folder): Promise<void> {
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
}

/** Puts a credential helper on the PATH: a shell script. */
async function helper(name: string, script: string): Promise<void> {
  const path = join(folder, 'bin', `docker-credential-${name}`);
  await mkdir(join(folder, 'bin'), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

function login(registry: string, more: Record<string, string> = {}, signal = new AbortController().signal) {
  const environment = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    DOCKER_CONFIG: folder,
    ...more,
  };
  return hostLogin(registry, environment, signal, (sentence) => troubles.push(sentence));
}

const auth = (text: string) => Buffer.from(text).toString('base64');

describe("the Docker CLI's file", () => {
  it('is found by DOCKER_CONFIG, else below the home directory', async () => {
    await write({ auths: { 'ghcr.io': { auth: auth('robot:by:variable') } } });
    await write({ auths: { 'ghcr.io': { auth: auth('robot:by-home') } } }, join(folder, 'home/.docker'));
    expect(await login('ghcr.io')).toEqual({ username: 'robot', password: 'by:variable' });
    const home = { HOME: join(folder, 'home'), DOCKER_CONFIG: '' };
    expect(await login('ghcr.io', home)).toEqual({ username: 'robot', password: 'by-home' });
  });

  it.each([
    ['https://ghcr.io/v1/', 'ghcr.io'],
    ['http://127.0.0.1:5000', '127.0.0.1:5000'],
    ['https://index.docker.io/v1/', 'docker.io'],
    ['docker.io', 'docker.io'],
  ])('with an entry for %s holds the login of %s', async (name, registry) => {
    await write({ auths: { [name]: { auth: auth('robot:s3cret') } } });
    expect(await login(registry)).toEqual({ username: 'robot', password: 's3cret' });
    expect(await login('127.0.0.1')).toBeUndefined();
  });

  it('may hold a name and a password, an identity token, or nothing', async () => {
    const b = { auth: auth('u:x'), identitytoken: 't0ken' };
    await write({
      auths: { 'a.example': { username: 'u', password: 'p' }, 'b.example': b, 'c.example': {} },
    });
    expect(await login('a.example')).toEqual({ username: 'u', password: 'p' });
    expect(await login('b.example')).toEqual({ identitytoken: 't0ken' });
    expect(await login('c.example')).toBeUndefined();
    expect(troubles).toEqual([]);
  });

  it.each(['{ no JSON', '{"auths": 7}'])(
    'causes a warning that shows nothing of it when it is malformed: %s',
    async (text) => {
      await write(text);
      expect(await login('ghcr.io')).toBeUndefined();
      expect(troubles).toEqual([
        expect.stringContaining(
          `Failed to read the Docker configuration for ghcr.io: ${join(folder, 'config.json')}: it is malformed. Correct it, or remove it. See PRA-DOCKER-06`,
        ),
      ]);
    },
  );
});

describe('a credential helper', () => {
  const answers = (user: string) =>
    `read -r server; echo "{\\"ServerURL\\":\\"$server\\",\\"Username\\":\\"${user}\\",\\"Secret\\":\\"for $server\\"}"`;

  it('is asked for the registry it is named for, and another one for the rest', async () => {
    await helper('one', answers('robot'));
    await helper('all', answers('<token>'));
    await write({ credHelpers: { 'ecr.example': 'one' }, credsStore: 'all', auths: { 'ecr.example': {} } });
    expect(await login('ecr.example')).toEqual({ username: 'robot', password: 'for ecr.example' });
    expect(await login('docker.io')).toEqual({ identitytoken: 'for https://index.docker.io/v1/' });
    expect(troubles).toEqual([]);
  });

  it('that has no login leaves it to the file', async () => {
    await helper('empty', 'echo "credentials not found in native keychain"; exit 1');
    await write({ credsStore: 'empty', auths: { 'ghcr.io': { auth: auth('robot:file') } } });
    expect(await login('ghcr.io')).toEqual({ username: 'robot', password: 'file' });
    expect(troubles).toEqual([]);
  });

  it('sees nothing of the agent’s own settings', async () => {
    const secret =
      '<$PULUMI_AGENT_TOKEN|$ACTIONS_RUNTIME_TOKEN|$OTEL_EXPORTER_OTLP_HEADERS|$CI_JOB_TOKEN|$AWS_REGION>';
    await helper('curious', `echo "{\\"Username\\":\\"u\\",\\"Secret\\":\\"${secret}\\"}"`);
    await write({ credsStore: 'curious' });
    const own = { PULUMI_AGENT_TOKEN: 'a', ACTIONS_RUNTIME_TOKEN: 'b', OTEL_EXPORTER_OTLP_HEADERS: 'c=d' };
    const withheld = { CI_JOB_TOKEN: 'e', PULUMI_RUNNER_WITHHELD: 'CI_JOB_TOKEN' };
    const environment = { ...own, ...withheld, AWS_REGION: 'eu' };
    expect(await login('ghcr.io', environment)).toEqual({ username: 'u', password: '<||||eu>' });
  });

  it.each([
    ['is not there', 'none', undefined, /spawn docker-credential-none ENOENT/],
    ['fails', 'fails', 'echo "s3cret-token" | tee /dev/stderr; exit 3', /: it ended with code 3\. Run/],
    ['is killed', 'killed', 'echo "s3cret-token" >&2; kill -9 $$', /: SIGKILL ended it\. Run/],
    ['says nothing', 'mute', 'exit 4', /it ended with code 4/],
    ['talks nonsense', 'nonsense', 'echo hello', /its answer is malformed/],
    ['is a path', '../evil', undefined, /that is not the name of a credential helper/],
  ])('that %s causes a warning, and the pull goes on', async (_, name, script, reason) => {
    if (script !== undefined) await helper(name, script);
    await write({ credsStore: name });
    expect(await login('ghcr.io')).toBeUndefined();
    expect(troubles).toEqual([
      expect.stringMatching(
        /^Failed to ask docker-credential-\S+ for the login of ghcr\.io: .* See PRA-DOCKER-07/,
      ),
    ]);
    expect(troubles[0]).toMatch(reason);
    expect(troubles[0]).not.toContain('s3cret');
  });

  it('that never answers ends with the pull', async () => {
    await helper('slow', 'exec sleep 60');
    await write({ credsStore: 'slow' });
    const stop = new AbortController();
    const asking = login('ghcr.io', {}, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 100);
    await expect(asking).rejects.toThrow('enough');
  });
});
