import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { ScriptedServer } from '../../support/cloud/scripted-server.ts';

const OPTIONS = { retryCount: 1, retryWaitMs: 1, circuitBreakerFailures: 2 };

describe('the circuit breaker', () => {
  it('opens after that many failed calls, retries included in each, and then nothing is sent', async () => {
    const server = await ScriptedServer.inOrder({ status: 500 });
    const http = cloudHttp(server.url, OPTIONS);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    expect(http.restMs).toBe(0);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    expect(http.restMs).toBeGreaterThan(59_000);
    expect(http.restMs).toBeLessThan(60_003);
    expect(server.received).toHaveLength(4);
    const failure = await http.call(aCall()).catch((error) => error);
    expect(failure).toBeInstanceOf(CloudUnreachableError);
    expect(failure.message).toBe(
      `Failed to do the thing for ${server.url}: too many calls failed, so no more are made for a while. Check the network path and Pulumi Cloud's status.`,
    );
    expect(server.received).toHaveLength(4);
  });

  it('does not silence calls that are made once', async () => {
    const server = await ScriptedServer.inOrder({ status: 500 }, { status: 500 }, { status: 204 });
    const http = cloudHttp(server.url, { ...OPTIONS, retryCount: 0 });
    await expect(http.call(aCall())).rejects.toThrow();
    await expect(http.call(aCall())).rejects.toThrow();
    expect(http.restMs).toBeGreaterThan(0);
    expect(await http.once(aCall())).toMatchObject({ status: 204 });
  });

  it('counts failures in a row only, and no refusal, no call made once, no abort', async () => {
    const failing = { status: 500 };
    const server = await ScriptedServer.start((_, count) => (count % 2 === 1 ? failing : { status: 403 }));
    const http = cloudHttp(server.url, { ...OPTIONS, retryCount: 0 });
    for (let round = 0; round < 4; round++) {
      await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
      expect(await http.call(aCall())).toMatchObject({ status: 403 });
    }
    const down = await ScriptedServer.inOrder(failing);
    const other = cloudHttp(down.url, { ...OPTIONS, retryCount: 0 });
    await expect(other.call(aCall())).rejects.toThrow();
    await expect(other.once(aCall())).rejects.toThrow();
    const stop = new AbortController();
    const waiting = cloudHttp(down.url, { ...OPTIONS, circuitBreakerFailures: 1, onRetry: () => stop.abort() });
    await expect(waiting.call(aCall({ signal: stop.signal }))).rejects.toThrow();
    expect([http.restMs, other.restMs, waiting.restMs]).toEqual([0, 0, 0]);
  });

  it('rests no longer when the clock is set back meanwhile', async () => {
    const server = await ScriptedServer.inOrder({ status: 500 }, { status: 200 });
    const options = { ...OPTIONS, circuitBreakerFailures: 1, retryCount: 0, circuitBreakerTimeoutMs: 50 };
    const http = cloudHttp(server.url, options);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    const { now } = Date;
    onTestFinished(() => void vi.restoreAllMocks());
    vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    await delay(60);
    expect(await http.call(aCall())).toMatchObject({ status: 200 });
  });

  it('lets one call through when its time is over: a success closes it, a failure opens it again', async () => {
    let up = false;
    const server = await ScriptedServer.start(() => ({ status: up ? 200 : 500 }));
    const http = cloudHttp(server.url, { ...OPTIONS, retryCount: 0, circuitBreakerTimeoutMs: 1_000 });
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    await delay(1_100);
    await expect(http.call(aCall())).rejects.toThrow('HTTP 500');
    await expect(http.call(aCall())).rejects.toThrow('too many calls failed');
    expect(server.received).toHaveLength(3);
    up = true;
    await delay(1_100);
    expect(await http.call(aCall())).toMatchObject({ status: 200 });
    expect(http.restMs).toBe(0);
    expect(await http.call(aCall())).toMatchObject({ status: 200 });
  });
});
