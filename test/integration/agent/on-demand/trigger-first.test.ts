import { expect, it, onTestFinished, vi } from 'vitest';
import { triggerFirst } from '../../../../src/agent/on-demand/trigger-first.ts';
import { loadConfig } from '../../../../src/config/load.ts';
import { Redactor } from '../../../../src/log/redactor.ts';
import { organization } from '../../../support/agent/organization.ts';
import { cloudHttp } from '../../../support/cloud/cloud-http.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

function config() {
  const places = { workingDirectory: '/', homeDirectory: '/none', agentDirectory: '/none', readFile: () => undefined };
  return loadConfig({ environment: {}, ...places, overrides: { token: 'pul-1', single_run: 'true' } }).config;
}

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

it('answers for what it had started when it was asked to stop', async () => {
  const { cloud } = await organization({ stacks: ['web/dev', 'web/prod'] });
  let posts = 0;
  const http = cloudHttp(cloud.url, { onRequest: ({ method }) => (posts += method === 'POST' ? 1 : 0) });
  const stop = new AbortController();
  const random = vi.spyOn(Math, 'random').mockReturnValueOnce(0).mockReturnValueOnce(0.9);
  onTestFinished(() => random.mockRestore());
  const starting = triggerFirst(
    {
      config: {
        ...config(),
        trigger: ['acme/web/*'],
        operation: 'preview',
        triggerJitterMs: 2 ** 30,
        accessToken: cloud.userToken,
        runnerPoolId: 'pool-1',
      },
      http,
      redactor: new Redactor(),
      clock: new ManualClock(),
      signal: stop.signal,
      health: { active: () => undefined },
    },
    () => undefined,
  );
  await expect.poll(() => posts).toBe(1);
  stop.abort();
  const { starts } = await starting;
  expect(starts.started).toHaveLength(1);
  expect(starts.failed).toMatchObject([{ outcome: 'interrupted' }]);
});
