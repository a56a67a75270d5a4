import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { startDeployment } from '../../../src/cloud/deployments/start-deployment.ts';
import { LIST, organization, POST, PROD } from '../../support/agent/organization.ts';

describe('a deployment', () => {
  it('is started once, by one call', async () => {
    const { cloud, starting } = await organization();
    const started = await startDeployment(PROD, starting);
    const [deployment] = cloud.deployments;
    expect(started).toEqual({
      stack: 'acme/web/prod',
      operation: 'detect-drift',
      deploymentId: deployment?.id,
      version: 1,
      consoleUrl: 'https://app.pulumi.com/acme/web/prod/deployments/1',
    });
    expect(deployment).toMatchObject({ operation: 'detect-drift', status: 'not-started' });
    expect(cloud.requests).toHaveLength(1);
  });

  it('that was refused for the moment is tried again, without a search for it', async () => {
    const { cloud, log, starting, calls } = await organization();
    cloud.script({ ...POST, times: 2, answer: { status: 429, headers: { 'retry-after': '1' } } });
    await startDeployment(PROD, { ...starting, retryMaxWaitMs: 30 });
    expect(cloud.deployments).toHaveLength(1);
    expect(calls('POST')).toBe(3);
    expect(calls('GET')).toBe(0);
    // Retry-After, capped at the longest wait.
    expect(log.filter((line) => line.includes('HTTP 429. Trying again in 0.0 s'))).toHaveLength(2);
  });

  it.each(['reset', { status: 502 }, { status: 202, body: {} }] as const)(
    'whose answer was lost (%j) is found, and not started again',
    async (answer) => {
      const { cloud, log, starting, calls } = await organization();
      cloud.script({ ...POST, when: 'after', answer });
      const started = await startDeployment(PROD, starting);
      expect(cloud.deployments.map(({ id }) => id)).toEqual([started.deploymentId]);
      expect(started).toMatchObject({ assumed: true, version: 1 });
      expect(calls('POST')).toBe(1);
      expect(log.join('\n')).toContain('assuming it is ours');
    },
  );

  it('is found instead of an older one when the clock is set meanwhile', async () => {
    let now = Date.now() - 60_000;
    const { cloud, starting, calls } = await organization({ clock: () => now });
    cloud.enqueue({ ...PROD, poolId: 'pool-1', job: {}, operation: 'detect-drift' });
    now = Date.now();
    let set = 0;
    const sleep = async () => {
      set = 3_600_000;
    };
    const clock = { ...systemClock, now: () => Date.now() + set, sleep };
    cloud.script({ ...POST, when: 'after', answer: 'reset' });
    expect(await startDeployment(PROD, { ...starting, clock })).toMatchObject({ assumed: true, version: 2 });
    expect(calls('POST')).toBe(1);
  });

  it('that never arrived is started again after a search finds none, with a warning that there may be two', async () => {
    let now = Date.now() - 3_600_000;
    const { cloud, log, starting, calls } = await organization({ clock: () => now });
    // Neither an older deployment of this operation nor a newer one of another is taken for ours.
    cloud.enqueue({ ...PROD, poolId: 'pool-1', job: {}, operation: 'detect-drift' });
    now = Date.now();
    cloud.enqueue({ ...PROD, poolId: 'pool-1', job: {}, operation: 'update' });
    cloud.script({ ...POST, answer: 'reset' });
    const started = await startDeployment(PROD, starting);
    expect(started).toMatchObject({ version: 3 });
    expect(started).not.toHaveProperty('assumed');
    expect(calls('POST')).toBe(2);
    expect(calls('GET')).toBe(1);
    expect(log.join('\n')).toContain('if the first was only slow, there will be two');
  });

  it('that can never be sent is given up after a last search for it', async () => {
    const { cloud, starting, calls } = await organization();
    cloud.script({ ...POST, times: Number.POSITIVE_INFINITY, answer: { status: 503 } });
    await expect(startDeployment(PROD, starting)).rejects.toMatchObject({
      outcome: 'cloud-unreachable',
      message:
        'Failed to start detect-drift for acme/web/prod: HTTP 503; no detect-drift of it was found afterwards. ' +
        "Check the stack's deployments before you start it again.",
    });
    expect(calls('POST')).toBe(3);
    expect(calls('GET')).toBe(3);
  });

  it('whose fate stays unknown is not started again', async () => {
    const { cloud, starting, calls } = await organization();
    cloud.script({ ...POST, when: 'after', answer: 'reset' });
    cloud.script({ ...LIST, times: Number.POSITIVE_INFINITY, answer: { status: 404 } });
    await expect(startDeployment(PROD, starting)).rejects.toMatchObject({
      outcome: 'cloud-unreachable',
      message: expect.stringMatching(
        /^Failed to start detect-drift for acme\/web\/prod: .*; whether it was started is unknown: /,
      ),
    });
    expect(calls('POST')).toBe(1);
    expect(cloud.deployments).toHaveLength(1);
  });

  it.each([
    [400, 'config-error', /Settings → Deploy.* Deployment runner pool .* remediate-drift need the source/],
    [402, 'auth-error', /edition/],
    [403, 'auth-error', /can deploy the stack; a pool's token can't/],
    [404, 'config-error', /the names of organization, project and stack/],
    [409, 'failed', /documents no such answer/],
    [418, 'cloud-unreachable', /service URL/],
  ])('that is refused with %i is not tried again', async (status, outcome, advice) => {
    const { cloud, starting, calls } = await organization();
    cloud.script({ ...POST, answer: { status, body: { code: status, message: 'as the server says' } } });
    const message = expect.stringMatching(
      `for acme/web/prod: HTTP ${status} as the server says\\..*${advice.source}`,
    );
    await expect(startDeployment(PROD, starting)).rejects.toMatchObject({ outcome, message });
    expect(calls('POST')).toBe(1);
  });

  it('is not started with an unknown access token', async () => {
    const { cloud, starting } = await organization({ token: 'pul-unknown' });
    await expect(startDeployment(PROD, starting)).rejects.toMatchObject({
      outcome: 'auth-error',
      message: expect.stringContaining('refused access_token (HTTP 401)'),
    });
    expect(cloud.deployments).toEqual([]);
  });

  it('is not started once the agent is asked to stop, but a start in flight is finished', async () => {
    const { cloud, starting } = await organization();
    await expect(startDeployment(PROD, { ...starting, signal: AbortSignal.abort() })).rejects.toThrow();
    expect(cloud.requests).toEqual([]);
    const stop = new AbortController();
    const starts = startDeployment(PROD, { ...starting, signal: stop.signal });
    await cloud.waitFor(() => cloud.requests.length === 1);
    stop.abort();
    expect((await starts).deploymentId).toBe(cloud.deployments[0]?.id);
  });
});
