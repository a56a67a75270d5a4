import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Health } from '../../../src/agent/health/health.ts';
import { Metrics } from '../../../src/agent/health/metrics.ts';
import { momentOf } from '../../../src/base/clock.ts';
import { OutcomeError } from '../../../src/base/outcome.ts';
import type { HealthSnapshot } from '../../../src/record/schema.ts';
import { listen, owned } from '../network/servers.ts';

/** A `Health` whose steady clock shows `at.ms`, and whose wall clock is `at.set` ahead of it. */
function healthOf(ms = Date.parse('2026-06-18T10:00:00Z')) {
  const at = { ms, set: 0 };
  const snapshots: HealthSnapshot[] = [];
  const metrics = new Metrics('1.2.3', () => at.ms);
  const health = new Health({
    thresholdMs: 60_000,
    clock: { now: () => at.ms + at.set, steady: () => at.ms },
    onSnapshot: (snapshot) => snapshots.push(snapshot),
    metrics,
  });
  onTestFinished(() => health.close());
  return { at, health, metrics, snapshots };
}

describe('the health that is served', () => {
  it('is good until nothing has happened for longer than the threshold, and again after the next activity', async () => {
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
    expect(await ask()).toEqual([
      200,
      { status: 'healthy', currentTime: '2026-06-18T10:01:00.000Z', lastActivity },
    ]);
    at.ms += 1;
    expect(await ask()).toEqual([
      503,
      { status: 'unhealthy', currentTime: '2026-06-18T10:01:00.001Z', lastActivity },
    ]);
    health.active();
    expect(await ask()).toEqual([
      200,
      {
        status: 'healthy',
        currentTime: '2026-06-18T10:01:00.001Z',
        lastActivity: '2026-06-18T10:01:00.001Z',
      },
    ]);
  });

  it('tells since when a cancel of the running job would go unseen, until it would be seen or the job is over', async () => {
    const { at, health } = healthOf();
    const url = await health.listen(0);
    const told = async () =>
      ((await (await fetch(url)).json()) as Record<string, unknown>)['cancelUnseenSince'];
    const since = momentOf({ now: () => at.ms, steady: () => at.ms });
    health.become('running');
    expect(await told()).toBeUndefined();
    health.cancelUnseen(since);
    expect(await told()).toBe('2026-06-18T10:00:00.000Z');
    health.cancelUnseen(undefined);
    expect(await told()).toBeUndefined();
    health.cancelUnseen(since);
    health.become('waiting');
    expect(await told()).toBeUndefined();
  });

  it.each([-3_600_000, 3_600_000])('does not change with a clock that is set by %i ms', async (ms) => {
    const { at, health } = healthOf();
    at.set = ms;
    at.ms += 60_000;
    expect(health.snapshot().status).toBe('healthy');
    at.ms += 1;
    expect(health.snapshot().status).toBe('unhealthy');
  });

  it.each([
    ['GET', '/healthz?verbose=1', 200],
    ['GET', '/livez', 200],
    ['HEAD', '/healthz', 200],
    ['POST', '/healthz', 405],
    ['GET', '/healthz/', 404],
  ])('answers %s %s with %i', async (method, path, status) => {
    const { health } = healthOf();
    const url = await health.listen(0);
    const response = await fetch(new URL(path, url), { method });
    expect(response.status).toBe(status);
    expect(response.headers.get('allow')).toBe(status === 405 ? 'GET, HEAD' : null);
    expect(await response.text()).toMatch(method === 'HEAD' ? /^$/ : /^\{.*\}\n$/);
  });

  it('says that the process is alive, however long nothing has happened', async () => {
    const { at, health } = healthOf();
    const url = new URL('/livez', await health.listen(0));
    at.ms += 3_600_000;
    const response = await fetch(url);
    expect({ status: response.status, body: await response.json() }).toEqual({
      status: 200,
      body: { status: 'alive' },
    });
  });

  it('says why metrics can’t be made, and stays available', async () => {
    const { health, metrics } = healthOf();
    metrics.scrape = () => Promise.reject(new Error('not today'));
    const url = await health.listen(0);
    const failed = await fetch(new URL('/metrics', url));
    expect({ status: failed.status, body: await failed.json() }).toEqual({
      status: 500,
      body: { error: 'not today' },
    });
    expect((await fetch(url)).status).toBe(200);
  });

  it('is still served while thousands of connections are half-open, of which it keeps the newest few hundred', async () => {
    const { health } = healthOf();
    const url = new URL(await health.listen(0));
    const answers = () =>
      Promise.all(['/livez', '/metrics'].map(async (path) => (await fetch(new URL(path, url))).status));
    let open = 0;
    const sockets: Socket[] = [];
    onTestFinished(() => void sockets.map((socket) => socket.destroy()));
    for (let count = 0; count < 3_000; count += 100) {
      const opened = Array.from({ length: 100 }, async () => {
        const socket = connect(Number(url.port), url.hostname);
        sockets.push(socket);
        socket.on('error', () => undefined).on('close', () => (open -= 1));
        await once(socket, 'connect');
        open += 1;
        socket.write('GET /livez HTTP/1.1\r\n');
      });
      await Promise.all(opened);
      expect(await answers()).toEqual([200, 200]);
    }
    await expect.poll(() => open).toBeLessThanOrEqual(600);
    // Slow clients are not cut while there is room.
    expect(open).toBeGreaterThan(400);
    expect(await answers()).toEqual([200, 200]);
  });

  it('is not served on a port that is taken, which is a configuration error', async () => {
    const { port } = owned(await listen(createServer(), '127.0.0.1'));
    const { health } = healthOf();
    const failure = await health.listen(port).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(OutcomeError);
    expect(failure).toMatchObject({
      outcome: 'config-error',
      message: expect.stringMatching(/EADDRINUSE.*http_server_port/),
    });
  });

  it.each([
    [undefined, '127.0.0.1', true],
    ['0.0.0.0', '127.0.0.1', true],
    ['127.0.0.1', '127.0.0.1', false],
    ['::1', '[::1]', false],
  ])('listens on %s, and names %s in its URL', async (address, host, elsewhere) => {
    const { health } = healthOf();
    const url = new URL(await health.listen(0, address));
    expect(url.hostname).toBe(host);
    expect((await fetch(url)).status).toBe(200);
    const other = fetch(`http://127.0.0.2:${url.port}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
    expect(await other).toBe(elsewhere);
  });
});

it('the chart’s liveness probe restarts no agent while Pulumi Cloud is away', () => {
  const manifest = readFileSync(
    join(import.meta.dirname, '../../../deploy/helm/templates/_agent.tpl'),
    'utf8',
  );
  const page = (probe: string) => new RegExp(`${probe}:\\s+httpGet: \\{ path: (\\S+),`).exec(manifest)?.[1];
  expect(page('livenessProbe')).toBe('/livez');
  expect(page('readinessProbe')).toBe('/healthz');
});

it('metrics are served beside the health, and say the same', async () => {
  const { at, health } = healthOf(1_000_000);
  const url = new URL('/metrics', await health.listen(0));
  const lines = async () => (await (await fetch(url)).text()).split('\n');
  expect((await fetch(url)).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'pulumi_runner_agent_state{state="starting"} 1',
      'pulumi_runner_healthy 1',
      'pulumi_runner_last_activity_timestamp_seconds 1000',
      'pulumi_runner_heartbeat_age_seconds 0',
    ]),
  );
  health.become('running');
  at.ms += 40_000;
  expect(await lines()).toContain('pulumi_runner_heartbeat_age_seconds 40');
  health.heartbeat('accepted');
  at.ms += 2_500;
  health.heartbeat('failed');
  health.become('stopping');
  at.ms += 60_001;
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'pulumi_runner_agent_state{state="starting"} 0',
      'pulumi_runner_agent_state{state="stopping"} 1',
      'pulumi_runner_healthy 0',
      'pulumi_runner_heartbeat_age_seconds 62.501',
      'pulumi_runner_heartbeats_total{result="accepted"} 1',
      'pulumi_runner_heartbeats_total{result="failed"} 1',
    ]),
  );
  health.become('waiting');
  expect(await lines()).toContain('pulumi_runner_heartbeat_age_seconds 0');
});

describe('the health that is recorded', () => {
  it('shows each state as it comes, which counts as activity', () => {
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
