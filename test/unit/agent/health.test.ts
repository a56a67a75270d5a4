import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Health } from '../../../src/agent/health.ts';
import { OutcomeError } from '../../../src/outcome.ts';
import type { HealthSnapshot } from '../../../src/record/schema.ts';

function healthOf() {
  const at = { ms: Date.parse('2026-06-18T10:00:00Z') };
  const snapshots: HealthSnapshot[] = [];
  const health = new Health({
    thresholdMs: 60_000,
    now: () => at.ms,
    onSnapshot: (snapshot) => snapshots.push(snapshot),
  });
  onTestFinished(() => health.close());
  return { at, health, snapshots };
}

describe('the health that is served', () => {
  it('is good until nothing has happened for longer than the threshold, and is good again after that', async () => {
    const { at, health } = healthOf();
    const url = await health.listen(0);
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/healthz$/);
    const ask = async () => {
      const response = await fetch(url);
      expect(response.headers.get('content-type')).toBe('application/json');
      return [response.status, await response.json()];
    };
    const lastActivity = '2026-06-18T10:00:00.000Z';
    at.ms += 60_000;
    expect(await ask()).toEqual([200, { status: 'healthy', currentTime: '2026-06-18T10:01:00.000Z', lastActivity }]);
    at.ms += 1;
    expect(await ask()).toEqual([503, { status: 'unhealthy', currentTime: '2026-06-18T10:01:00.001Z', lastActivity }]);
    health.active();
    expect(await ask()).toEqual([
      200,
      { status: 'healthy', currentTime: '2026-06-18T10:01:00.001Z', lastActivity: '2026-06-18T10:01:00.001Z' },
    ]);
  });

  it.each([
    ['GET', '/healthz?verbose=1', 200],
    ['HEAD', '/healthz', 200],
    ['POST', '/healthz', 405],
    ['DELETE', '/healthz', 405],
    ['GET', '/', 404],
    ['GET', '/healthz/', 404],
    ['GET', '/metrics', 404],
    ['POST', '/other', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const { health } = healthOf();
    const url = await health.listen(0);
    const response = await fetch(new URL(path, url), { method });
    expect(response.status).toBe(status);
    await response.text();
  });

  it('is not served on a port that is taken: that is an error of the configuration', async () => {
    const taken = createServer().listen(0);
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once('listening', resolve));
    const { port } = taken.address() as AddressInfo;
    const { health } = healthOf();
    const failure = await health.listen(port).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutcomeError);
    expect(failure).toMatchObject({
      outcome: 'config-error',
      message: expect.stringMatching(/EADDRINUSE.*http_server_port/),
    });
  });

  it('is gone when it is closed, with connections that are still open, and may be closed before it began', async () => {
    const { health } = healthOf();
    healthOf().health.close();
    const url = await health.listen(0);
    await (await fetch(url)).text();
    health.close();
    await expect(fetch(url)).rejects.toThrow();
  });
});

describe('the health that is recorded', () => {
  it('says each state as it comes, and that counts as activity', () => {
    const { at, health, snapshots } = healthOf();
    at.ms += 90_000;
    expect(health.snapshot()).toMatchObject({ status: 'unhealthy', state: 'starting' });
    health.become('waiting');
    at.ms += 1_000;
    health.become('running');
    expect(snapshots.map(({ state, status, lastActivity }) => [state, status, lastActivity])).toEqual([
      ['waiting', 'healthy', '2026-06-18T10:01:30.000Z'],
      ['running', 'healthy', '2026-06-18T10:01:31.000Z'],
    ]);
    expect(snapshots[0]!.rssBytes).toBeGreaterThan(1_000_000);
  });
});
