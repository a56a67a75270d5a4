import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NEVER, systemClock } from '../../../src/base/clock.ts';
import { triggerFirst } from '../../../src/cloud/deployments/trigger-first.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import { readResult } from '../../../src/record/reader.ts';
import { spanIdOf, tracingOf } from '../../../src/record/telemetry/ids.ts';
import { readTrace } from '../../../src/record/telemetry/run-trace.ts';
import { traceIdOf } from '../../../src/record/trace.ts';
import { PulumiCloud } from '../../emulators/pulumi-cloud/server.ts';
import { type AgentOptions, agentOf } from '../../support/agent/cloud-agent.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';

/** An agent that starts previews of these stacks, traced, in one run; returns its run directory. */
async function tracedRunOf(stacks: readonly string[]): Promise<string> {
  await using cloud = await PulumiCloud.start({ pools: [{ id: 'pool-1', name: 'pool-1' }] });
  const job = { steps: [{ name: 'Setup' }, { name: 'preview', run: 'echo "trace=$TRACEPARENT"' }] };
  for (const stack of stacks) cloud.defineStack({ project: 'web', stack, poolId: 'pool-1', job });

  const overrides = {
    trigger: stacks.map((stack) => `acme/web/${stack}`).join(' '),
    operation: 'preview',
    access_token: cloud.userToken,
    runner_pool_id: 'pool-1',
  };
  const config = configOf({ token: 'pul-1', single_run: 'true', service_url: cloud.url, ...overrides });
  const tokens = new StaticToken(cloud.userToken, ORGANIZATION);
  const session = { config, http: cloudHttp(cloud.url), tokens, clock: systemClock, signal: NEVER };
  const recorded: string[] = [];
  const options: Partial<AgentOptions> = {
    tracing: tracingOf({}, { singleRun: true, isOn: true }),
    onRecorded: async (directory) => void recorded.push(directory),
    beforeWaiting: (notice, onActivity) => triggerFirst(session, notice, onActivity),
  };
  const { agent, directory } = await agentOf({ cloud, config: overrides, options });
  expect(await agent.run()).toBe(0);
  expect(recorded).toEqual([join(directory, 'run-1')]);
  return join(directory, 'run-1');
}

it('a run of two deployments is one trace, that of the first, with each job and its steps below it', async () => {
  const directory = await tracedRunOf(['dev', 'prod']);
  const { deploymentId = '', trace } = (await readResult(directory)) ?? {};
  const traceId = traceIdOf(deploymentId);
  expect(trace).toEqual({ traceId, flags: '01' });

  const read = await readTrace(directory, {});
  const [run, ...rest] = read.spans;
  expect(read.traceId).toBe(traceId);
  const waits = rest.filter(({ name }) => name === 'wait');
  expect(waits).toEqual([expect.objectContaining({ parentId: run?.id, from: expect.any(Number) })]);
  for (const name of await readdir(join(directory, 'deployments'))) {
    const place = join(directory, 'deployments', name);
    const job = await readResult(place);
    expect(job?.trace).toEqual({ traceId, flags: '01' });
    const id = job?.jobId ?? '';
    expect(await readFile(join(place, 'steps/01-preview.log'), 'utf8')).toBe(
      `trace=00-${traceId}-${spanIdOf(id, 1)}-01\n`,
    );
    expect(rest).toContainEqual(expect.objectContaining({ id: spanIdOf(id), parentId: run?.id }));
    expect(rest).toContainEqual(expect.objectContaining({ id: spanIdOf(id, 1), parentId: spanIdOf(id) }));
  }
});

it('a run of one deployment is that job’s trace, from the run’s start', async () => {
  const directory = await tracedRunOf(['dev']);
  const { startedAt = '' } = (await readResult(directory)) ?? {};
  const { spans } = await readTrace(directory, {});
  expect(spans.map(({ name }) => name)).toEqual(['RUN acme/web/dev', 'wait', 'Setup', 'preview', 'report']);
  expect(spans[0]?.from).toBe(Date.parse(startedAt));
  expect(new Set(spans.slice(1).map(({ parentId }) => parentId))).toEqual(new Set([spans[0]?.id]));
});
