import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { DeploymentApi } from '../../../src/cloud/deployment-api.ts';
import { StackOutputs } from '../../../src/cloud/deployments/stack-outputs.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

/** Serves a deployment that another started, and returns the outputs that are left for later steps. */
async function served(job: { oidcToken?: string; unnamed?: boolean; env?: object }, hasAccessToken = true) {
  const cloud = await PulumiCloud.start();
  onTestFinished(() => cloud.stop());
  for (const stack of ['dev', 'prod']) {
    const outputs = { url: `https://${stack}` };
    const deployment = { resources: [{ type: 'pulumi:pulumi:Stack', outputs }] };
    cloud.stacks.create({ project: 'web', stack }, {}, { version: 3, deployment });
  }
  const { env = {}, ...more } = job;
  const steps = [{ name: 'Setup' }, { name: 'pulumi update', run: 'true' }];
  cloud.enqueue({ project: 'web', stack: 'dev', poolId: 'pool-1', job: { steps, env }, ...more });

  const redactor = new Redactor();
  const file = join(await temporaryDirectory(), 'stack-outputs.json');
  const tokens = new StaticToken(cloud.userToken, ORGANIZATION);
  const options = {
    redactor,
    stackOutputs: new StackOutputs({ file, redactor, clock: systemClock }),
    ...(hasAccessToken && { deployments: new DeploymentApi(cloudHttp(cloud.url), tokens) }),
  };
  expect(await (await agentOf({ cloud, options })).agent.run()).toBe(0);
  return await readFile(file, 'utf8').catch(() => undefined);
}

it('a claimed deployment has outputs where there is an access token, and never by its job’s own', async () => {
  expect(await served({})).toBe('{"acme/web/dev":{"url":"https://dev"}}');
  expect(await served({}, false)).toBeUndefined();
});

it('a job that names another stack gets none of its outputs', async () => {
  const env = {
    PULUMI_CI_ORGANIZATION: 'acme',
    PULUMI_CI_PROJECT: 'web',
    PULUMI_CI_STACK: 'prod',
    PULUMI_CI_OPERATION: 'update',
  };
  expect(await served({ oidcToken: '', unnamed: true, env })).toBeUndefined();
});

it('the name of an output that is left out shows no part of what is hidden', async () => {
  const file = join(await temporaryDirectory(), 'stack-outputs.json');
  const redactor = new Redactor();
  redactor.add(['hunter2hunter2']);
  const outputs = new StackOutputs({ file, redactor, clock: systemClock });
  const said: string[] = [];
  const api = { outputs: async () => ({ [`${'n'.repeat(95)}hunter2hunter2`]: 1 }) };
  const { signal } = new AbortController();
  const name = { organization: 'acme', project: 'web', stack: 'dev' };
  await outputs.add(name, { api, notice: (message) => said.push(message), signal });
  expect(said).toEqual([expect.stringMatching(/ n{95}\*\*\*\.$/)]);
});

it('the outputs of stacks whose deployments end at the same time are all there', async () => {
  const file = join(await temporaryDirectory(), 'stack-outputs.json');
  const outputs = new StackOutputs({ file, redactor: new Redactor(), clock: systemClock });
  const stacks = Array.from({ length: 20 }, (_, at) => `s${String(at).padStart(2, '0')}`);
  const said: string[] = [];
  const api = { outputs: async ({ stack }: { stack: string }) => ({ url: stack }) };
  const { signal } = new AbortController();
  const add = (stack: string) => {
    const name = { organization: 'acme', project: 'web', stack };
    return outputs.add(name, { api, notice: (message) => said.push(message), signal });
  };
  await Promise.all(stacks.toReversed().map(add));
  const all = stacks.map((stack) => [`acme/web/${stack}`, { url: stack }]);
  expect(await readFile(file, 'utf8')).toBe(JSON.stringify(Object.fromEntries(all)));
  expect(said).toEqual([]);
});
