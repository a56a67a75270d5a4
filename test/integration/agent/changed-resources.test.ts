import { dirname } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { DeploymentApi } from '../../../src/cloud/deployment-api.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { reportOf } from '../../../src/record/report/report.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import type { StackUpdate } from '../../emulators/pulumi-cloud/stacks.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { faultsOf } from '../../support/pulumi-types/types.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { scriptOutput } from '../../support/script.ts';

vi.setConfig({ testTimeout: 120_000 });

const NAME = { project: 'network', stack: 'prod' };
const STACK = '--stack acme/network/prod --non-interactive';
const FIRST = 'urn:pulumi:prod::network::tempo:index:Work::first';

let folders: { readonly cli: string; readonly provider: string };
beforeAll(async () => {
  const [cli, provider] = await Promise.all([
    scriptOutput('programs', ['pulumi']),
    scriptOutput('programs', ['pulumi-tempo']),
  ]);
  folders = { cli: cli.trim(), provider: dirname(provider.trim()) };
});

/** A resource of the tests' own provider. */
const work = (name: string, inputs = 'seconds: 0') =>
  `  ${name}:\n    type: tempo:Work\n    properties: {${inputs}}\n`;

/** An emulated Pulumi Cloud that keeps a stack, and agents whose jobs run Pulumi's CLI as processes of this machine. */
async function scene({ mayAsk = true }: { readonly mayAsk?: boolean } = {}) {
  // Several pages of each update.
  const cloud = await PulumiCloud.start({ eventPageSize: 5 });
  onTestFinished(() => cloud.stop());
  const stack = cloud.stacks.create(NAME);
  const home = await temporaryDirectory();
  const deployments = new DeploymentApi(
    cloudHttp(cloud.url),
    new StaticToken(cloud.createOrganizationToken(), ORGANIZATION),
  );

  /** A script that runs commands of the CLI on a program of these resources. */
  const script = (resources: string, commands: string) => `set -e
export PATH=${folders.cli}:${folders.provider}:$PATH
mkdir -p "$HOME/program"; cd "$HOME/program"
cat > Pulumi.yaml <<'END'
name: network
runtime: yaml
plugins:
  providers:
    - name: tempo
      path: ${folders.provider}
resources:
${resources}END
${commands}`;

  /** Runs one deployment with this step, and returns its record. */
  const run = async (step: string, during?: (send: (signal: string) => void) => Promise<unknown>) => {
    const { agent, result, send, directory } = await agentOf({
      cloud,
      config: { organization_name: 'acme', runner_pool_id: 'pool-1' },
      options: mayAsk ? { deployments } : {},
    });
    const env = {
      HOME: home,
      PULUMI_HOME: `${home}/.pulumi`,
      PULUMI_API: cloud.url,
      PULUMI_ACCESS_TOKEN: { isSecret: true, value: cloud.userToken },
      PULUMI_SKIP_UPDATE_CHECK: 'true',
    };
    const steps = [
      { name: 'Setup', run: '' },
      { name: 'pulumi update', run: step },
    ];
    cloud.enqueue({ ...NAME, poolId: 'pool-1', job: { shell: 'bash', env, steps } });
    const [, ended] = await Promise.all([during?.(send), agent.run().then(() => result())]);
    const found = ended ?? expect.fail('there is no record');
    const { resources, lock, code, message, outcome } = found;
    const named = resources?.resources.map(({ operation, state, name }) => `${operation} ${state} ${name}`);
    const { source, preview, counts, failed } = resources ?? {};
    const report = await reportOf(`${directory}/run-1`, found);
    return { source, preview, counts, failed, named, lock, code, message, outcome, report };
  };

  /** Makes the stack's first resources. */
  const prepare = () =>
    run(script(work('first') + work('second') + work('gone'), `pulumi up --yes --skip-preview ${STACK}`));

  /** Another update, which holds the lock. */
  const other = (): StackUpdate => {
    const update = cloud.stacks.plan(stack, { kind: 'update', dryRun: false, message: '' });
    cloud.stacks.begin(stack, update);
    return update;
  };

  return { cloud, stack, script, run, prepare, other };
}

const CHANGED = work('first') + work('second', 'seconds: 0, says: hello') + work('new');
const SLOW = work('first') + work('slow', 'seconds: 100, says: at work');
const COUNTS = { replace: 1, delete: 1, create: 1, update: 1 };

describe('the resources that a job of Pulumi’s CLI changed', () => {
  it.each([
    ['Pulumi Cloud’s record', 'pulumi-cloud', true],
    ['the output, without an access token', 'output', false],
  ])('are those of %s', async (_, source, mayAsk) => {
    const { run, prepare, script, cloud, stack } = await scene({ mayAsk });
    const { counts } = await prepare();
    expect(counts).toEqual({ create: 4 });

    const planned = await run(script(CHANGED, `pulumi preview ${STACK} --replace ${FIRST}`));
    expect(planned).toMatchObject({
      source,
      preview: true,
      named: ['replace planned first', 'delete planned gone', 'create planned new', 'update planned second'],
      counts: COUNTS,
    });

    // With the preview that `up` makes before.
    const updated = await run(script(CHANGED, `pulumi up --yes ${STACK} --replace ${FIRST}`));
    expect(updated).toMatchObject({
      source,
      preview: false,
      named: ['replace done first', 'delete done gone', 'create done new', 'update done second'],
      counts: COUNTS,
    });

    const failing = work('first') + work('fails', 'seconds: 5, failAfter: 0.1');
    const failed = await run(
      script(failing, `pulumi up --yes --skip-preview ${STACK} --target ${FIRST.replace('first', 'fails')}`),
    );
    expect(failed).toMatchObject({ source, named: ['create failed fails'], counts: {}, failed: 1 });

    // `up` made this preview, whose events stand below another path than those of `pulumi preview`.
    const importing = `${work('first')}  imported:\n    type: tempo:Work\n    properties: {seconds: 0}\n    options: {import: some-id}\n`;
    const unplanned = await run(script(importing, `pulumi up --yes ${STACK}`));
    expect(unplanned).toMatchObject({ source, preview: true, counts: {}, outcome: 'failed' });
    expect(unplanned.named).toEqual([`import ${mayAsk ? 'unfinished' : 'failed'} imported`]);

    const asked = cloud.requests.filter(({ path }) => path.endsWith('/events'));
    expect(asked.length > 0).toBe(mayAsk);
    const [update] = stack.updates;
    const path = `${cloud.url}/api/stacks/acme/network/prod/update/${update?.id}/events?continuationToken=5`;
    const headers = {
      authorization: `token ${cloud.userToken}`,
      accept: 'application/vnd.pulumi+8',
      'user-agent': 'test/1 (linux; x64)',
    };
    expect(faultsOf('GetUpdateEventsResponse', await (await fetch(path, { headers })).json())).toEqual([]);
  });

  it('are not what a job prints beside Pulumi Cloud’s record of its update', async () => {
    const { run, prepare, script } = await scene();
    await prepare();
    const lie = `cat <<'END'
Updating (prod)

 -  tempo:index:Work everything deleted (1s)
Resources:
    - 1 deleted
END`;
    const commands = `pulumi up --yes --skip-preview ${STACK}\n${lie}`;
    expect(await run(script(work('first') + work('second') + work('gone'), commands))).toMatchObject({
      source: 'pulumi-cloud',
      named: [],
    });
    // Without an update there is nothing but the output to go by, which its source says.
    expect(await run(lie)).toMatchObject({ source: 'output', named: ['delete done everything'] });
  });
});

describe('the lock that a job of Pulumi’s CLI meets', () => {
  it.each([
    [true, { state: 'locked', kind: 'update', author: 'dev', startedAt: expect.any(String) }],
    [false, { state: 'held' }],
  ])('is recognized, and named if a token may ask: %s', async (mayAsk, lock) => {
    const { run, script, other, stack } = await scene({ mayAsk });
    const update = other();
    const met = await run(script(work('first'), `pulumi up --yes --skip-preview ${STACK}`));
    expect(met).toMatchObject({ outcome: 'failed', code: 'PRA-JOB-15', lock: { ...lock, conflict: true } });
    expect(met.message).toMatch(
      /^Failed to run step 1 "pulumi update" of the deployment: another update was in progress/,
    );
    const command = /`(pulumi cancel acme\/network\/prod)`\.$/.exec(met.message)?.[1];
    // Nothing of ours frees it; the command that the message names does.
    expect(stack.active).toBe(update);
    const freed = await run(script(work('first'), `${command} --yes`));
    expect({ outcome: freed.outcome, active: stack.active }).toEqual({
      outcome: 'succeeded',
      active: undefined,
    });
  });

  it('is said to be free after an interrupt, by Pulumi Cloud’s record', async () => {
    const { run, script, cloud } = await scene();
    const working = () => cloud.deployments.at(-1)?.steps[1]?.lines.some(({ l }) => l.includes('at work'));
    const ended = await run(script(SLOW, `exec pulumi up --yes --skip-preview ${STACK}`), async (send) => {
      await cloud.waitFor(() => working() === true, 60_000);
      send('SIGINT');
    });
    expect(ended).toMatchObject({ outcome: 'interrupted', lock: { state: 'free' } });
    expect(ended.named).toContain('create failed slow');
  });

  it('is said to be released, according to the output, without a token', async () => {
    const { run, script, cloud } = await scene({ mayAsk: false });
    const working = () => cloud.deployments.at(-1)?.steps[1]?.lines.some(({ l }) => l.includes('at work'));
    const ended = await run(script(SLOW, `exec pulumi up --yes --skip-preview ${STACK}`), async (send) => {
      await cloud.waitFor(() => working() === true, 60_000);
      send('SIGINT');
    });
    expect(ended).toMatchObject({ outcome: 'interrupted', lock: { state: 'released' } });
  });

  it('is one that a killed update leaves', async () => {
    const { run, script, stack } = await scene();
    const killed = await run(
      script(
        SLOW,
        `export TEMPO_JOURNAL=$HOME/journal
pulumi up --yes --skip-preview ${STACK} & pid=$!
until grep -q 'begin slow' $TEMPO_JOURNAL; do sleep 0.1; done 2>/dev/null
kill -9 $pid; wait $pid`,
      ),
    );
    expect(killed).toMatchObject({
      outcome: 'failed',
      lock: { state: 'locked', kind: 'update', author: 'dev' },
    });
    expect(stack.active).toBeDefined();
  });
});
