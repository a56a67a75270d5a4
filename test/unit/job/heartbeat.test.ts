import { describe, expect, it, onTestFinished } from 'vitest';
import { CloudRefusedError } from '../../../src/cloud/errors.ts';
import { accept, hang, Kept, kept, refuse } from './kept-lease.ts';
import { settled } from './manual-clock.ts';

describe('a heartbeat', () => {
  it('is sent at once, then every 30 s, and no more after the stop', async () => {
    const one = await kept();
    await one.clock.advance(90_000);
    expect(one.times).toEqual([0, 30_000, 60_000, 90_000]);
    expect(one).toMatchObject({ acceptances: 4, failures: [] });
    await one.lease.stop();
    await one.clock.advance(300_000);
    expect(one.times).toHaveLength(4);
    expect(one.clock.sleeping).toBe(0);
  });

  it('that fails is told and tried again after 5 s', async () => {
    const one = await kept();
    one.beat = refuse;
    await one.clock.advance(35_000);
    one.beat = accept;
    await one.clock.advance(35_000);
    expect(one.times).toEqual([0, 30_000, 35_000, 40_000, 70_000]);
    expect(one.failures).toHaveLength(2);
  });

  it('counts its answer from the question: the server’s clock started there', async () => {
    const answer = Promise.withResolvers<void>();
    const one = await kept(() => answer.promise);
    const asked = one.begun[0]!;
    await one.clock.advance(20_000);
    answer.resolve();
    await settled();
    expect(one.lease.lastAccepted).toEqual(asked);
    await one.clock.advance(10_000);
    expect(one.times).toEqual([0, 30_000]);
  });

  it('that is answered by 404 is one that failed, as any other', async () => {
    const one = await kept(() => Promise.reject(new CloudRefusedError(404, 'HTTP 404')));
    await one.clock.advance(10_000);
    expect(one.times).toEqual([0, 5_000, 10_000]);
    expect(one.failures).toHaveLength(3);
  });

  it('goes on when the lease is lost, so that one that is accepted after all lets the end be told', async () => {
    const one = await kept(refuse);
    await one.clock.advance(9 * 60_000);
    expect(one.lost).toHaveLength(1);
    const { length } = one.begun;
    one.beat = accept;
    await one.clock.advance(30 * 60_000);
    expect(one.begun.length).toBeGreaterThanOrEqual(length + 60);
    expect([one.lost.length, one.lease.over.aborted]).toEqual([1, false]);
  });

  it('is not in flight when the stop resolves', async () => {
    const one = await kept(hang);
    expect(one.inFlight).toBe(1);
    await one.lease.stop();
    expect(one).toMatchObject({ inFlight: 0, failures: [] });
    expect(one.clock.sleeping).toBe(0);
  });

  it('holds the stop up where its call does not heed the signal', async () => {
    const answer = Promise.withResolvers<void>();
    const one = await kept(() => answer.promise);
    let stopped = false;
    const stop = one.lease.stop().then(() => {
      stopped = true;
    });
    await settled();
    expect(stopped).toBe(false);
    answer.resolve();
    await stop;
    expect(one.begun).toHaveLength(1);
  });

  it('is sent by a lease alone that was started, which can be stopped twice', async () => {
    const one = new Kept();
    onTestFinished(() => one.lease.stop());
    await one.lease.stop();
    await one.lease.stop();
    expect([one.begun, one.clock.sleeping]).toEqual([[], 0]);
  });
});
