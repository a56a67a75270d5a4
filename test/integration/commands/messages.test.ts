import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { diagnose, folder, here, run } from '../doctor/command.ts';

/** No engine listens here. */
const NO_ENGINE = { DOCKER_HOST: 'tcp://127.0.0.1:1' };

describe('configure', () => {
  it('says that it does not read the environment, not that the environment has no token', async () => {
    const environment = { PULUMI_AGENT_TOKEN: 'pul-of-the-shell' };
    const { code, stderr } = await here(['configure'], { environment });
    expect(code).toBe(2);
    expect(stderr).toContain('no way to authenticate: give --token-file FILE, or --oidc-token-file');
    expect(stderr).toContain('the environment is not read');
    expect(stderr).not.toContain('neither the environment');
  });

  it('says everything that is wrong at once', async () => {
    const { stderr } = await here(['configure', '--max-wait', 'soon']);
    expect(stderr).toMatch(/2 problems.*max_wait "soon".*no way to authenticate/s);
  });

  it('takes no pool ID with a slash', async () => {
    const flags = ['--organization-name', 'acme', '--oidc-token-file', 'id'];
    const { code, stderr } = await here(['configure', ...flags, '--runner-pool-id', 'acme/pool-1']);
    expect(code).toBe(2);
    expect(stderr).toContain('runner_pool_id "acme/pool-1" holds white space or a slash');
  });
});

describe('ci without a way to sign in', () => {
  it('names the flags that give it one, and leaves no folder', async () => {
    const home = await folder();
    const { code, stdout } = await run(['ci'], { home });
    expect(code).toBe(2);
    expect(stdout).toMatch(
      /no way to authenticate: .*--identity-token-env NAME or --identity-token-command CMD/s,
    );
    expect(existsSync(join(home, 'pulumi-runner'))).toBe(false);
  });

  it('names them only for that', async () => {
    const { stdout } = await run(['ci', '--max-wait', 'soon', '--token', 'pul-1']);
    expect(stdout).toContain('--max-wait "soon"');
    expect(stdout).not.toContain('--identity-token');
  });
});

it('doctor without a token checks all that needs none', async () => {
  const cloud = await PulumiCloud.start();
  onTestFinished(() => cloud.stop());
  const environment = {
    PULUMI_AGENT_SERVICE_URL: cloud.url,
    PULUMI_AGENT_HTTP_SERVER_PORT: '0',
    ...NO_ENGINE,
  };
  const { of, outcome, checks } = await diagnose(environment);
  expect(outcome).toBe('config-error');
  const unchecked = checks.filter(({ detail }) => detail === 'skipped: "Configuration" failed');
  expect(unchecked.map(({ id }) => id)).toEqual(['id-token', 'token-exchange', 'pool']);
  for (const id of ['run-directory', 'log', 'connection', 'clock', 'api-version'])
    expect(of(id)).toMatchObject({ id, status: 'passed' });
});

it('a run says nothing of a default that nobody set', async () => {
  const flags = [
    'run',
    '--single-run',
    '--token',
    'pul-1',
    '--ca-certificate',
    '/none',
    '--http-server-port',
    '0',
  ];
  const { stderr } = await run(flags);
  expect(stderr).toContain('no configuration file.');
  expect(stderr).not.toContain('default');
  const { stderr: all } = await run([...flags, '--log-level', 'debug']);
  expect(all).toContain('the default of enabled_workflow_types names insights_scan');
});

describe('verify', () => {
  it.each([
    ['run', 'there is no run.'],
    ['empty', 'empty has no run.json.'],
  ])('says of %s that there is no record', async (name, what) => {
    const home = await folder();
    await mkdir(join(home, 'empty'));
    const { code, stdout, stderr } = await here(['verify', name], { home });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Failed to read the record for verify: ${what} Name a run directory`);
  });
});
