import { describe, expect, it } from 'vitest';
import { CloudRefusedError, CloudUnreachableError } from '../../../src/cloud/errors.ts';
import { Outage } from '../../../src/cloud/outage.ts';
import { withEntry } from '../../../src/error-codes.ts';
import { Cancellation } from '../../../src/job/cancellation.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

/** The result of a look: a state, an answer without one, an error, or no answer (`hang`). */
type Look = string | undefined | Error;

const code = 'PRA-CLOUD-05';
const down = new CloudUnreachableError('Failed to read the status: no answer.', { code });
const refused = (status: number) =>
  status === 500
    ? new CloudUnreachableError('Failed to read the status: HTTP 500.', { code, status })
    : new CloudRefusedError(status, `Failed to read the status: HTTP ${status}.`, { code });

/** Watches a deployment that gives these `looks` in turn, the last one over and over, and `check` these `checks`. */
function watching(looks: readonly Look[], checks: readonly Look[] = ['running'], intervalMs = 30_000) {
  const clock = new ManualClock();
  const ended = new AbortController();
  const seen = { looks: [] as number[], checks: [] as number[], answers: [] as unknown[], said: [] as string[] };
  const started = clock.now();
  const accepted = { heartbeats: true };
  const asked = (times: number[], answers: readonly Look[]) => () => {
    times.push(clock.now() - started);
    const look = answers[Math.min(times.length, answers.length) - 1];
    if (look === 'hang')
      return new Promise<never>((_, reject) => {
        ended.signal.addEventListener('abort', () => reject(ended.signal.reason));
      });
    return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
  };
  const say = (level: string, message: string) => {
    if (level !== 'debug') seen.said.push(`${level}: ${message}`);
  };
  const result = new Cancellation({
    pool: { state: asked(seen.looks, looks), check: asked(seen.checks, checks) },
    deploymentId: 'd',
    intervalMs,
    clock,
    heartbeatSince: () => accepted.heartbeats,
    onAnswer: (status) => seen.answers.push(status),
    onFallback: () => say('info', 'check is asked'),
    outage: new Outage({ what: 'Looking', say, clock }),
  }).seen(ended.signal);
  const until = async (ms: number) => {
    await clock.asleep();
    await clock.advance(ms);
  };
  const stop = async () => {
    ended.abort();
    return result;
  };
  return { clock, seen, result, stop, until, accepted };
}

describe('a cancellation', () => {
  it.each(['failed', 'skipped', 'cancelled', 'canceled'])(
    'is the state %s, seen twice, a second apart',
    async (end) => {
      const { seen, result, until } = watching(['running', end]);
      await until(61_000);
      expect(await result).toBe(true);
      expect(seen).toMatchObject({ looks: [30_000, 60_000, 61_000], answers: [200, 200, 200], said: [] });
    },
  );

  it('is not an end state that was seen only once', async () => {
    const { seen, stop, until } = watching(['failed', 'running', 'failed', 'running']);
    await until(121_000);
    expect(await stop()).toBe(false);
    expect(seen.looks).toEqual([30_000, 31_000, 61_000, 62_000, 92_000]);
  });

  it.each<Look>(['running', 'accepted', 'not-started', 'succeeded', undefined, down, new Error('odd'), refused(403)])(
    'is never %s',
    async (look) => {
      const { clock, seen, stop, until } = watching([look]);
      await until(600_000);
      expect(await stop()).toBe(false);
      expect(seen.looks).toHaveLength(20);
      expect(seen.said).toHaveLength(look instanceof Error ? 1 : 0);
      expect(clock.sleeping).toBe(0);
    },
  );

  it('is no longer looked for once the job has ended, not even by a pending request', async () => {
    const { clock, seen, stop } = watching(['hang']);
    await clock.next();
    expect(await stop()).toBe(false);
    expect([seen.looks, seen.answers, seen.said]).toEqual([[30_000], [], []]);
  });
});

describe('a failed look', () => {
  it('is reported once, and so is the recovery', async () => {
    const { seen, stop, until } = watching([down, down, refused(403), 'running', down, 'running']);
    await until(180_000);
    await stop();
    expect(seen.said).toEqual([
      `warning: ${withEntry(down.message, code)}`,
      'info: Looking works again after 3 failures in 90 s.',
      `warning: ${withEntry(down.message, code)}`,
      'info: Looking works again after 1 failure in 30 s.',
    ]);
    expect(seen.answers).toEqual([undefined, undefined, 403, 200, undefined, 200]);
  });
});

describe('a service without a status', () => {
  it.each([404, 405, 500, 501])(
    'that answers %i three times in a row is asked to check from then on',
    async (status) => {
      const { seen, result, until } = watching([refused(status)], ['running', 'not-started', 'not-started']);
      await until(151_000);
      expect(await result).toBe(true);
      expect(seen).toMatchObject({ looks: [30_000, 60_000, 90_000], checks: [120_000, 150_000, 151_000] });
      expect(seen.said).toEqual(['info: check is asked']);
    },
  );

  it.each<[string, Look]>([
    ['an answer', 'running'],
    ['another failure', down],
  ])('is not assumed if %s comes between', async (_, look) => {
    const no = refused(500);
    const { seen, stop, until } = watching([no, no, look, no, no, look]);
    await until(180_000);
    await stop();
    expect(seen.checks).toEqual([]);
  });

  it('is not assumed while heartbeats fail too', async () => {
    const { seen, stop, until, accepted } = watching([refused(500)]);
    accepted.heartbeats = false;
    await until(180_000);
    expect(seen.checks).toEqual([]);
    accepted.heartbeats = true;
    await until(60_000);
    await stop();
    expect(seen.checks).toHaveLength(1);
  });

  it('is not taken to cancel a deployment that never ran, or was seen that way only once', async () => {
    const no = refused(501);
    const { stop, until } = watching([no], ['not-started', 'not-started', 'running', 'not-started', 'running']);
    await until(600_000);
    expect(await stop()).toBe(false);
  });
});
