import { describe, expect, it } from 'vitest';
import { stackText } from '../../../src/base/stack.ts';
import { chooseStacks, MAX_STACKS } from '../../../src/cloud/deployments/stacks.ts';
import { organization } from '../../support/agent/organization.ts';
import { never } from '../../support/cloud/cloud-http.ts';

describe('the stacks that patterns choose', () => {
  const stacks = ['web/prod', 'web/dev', 'api/prod', 'api/prod-eu', 'docs/dev'];

  it('are found on all pages of one list, each once, in the order of the patterns', async () => {
    const { api, calls } = await organization({ stacks, stackPageSize: 2 });
    const chosen = await chooseStacks(['acme/docs/dev', 'acme/*/prod', 'acme/api/*'], api, never);
    expect(chosen.map(stackText)).toEqual([
      'acme/docs/dev',
      'acme/web/prod',
      'acme/api/prod',
      'acme/api/prod-eu',
    ]);
    expect(calls('GET')).toBe(3);
  });

  it('that are named in full are not looked up', async () => {
    const { api, calls } = await organization({ stacks });
    expect(await chooseStacks(['umbrella/x/y', 'umbrella/x/y'], api, never)).toHaveLength(1);
    expect(calls('GET')).toBe(0);
  });

  it('are an error when a pattern matches none', async () => {
    const { api } = await organization({ stacks });
    await expect(chooseStacks(['acme/web/prod', 'acme/*/staging'], api, never)).rejects.toMatchObject({
      outcome: 'config-error',
      message: expect.stringMatching(
        /^Failed to choose the stacks for acme\/\*\/staging: none of the 5 stacks of acme /,
      ),
    });
  });

  it('are refused before any is started when there are too many', async () => {
    const many = Array.from({ length: MAX_STACKS + 1 }, (_, index) => `web/s${index}`);
    const { api } = await organization({ stacks: many });
    await expect(chooseStacks(['acme/web/*'], api, never)).rejects.toMatchObject({
      outcome: 'config-error',
      message: expect.stringContaining('there are 257, and at most 256 are started at once'),
    });
    expect(await chooseStacks(['acme/web/s1*'], api, never)).toHaveLength(111);
  });

  it('are read past entries that are not stacks', async () => {
    const { cloud, api } = await organization({ stacks });
    const body = {
      stacks: [
        { orgName: 'acme', projectName: 'web', stackName: 'prod' },
        { orgName: 'other', projectName: 'p', stackName: 'prod' },
        // In a call's URL, these names would lead elsewhere.
        { orgName: 'acme', projectName: 'web', stackName: '..' },
        { orgName: 'acme', projectName: '.', stackName: 'prod' },
        7,
      ],
    };
    cloud.script({ method: 'GET', path: /user\/stacks/, answer: { status: 200, body } });
    expect(await chooseStacks(['acme/*/*'], api, never)).toHaveLength(1);
  });

  it('are refused when their list never ends', async () => {
    const endless = { stacks: () => Promise.resolve({ stacks: [], continuation: 'more' }) };
    await expect(chooseStacks(['acme/*/*'], endless, never)).rejects.toThrow('there are more than 200 pages');
  });
});
