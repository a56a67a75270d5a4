import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { triggerFirst } from '../../../../src/agent/on-demand/trigger-first.ts';
import { systemClock } from '../../../../src/clock.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { Redactor } from '../../../../src/log/redactor.ts';
import { agentOf } from '../../../support/agent/cloud-agent.ts';
import { organization } from '../../../support/agent/organization.ts';
import { cloudHttp } from '../../../support/cloud/cloud-http.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

const JOB = { steps: [{ name: 'Setup' }, { name: 'pulumi preview', run: 'echo previewed' }] };

/** An agent that starts deployments of `trigger` before it waits. */
async function agentThatStarts(trigger: string, runnerPoolId = 'pool-1') {
  const running = await agentOf({
    config: { max_wait: '0s' },
    options: {
      beforeWaiting: (notice, health) =>
        triggerFirst(
          {
            config: {
              ...config(),
              trigger: trigger.split(' '),
              operation: 'preview',
              accessToken: cloud.userToken,
              runnerPoolId,
            },
            http: cloudHttp(cloud.url),
            redactor: new Redactor(),
            clock: systemClock,
            signal: new AbortController().signal,
            health,
          },
          notice,
        ),
    },
  });
  const { cloud, agent } = running;
  for (const stack of ['dev', 'prod']) cloud.defineStack({ project: 'web', stack, poolId: 'pool-1', job: JOB });
  return { ...running, code: await agent.run() };
}

function config() {
  const places = { workingDirectory: '/', homeDirectory: '/none', agentDirectory: '/none', readFile: () => undefined };
  return loadConfig({ environment: {}, ...places, overrides: { token: 'pul-1', single_run: 'true' } }).config;
}

describe('an agent that starts a deployment first', () => {
  it('serves one of several, and says that the others are left', async () => {
    const { cloud, code, result } = await agentThatStarts('acme/web/dev acme/web/prod');
    expect(code).toBe(0);
    const served = cloud.deployments.find(({ status }) => status === 'succeeded');
    expect((await result())?.deploymentUrl).toBe(`https://app.pulumi.com/acme/web/${served?.stack}/deployments/1`);
    expect(cloud.deployments.map(({ status }) => status).sort()).toEqual(['not-started', 'succeeded']);
    expect((await result())?.notices).toEqual([
      'This run serves one deployment, the oldest that waits for the pool: another one is left to other jobs. ' +
        "Plan a matrix with the action's plan/.",
    ]);
  });

  it('says when the deployment is for another pool', async () => {
    const { code, result } = await agentThatStarts('acme/web/dev', 'pool-7');
    expect(code).toBe(0);
    expect((await result())?.notices).toEqual([
      "The deployments of acme/web/dev are not for pool pool-7: choose it in their stacks' settings under Settings → Deploy.",
    ]);
  });
});

it('a long jitter is no sign of ill health, and a stop ends it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { cloud, http, api } = await organization();
  const clock = new ManualClock();
  const stop = new AbortController();
  let signs = 0;
  const starting = triggerFirst(
    {
      config: {
        ...config(),
        trigger: ['acme/web/prod'],
        operation: 'preview',
        triggerJitterMs: 2 ** 30,
        accessToken: cloud.userToken,
      },
      http,
      redactor: new Redactor(),
      clock,
      signal: stop.signal,
      health: { active: () => (signs += 1) },
    },
    () => undefined,
  );
  vi.advanceTimersByTime(20_000);
  expect(signs).toBe(4);
  await clock.asleep();
  stop.abort();
  await expect(starting).rejects.toMatchObject({ outcome: 'interrupted' });
  vi.advanceTimersByTime(20_000);
  expect(signs).toBe(4);
  expect((await api.deployments('acme', 1, new AbortController().signal)).deployments).toEqual([]);
});
