import { expect, it, onTestFinished, vi } from 'vitest';
import { triggerFirst } from '../../../src/cloud/deployments/trigger-first.ts';
import { ORGANIZATION, StaticToken } from '../../../src/cloud/token.ts';
import type { PulumiCloudOptions } from '../../emulators/pulumi-cloud/server.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { organization } from '../../support/agent/organization.ts';
import { cloudHttp } from '../../support/cloud/cloud-http.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

/** Starts previews of `trigger` for a single run, spread over days; aborting `stop` stops it. */
async function starting(trigger: string, chances: readonly number[] = [], options: PulumiCloudOptions = {}) {
  const { cloud, api } = await organization({ stacks: ['web/dev', 'web/prod'], ...options });
  const [clock, stop, seen] = [new ManualClock(), new AbortController(), { posts: 0, signs: 0 }];
  const overrides = {
    token: 'pul-1',
    single_run: 'true',
    runner_pool_id: 'pool-1',
    access_token: cloud.userToken,
  };
  const trigger_ = { trigger, operation: 'preview', trigger_jitter: '200h' };
  const config = configOf({ ...overrides, ...trigger_ });
  const http = cloudHttp(cloud.url, { onRequest: ({ method }) => (seen.posts += method === 'POST' ? 1 : 0) });
  const tokens = new StaticToken(cloud.userToken, ORGANIZATION);
  const sources = { config, http, tokens, clock, signal: stop.signal };
  const random = vi.spyOn(Math, 'random');
  onTestFinished(() => random.mockRestore());
  for (const chance of chances) random.mockReturnValueOnce(chance);
  const onActivity = () => {
    seen.signs += 1;
  };
  const started = triggerFirst(sources, () => undefined, onActivity);
  return { api, clock, stop, seen, started };
}

it('an agent stays healthy through a long jitter, and a stop ends it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { api, clock, stop, seen, started } = await starting('acme/web/prod');
  vi.advanceTimersByTime(20_000);
  expect(seen.signs).toBe(4);
  await clock.asleep();
  stop.abort();
  await expect(started).rejects.toMatchObject({ outcome: 'interrupted' });
  vi.advanceTimersByTime(20_000);
  expect(seen.signs).toBe(4);
  expect((await api.deployments('acme', 1, new AbortController().signal)).deployments).toEqual([]);
});

it('an agent that is asked to stop still answers for what it had started', async () => {
  const { stop, seen, started } = await starting('acme/web/*', [0, 0.9]);
  await expect.poll(() => seen.posts, { timeout: 20_000 }).toBe(1);
  stop.abort();
  const { starts } = await started;
  expect(starts.started).toHaveLength(1);
  expect(starts.failed).toMatchObject([{ outcome: 'interrupted' }]);
});

it('a deployment’s page is named even when Pulumi Cloud’s own link is not a web address', async () => {
  const { started } = await starting('acme/web/prod', [0], { consoleUrl: 'javascript:alert(1)//' });
  const consoleUrl = 'https://app.pulumi.com/acme/web/prod/deployments/1';
  expect((await started).starts.started).toMatchObject([{ stack: 'acme/web/prod', consoleUrl }]);
});
