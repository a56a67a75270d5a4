import { describe, expect, it } from 'vitest';
import { type HookFacts, hookInput, hookVariables } from '../../../../src/agent/hooks/hook-facts.ts';

const identity = {
  organization: 'acme',
  project: 'network',
  stack: 'prod',
  operation: 'update',
  version: 7,
};
const ids = { deploymentId: 'd-1', runId: 'r-1', jobId: 'j-1', runDirectory: '/run/1' };

const facts = (more: Partial<HookFacts>): HookFacts => ({
  ...ids,
  identity: undefined,
  image: 'acme/image:1',
  ...more,
});

describe('a hook gets the name of its deployment', () => {
  it('where Pulumi Cloud proves it', () => {
    const proven = facts({ identity: { ...identity, proven: true } });
    expect(hookVariables(proven)).toMatchObject({
      PULUMI_RUNNER_STACK: 'acme/network/prod',
      PULUMI_RUNNER_OPERATION: 'update',
      PULUMI_RUNNER_VERSION: '7',
      PULUMI_RUNNER_IDENTITY_PROVEN: 'true',
    });
    expect(JSON.parse(hookInput(proven))).toMatchObject({ identity: { stack: 'prod', proven: true } });
  });

  it('under other names where only its own variables say it', () => {
    const claimed = facts({ identity: { ...identity, proven: false } });
    const variables = hookVariables(claimed);
    expect(variables).toMatchObject({
      PULUMI_RUNNER_CLAIMED_STACK: 'acme/network/prod',
      PULUMI_RUNNER_CLAIMED_OPERATION: 'update',
      PULUMI_RUNNER_CLAIMED_VERSION: '7',
      PULUMI_RUNNER_IDENTITY_PROVEN: 'false',
    });
    for (const name of ['STACK', 'OPERATION', 'VERSION'])
      expect(variables).not.toHaveProperty(`PULUMI_RUNNER_${name}`);
    const input = JSON.parse(hookInput(claimed));
    expect(input).toMatchObject({ claimedIdentity: { stack: 'prod' } });
    expect(input).not.toHaveProperty('identity');
  });

  it('not at all where it has none', () => {
    expect(Object.keys(hookVariables(facts({}))).join()).not.toMatch(/STACK|OPERATION|VERSION/);
    expect(hookInput(facts({}))).not.toMatch(/dentity/);
  });
});

describe('what is not an image or an ID is left out:', () => {
  it.each([
    ['128 KiB', 'a'.repeat(128 * 1024)],
    ['a NUL', 'acme/image\0:1'],
    ['a line end', 'acme/image:1\nPULUMI_RUNNER_STACK=acme/payments/prod'],
  ])('%s', (_, text) => {
    const hostile = facts({ image: text, deploymentId: text, runId: text, jobId: text });
    const known = /(?:IMAGE|DEPLOYMENT_ID|RUN_ID|JOB_ID)$/;
    expect(Object.keys(hookVariables(hostile)).filter((name) => known.test(name))).toEqual([]);
    expect(JSON.parse(hookInput(hostile))).toEqual({ runDirectory: '/run/1' });
  });

  it('but no image of a registry', () => {
    const image = `registry.example.com:5000/team/image:1@sha256:${'0'.repeat(64)}`;
    expect(hookVariables(facts({ image }))).toMatchObject({
      PULUMI_RUNNER_IMAGE: image,
      PULUMI_RUNNER_JOB_ID: 'j-1',
    });
  });
});
