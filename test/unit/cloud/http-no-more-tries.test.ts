import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCall, cloudHttp } from '../../support/cloud/cloud-http.ts';
import { type Reply, ScriptedServer } from '../../support/cloud/scripted-server.ts';

const REASON = new Error('nothing more may be claimed');
const CLAIM = { status: 200, json: { jobID: 'j' } };

describe('noMoreTries', () => {
  it('that came before keeps anything from being sent', async () => {
    const server = await ScriptedServer.inOrder(CLAIM);
    const call = cloudHttp(server.url).call(aCall({ noMoreTries: AbortSignal.abort(REASON) }));
    await expect(call).rejects.toBe(REASON);
    expect(server.received).toEqual([]);
  });

  it('lets the request in flight be answered', async () => {
    const stop = new AbortController();
    const answer = Promise.withResolvers<Reply>();
    const server = await ScriptedServer.start(() => answer.promise);
    const call = cloudHttp(server.url).call(aCall({ noMoreTries: stop.signal }));
    await server.until(() => server.received.length === 1);
    stop.abort(REASON);
    answer.resolve(CLAIM);
    expect(await call).toMatchObject({ status: 200, json: { jobID: 'j' } });
  });

  it.each<Reply>([{ status: 503 }, 'reset'])(
    'begins no other try when the one in flight ends with %j',
    async (reply) => {
      const stop = new AbortController();
      const answer = Promise.withResolvers<Reply>();
      const server = await ScriptedServer.start(() => answer.promise);
      const http = cloudHttp(server.url, { retryWaitMs: 60_000, retryMaxWaitMs: 60_000 });
      const call = http.call(aCall({ noMoreTries: stop.signal }));
      const settled = expect(call).rejects.toBe(REASON);
      await server.until(() => server.received.length === 1);
      stop.abort(REASON);
      answer.resolve(reply);
      await settled;
      expect(server.received).toHaveLength(1);
    },
  );

  it('ends the wait for a retry at once', async () => {
    const stop = new AbortController();
    const server = await ScriptedServer.inOrder({ status: 503 }, CLAIM);
    const http = cloudHttp(server.url, {
      retryWaitMs: 60_000,
      retryMaxWaitMs: 60_000,
      onRetry: () => void setImmediate(() => stop.abort(REASON)),
    });
    const started = performance.now();
    await expect(http.call(aCall({ noMoreTries: stop.signal }))).rejects.toBe(REASON);
    expect(performance.now() - started).toBeLessThan(10_000);
    expect(server.received).toHaveLength(1);
  });

  it('never loses an answer that the server has given, whenever it comes', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(2), fc.nat(12), fc.nat(3), async (failures, afterMs, answerMs) => {
        let given = false;
        const server = await ScriptedServer.start(async (_, count) => {
          await delay(answerMs);
          if (count <= failures) return { status: 503 };
          given = true;
          return CLAIM;
        });
        const stop = new AbortController();
        const http = cloudHttp(server.url, { retryWaitMs: 2 });
        const call = http.call(aCall({ noMoreTries: stop.signal })).then(
          () => 'answered',
          (error) => (error === REASON ? 'stopped' : String(error)),
        );
        await delay(afterMs);
        stop.abort(REASON);
        expect(await call).toBe(given ? 'answered' : 'stopped');
        await server.stop();
      }),
      { numRuns: 60 },
    );
  });
});
