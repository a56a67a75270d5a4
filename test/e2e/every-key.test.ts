import { describe, expect, it, vi } from 'vitest';
import { definitionOf, isKey, KEY_NAMES } from '../../src/base/config/schema.ts';
import { freePort } from '../../src/pulumi-agent/agent-health.ts';
import { CALLS, failing } from '../emulators/pulumi-cloud/faults.ts';
import { gaps, POLL, useConfiguredAgent } from '../support/e2e/configured-agent.ts';
import { FILES, NOWHERE } from '../support/e2e/key-settings.ts';
import { SyslogDaemon } from '../support/syslog/syslog-daemon.ts';

it('every key that a file may hold is set in a run to a value other than its default', () => {
  const place = { ...NOWHERE, port: 1, ca: 'c', socket: 's', image: 'r.io/x@y' };
  const set = new Set<string>();
  for (const file of Object.values(FILES)) {
    for (const [key, value] of Object.entries(file(place))) {
      expect(KEY_NAMES).toContain(key);
      if (isKey(key) && [value].flat().join(',') !== definitionOf(key).default) set.add(key);
    }
  }
  expect([...set].sort()).toEqual(KEY_NAMES.toSorted());
});

describe('the keys for', () => {
  const agent = useConfiguredAgent();
  const { stage } = agent;

  it('failing calls take effect', async () => {
    const path = CALLS.poll;
    stage.cloud.script({ path, answer: { status: 429, headers: { 'retry-after': '30' } } });
    stage.cloud.script({ path, answer: 'hang' });
    stage.cloud.script({ path, times: 4, answer: failing(503) });
    const { child, ended } = await agent.start(FILES.troubles);
    await vi.waitFor(() => expect(agent.asked(POLL).length).toBeGreaterThanOrEqual(7), {
      timeout: 60_000,
      interval: 50,
    });
    child.kill('SIGTERM');
    const { stderr } = await ended;

    const polls = gaps(agent.asked(POLL));
    // request_retry_max_wait instead of Retry-After's 30 s; request_timeout
    expect(polls[0]).toBeLessThan(20_000);
    expect(stderr).toContain('capped by request_retry_max_wait');
    // The agent's 2 s begin before the request arrives here.
    expect(polls[1]).toBeGreaterThanOrEqual(1_500);
    expect(polls[1]).toBeLessThan(25_000);
    // circuit_breaker_failures × (1 + request_retry_count) requests, then none for circuit_breaker_timeout
    expect(polls[5]).toBeGreaterThanOrEqual(3_900);
    expect(Math.max(...polls.slice(2, 5))).toBeLessThan(polls[5] ?? 0);
    expect(
      stderr.match(/^\S+ warning After 3 failed calls, .* pause for 4 seconds \(circuit_breaker_timeout\)/gm),
    ).toHaveLength(1);
    // request_retry_wait
    const waits = Array.from(stderr.matchAll(/Trying again in ([\d.]+) s/g), ([, seconds]) =>
      Number(seconds),
    );
    expect(waits.length).toBeGreaterThanOrEqual(3);
    expect(waits[0]).toBe(1); // the capped one
    for (const wait of waits.slice(1)) expect(wait).toBeLessThanOrEqual(0.1);
    // log_level: the first retry is a warning, later ones are debug messages
    expect(stderr.match(/^\S+ warning Failed to poll for work: .* Trying again in/gm)).toHaveLength(1);
    expect(stderr).toMatch(/^\S+ debug {3}Failed to poll for work: .* Trying again in/m);
  });

  it('health and syslog take effect', async () => {
    await using daemon = await SyslogDaemon.start();
    const port = await freePort();
    const { child, ended } = await agent.start(FILES.health, { port, socket: daemon.socket });
    // http_server_port, http_server_address, health_threshold: the next poll is a minute away
    await vi.waitFor(
      async () => {
        const answer = await fetch(`http://127.0.0.2:${port}/healthz`);
        expect({ status: answer.status, body: await answer.json() }).toEqual({
          status: 503,
          body: expect.objectContaining({ status: 'unhealthy' }),
        });
      },
      { timeout: 40_000, interval: 50 },
    );
    await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
    expect(agent.asked(POLL)).toHaveLength(1);
    child.kill('SIGTERM');
    const { stderr } = await ended;
    // syslog, syslog_socket, syslog_format
    const said = `pulumi-runner-agent[${child.pid}]: Health is served at http://127.0.0.2:${port}`;
    await vi.waitFor(async () => expect(await daemon.raw()).toContainEqual(expect.stringContaining(said)), {
      timeout: 30_000,
      interval: 50,
    });
    expect(stderr).toBe('');
  });
});
