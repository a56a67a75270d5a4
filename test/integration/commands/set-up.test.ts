import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { folder, here } from '../doctor/command.ts';
import { onTerminal } from './terminal.ts';

const JOB = { steps: [{ name: 'Setup' }, { name: 'pulumi update', run: 'true' }] };
/** Settings of a stack that must stay. */
const SETTINGS = {
  sourceContext: { git: { branch: 'refs/heads/main' } },
  operationContext: {
    preRunCommands: ['make'],
    environmentVariables: { PLAIN: 'a', MARKED: { secret: 'hunter22' } },
    oidc: { aws: { roleARN: 'arn:aws:iam::123456789012:role/network' } },
  },
};
const WORKFLOW = '.github/workflows/deploy.yml';
const ANSWERS = ['--organization-name', 'acme', '--ci', 'github', '--cloud', 'aws'];

let cloud: PulumiCloud;
beforeEach(async () => {
  const pools = [
    { id: 'pool-1', name: 'private-network' },
    { id: 'pool-2', name: 'other' },
  ];
  cloud = await PulumiCloud.start({ pools });
  cloud.defineStack({ project: 'network', stack: 'prod', poolId: 'pool-2', job: JOB, settings: SETTINGS });
  const gitHub = { repository: 'acme/infrastructure', previewPullRequests: true };
  cloud.defineStack({ project: 'network', stack: 'dev', poolId: 'pool-1', job: JOB, settings: { gitHub } });
});
afterEach(() => cloud.stop());

const withToken = () => ({
  PULUMI_AGENT_SERVICE_URL: cloud.url,
  PULUMI_AGENT_ACCESS_TOKEN: cloud.createOrganizationToken(),
});

/** A checkout of acme/infrastructure. */
async function checkout() {
  const home = await folder();
  await mkdir(join(home, '.git'));
  const config =
    '[core]\n\tbare = false\n[remote "origin"]\n\turl = git@github.com:acme/infrastructure.git\n';
  await writeFile(join(home, '.git/config'), config);
  return home;
}

/** The pool and the other settings of a stack, as Pulumi Cloud has them. */
function settingsOf(stack: string) {
  const { poolId, settings } = cloud.stacks.find({ project: 'network', stack })?.definition ?? {};
  return { poolId, settings };
}

const writes = () => cloud.requests.filter(({ method }) => method !== 'GET');

describe('set-up on a terminal', () => {
  it('asks five questions, asks once before it changes a stack, and leaves its other settings', async () => {
    const home = await checkout();
    const terminal = onTerminal(home, ['set-up'], withToken());
    await terminal.answer('Pulumi organization: ', 'acme corp\r');
    await terminal.answer('Pulumi organization: ', 'acme\r');
    await terminal.answer('Runner pool, by its ID or its name: ', 'private-network\r');
    await terminal.answer('(* is any name): ', 'prod\r');
    await terminal.answer('That names no stack: "prod" is not of the form org/project/stack.', '');
    await terminal.answer('(* is any name): ', 'network/*\r');
    await terminal.answer('Choice [1]: ', '\r');
    await terminal.answer('Choice [1]: ', '\r');
    await terminal.answer('Set the pool of 1 stack? Their other settings stay. [y/N]: ', 'y\r');
    expect(await terminal.ended).toBe(0);

    const shown = terminal.shown().replaceAll('\r', '');
    expect(shown).toContain('It will set the pool of acme/network/prod (now pool-2).');
    expect(shown).toMatch(
      /^acme\/network\/dev has the pool already\..* Its pull requests run before anyone reviews them/m,
    );
    expect(shown.match(/pull requests run/g)).toHaveLength(1);
    expect(shown).toContain('Register the issuer https://token.actions.githubusercontent.com\n');
    expect(JSON.parse(/^\{[\s\S]*^\}/m.exec(shown)?.[0] ?? '')).toEqual({
      decision: 'allow',
      tokenType: 'runner',
      runnerID: 'pool-1',
      rules: { aud: 'urn:pulumi:org:acme', sub: 'repo:acme/infrastructure:ref:refs/heads/main' },
    });

    expect(settingsOf('prod')).toEqual({ poolId: 'pool-1', settings: SETTINGS });
    expect(writes().map(({ method, path }) => [method, path])).toEqual([
      ['POST', '/api/stacks/acme/network/prod/deployments/settings'],
    ]);
    const workflow = parse(await readFile(join(home, WORKFLOW), 'utf8'));
    expect(workflow.jobs.deploy.permissions).toEqual({ 'id-token': 'write', contents: 'read' });
    expect(workflow.jobs.deploy.steps.at(-1).with).toMatchObject({
      organization: 'acme',
      'runner-pool-id': 'pool-1',
    });
    for (const token of cloud.issuedTokens) expect(shown).not.toContain(token);
  });

  it('changes nothing in Pulumi Cloud without a yes, and says what is left to do', async () => {
    const home = await checkout();
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/prod'];
    const terminal = onTerminal(home, args, withToken());
    await terminal.answer('[y/N]: ', '\r');
    expect(await terminal.ended).toBe(0);
    expect(writes()).toEqual([]);
    expect(terminal.shown()).toContain("For acme/network/prod: choose the pool in the stack's Settings");
    expect(existsSync(join(home, WORKFLOW))).toBe(true);
  });

  it('writes nothing when Ctrl-C ends it', async () => {
    const home = await checkout();
    const terminal = onTerminal(home, ['set-up'], withToken());
    await terminal.answer('Pulumi organization: ', '\u0003');
    expect(await terminal.ended).toBe(7);
    expect(terminal.shown()).toContain('Failed to set up the workflow: it was not finished.');
    expect(existsSync(join(home, '.github'))).toBe(false);
  });
});

describe('set-up without a terminal', () => {
  it('asks nothing, and names the flags that are missing', async () => {
    const { code, stdout, stderr } = await here(['set-up', '--ci', 'github'], { environment: withToken() });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(
      'without a terminal it needs --organization-name, --runner-pool-id, --stack, --cloud, --repository.',
    );
  });

  it('takes no repository from above a submodule', async () => {
    const home = join(await checkout(), 'module');
    await mkdir(home);
    await writeFile(join(home, '.git'), 'gitdir: ../.git/modules/module\n');
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/prod'];
    const { code, stderr } = await here(args, { home });
    expect(code).toBe(2);
    expect(stderr).toContain('without a terminal it needs --repository.');
  });

  it('says everything that is wrong with the flags at once', async () => {
    const wrong = ['--ci', 'travis', '--branch', '*', '--action', 'acme/action@v1', '--stack', 'a/b/c/d'];
    const { code, stderr } = await here(['set-up', '--organization-name', 'acme', ...wrong]);
    expect(code).toBe(2);
    for (const said of [
      '--ci "travis" is not one of github',
      '--branch "*" is not the name',
      '40 digits',
      '"a/b/c/d"',
    ])
      expect(stderr).toContain(said);
  });

  it('without a token sets nothing, and prints the same policy', async () => {
    const home = await checkout();
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/prod'];
    const environment = { PULUMI_AGENT_SERVICE_URL: cloud.url };
    const { code, stdout } = await here(args, { home, environment });
    expect(code).toBe(0);
    expect(stdout).toContain(`✔ ${cloud.url} answers.`);
    expect(stdout).toContain('"runnerID": "pool-1"');
    expect(writes()).toEqual([]);
  });

  it('with --apply sets the pool by its name, of a stack without settings too', async () => {
    cloud.stacks.create({ project: 'network', stack: 'new' });
    const home = await checkout();
    const named = [
      '--runner-pool-name',
      'private-network',
      '--stack',
      'network/new',
      '--stack',
      'network/prod',
    ];
    const args = ['set-up', ...ANSWERS, ...named];
    const environment = withToken();

    const undecided = await here(args, { home, environment });
    expect(undecided.code).toBe(2);
    expect(undecided.stderr).toContain('it needs --apply to set the pool of 2 stacks, or --no-apply');
    expect(existsSync(join(home, WORKFLOW))).toBe(false);

    const { code, stdout } = await here([...args, '--apply'], { home, environment });
    expect(code).toBe(0);
    expect(stdout).toContain('(it names none now). Its settings name no source');
    expect(settingsOf('new')).toMatchObject({ poolId: 'pool-1' });
    expect(settingsOf('prod')).toEqual({ poolId: 'pool-1', settings: SETTINGS });
  });

  it('needs the ID of the pool where it has no token to find it by its name', async () => {
    const home = await checkout();
    const args = ['set-up', ...ANSWERS, '--runner-pool-name', 'private-network', '--stack', 'network/prod'];
    const { code, stderr } = await here(args, { home });
    expect(code).toBe(2);
    expect(stderr).toContain('without a terminal it needs --runner-pool-id.');
  });

  it('takes the remote of a checkout only for the CI system of its server', async () => {
    const home = await checkout();
    const named = ['--organization-name', 'acme', '--runner-pool-id', 'pool-1', '--stack', 'network/prod'];
    const { code, stderr } = await here(['set-up', ...named, '--ci', 'gitlab', '--cloud', 'none'], { home });
    expect(code).toBe(2);
    expect(stderr).toContain('without a terminal it needs --repository.');
  });

  it('reads no file of the checkout, which could say where the token is sent', async () => {
    const home = await checkout();
    await writeFile(join(home, 'pulumi-workflow-agent.yaml'), 'ca_certificate: /none\n');
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/dev'];
    expect(await here(args, { home, environment: withToken() })).toMatchObject({ code: 0 });
  });

  it('writes no ID that a shell could read as more than a name', async () => {
    const home = await checkout();
    const agentPools = [{ id: "a'; rm -rf .", name: 'private-network' }];
    cloud.script({ method: 'GET', path: /agent-pools$/, answer: { status: 200, body: { agentPools } } });
    const args = ['set-up', ...ANSWERS, '--runner-pool-name', 'private-network', '--stack', 'network/dev'];
    const { code, stderr } = await here(args, { home, environment: withToken() });
    expect(code).toBe(2);
    expect(stderr).toContain('the ID of the pool private-network has other characters than letters');
    expect(existsSync(join(home, WORKFLOW))).toBe(false);
  });

  it('names the IDs of two pools with one name, and takes neither', async () => {
    const home = await checkout();
    const agentPools = ['pool-1', 'pool-2'].map((id) => ({ id, name: 'private-network' }));
    const answer = { status: 200, body: { agentPools } };
    cloud.script({ method: 'GET', path: /agent-pools$/, answer });
    const args = ['set-up', ...ANSWERS, '--runner-pool-name', 'private-network', '--stack', 'network/dev'];
    const { code, stderr } = await here([...args, '--apply'], { home, environment: withToken() });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'acme has 2 pools with the name private-network: give the ID of one (pool-1, pool-2).',
    );
    expect(existsSync(join(home, WORKFLOW))).toBe(false);
    expect(writes()).toEqual([]);
  });

  it('waits for no writer of a FIFO in the place of its file', async () => {
    const home = await checkout();
    execFileSync('mkfifo', [join(home, 'fifo')]);
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/dev'];
    const { code, stderr } = await here([...args, '--output', 'fifo'], { home, environment: withToken() });
    expect(code).toBe(2);
    expect(stderr).toContain(
      'Failed to write the workflow: fifo exists. Choose another place with --output.',
    );
  });

  it('replaces no file', async () => {
    const home = await checkout();
    await mkdir(join(home, '.github/workflows'), { recursive: true });
    await writeFile(join(home, WORKFLOW), 'kept\n');
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/prod', '--apply'];
    const { code, stderr } = await here(args, { home, environment: withToken() });
    expect(code).toBe(2);
    expect(stderr).toContain(
      `Failed to write the workflow: ${WORKFLOW} exists. Choose another place with --output.`,
    );
    expect(await readFile(join(home, WORKFLOW), 'utf8')).toBe('kept\n');
    expect(writes()).toEqual([]);
  });

  it.each([
    [
      ['--runner-pool-id', 'pool-9', '--stack', 'network/prod'],
      'this access token sees no pool pool-9 in acme: its pools are private-network (pool-1), other (pool-2)',
    ],
    [
      ['--runner-pool-id', 'pool-1', '--stack', 'network/none'],
      'Failed to read the stack for acme/network/none',
    ],
    [['--runner-pool-id', 'pool-1', '--stack', 'web/*'], 'web/*'],
  ])('writes nothing where Pulumi Cloud knows no such thing: %j', async (flags, said) => {
    const home = await checkout();
    const { code, stderr } = await here(['set-up', ...ANSWERS, ...flags, '--apply'], {
      home,
      environment: withToken(),
    });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(said);
    expect(existsSync(join(home, WORKFLOW))).toBe(false);
    expect(writes()).toEqual([]);
  });

  it('says which stack refused its pool', async () => {
    const home = await checkout();
    cloud.script({
      method: 'POST',
      path: /settings$/,
      answer: { status: 403, body: { code: 403, message: 'no' } },
    });
    const args = ['set-up', ...ANSWERS, '--runner-pool-id', 'pool-1', '--stack', 'network/prod', '--apply'];
    const { code, stdout, stderr } = await here(args, { home, environment: withToken() });
    expect(code).toBe(3);
    expect(stderr).toMatch(
      /Failed to set the pool for acme\/network\/prod: .*403.*can change the stack's deployment/,
    );
    expect(stdout).toContain(`Wrote ${WORKFLOW}.`);
    expect(stdout).toContain("For acme/network/prod: choose the pool in the stack's Settings");
    expect(settingsOf('prod')).toMatchObject({ poolId: 'pool-2' });

    // A second try takes the workflow that the first one wrote.
    const again = await here(args, { home, environment: withToken() });
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining(`${WORKFLOW} is there already`) });
    expect(settingsOf('prod')).toEqual({ poolId: 'pool-1', settings: SETTINGS });
  });
});
