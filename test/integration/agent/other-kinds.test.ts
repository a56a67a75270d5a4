import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jobOf } from '../../support/agent/claimed-run.ts';
import { agentOf } from '../../support/agent/cloud-agent.ts';

/** A claim's token as work of another kind could have it, with names that would fit a deployment. */
const claims = {
  sub: 'pulumi:delivery:org:acme:pipeline:shop:job:smoke-test',
  ...{ org: 'acme', project: 'web', stack: 'prod', operation: 'update', deployment: '7' },
};
const oidcToken = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`;

/** A run of an agent that claims such work. */
async function run(config: Readonly<Record<string, string>> = {}) {
  const { agent, cloud, directory, log, result } = await agentOf({ config });
  const deployment = cloud.enqueue({
    ...{ project: 'web', stack: 'prod', poolId: 'pool-1', oidcToken },
    job: jobOf('echo tested'),
  });
  await agent.run();
  const files = (await readdir(directory, { recursive: true })).filter((file) =>
    /\.(?:json|ndjson)$/.test(file),
  );
  const texts = await Promise.all(files.map((file) => readFile(join(directory, file), 'utf8')));
  return { deployment, log, result: await result(), record: texts.join('\n') };
}

describe('work of another kind than deployments', () => {
  it('is run, called by its kind, and not by the stack and operation that it seems to name', async () => {
    const { deployment, log, result, record } = await run();
    expect(result).toMatchObject({ outcome: 'succeeded', kind: 'delivery' });
    expect(result).not.toHaveProperty('identity');
    expect(log.join('\n')).toContain(`Claimed work ${deployment.id} of the kind "delivery"`);
    expect(record + log.join('\n')).not.toMatch(/acme\/web\/prod/);
  });

  it.each(['allowed_stacks', 'allowed_operations'])('is refused where %s is set', async (key) => {
    const { deployment, result } = await run({ [key]: key === 'allowed_stacks' ? 'acme/web/*' : 'update' });
    expect(result).toMatchObject({ outcome: 'refused', code: 'PRA-JOB-08', kind: 'delivery' });
    expect(result?.message).toContain('it is work of the kind "delivery"');
    expect(deployment.steps.map(({ status }) => status)).toEqual(['failed', 'not-started']);
  });
});
