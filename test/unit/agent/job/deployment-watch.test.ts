import { describe, expect, it } from 'vitest';
import { DeploymentWatch } from '../../../../src/agent/job/deployment-watch.ts';
import { StopSource } from '../../../../src/agent/job/stop.ts';
import { NEVER } from '../../../../src/base/clock.ts';
import { withEntry } from '../../../../src/base/error-codes.ts';
import { AuthError, CloudRefusedError, CloudUnreachableError } from '../../../../src/cloud/errors.ts';
import { ManualClock, settled } from '../../../support/job/manual-clock.ts';

/** The result of a look: a state, an answer without one, an error, or no answer (`hang`). */
type Look = string | undefined | Error;

const code = 'PRA-CLOUD-05';
const down = new CloudUnreachableError('Failed to read the status: no answer.', { code });
const refused = (status: number) =>
  status === 500
    ? new CloudUnreachableError('Failed to read the status: HTTP 500.', { code, status })
    : new CloudRefusedError(status, `Failed to read the status: HTTP ${status}.`, { code });
const CANCELLED = { by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' };

/** Watches a deployment that gives these `looks` in turn, the last one over and over, and `check` these `checks`. */
async function watching(looks: readonly Look[], checks: readonly Look[] = ['running']) {
  const clock = new ManualClock();
  const abandon = new AbortController();
  const stop = new StopSource({ interrupted: NEVER, reportsAbandoned: abandon.signal });
  const seen = {
    looks: [] as number[],
    checks: [] as number[],
    answers: 0,
    said: [] as string[],
    unseen: [] as unknown[],
  };
  const started = clock.now();
  const asked = (times: number[], answers: readonly Look[]) => (_: string, signal: AbortSignal) => {
    times.push(clock.now() - started);
    const look = answers[Math.min(times.length, answers.length) - 1];
    if (look === 'hang')
      return new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason));
        if (signal.aborted) reject(signal.reason);
      });
    return look instanceof Error ? Promise.reject(look) : Promise.resolve(look);
  };
  const watch = new DeploymentWatch({
    pool: { state: asked(seen.looks, looks), check: asked(seen.checks, checks) },
    deploymentId: 'd',
    intervalMs: 30_000,
    clock,
    stop,
    health: {
      active: () => {
        seen.answers += 1;
      },
      cancelUnseen: (since) => seen.unseen.push(since && since.now - started),
    },
    say: (level, message) => {
      if (level !== 'debug') seen.said.push(`${level}: ${message}`);
    },
  });
  const first = watch.start();
  await settled();
  return { abandon, clock, seen, stop, watch, first };
}

/** The same once its first step runs. */
async function running(...given: Parameters<typeof watching>) {
  const scene = await watching(...given);
  await scene.watch.stepRuns(false, NEVER);
  return scene;
}

describe('a cancellation', () => {
  it.each(['failed', 'skipped', 'cancelled', 'canceled'])(
    'is %s, seen twice, a second apart',
    async (end) => {
      const { seen, stop, watch, clock } = await running(['running', end]);
      await clock.advance(30_999);
      expect({ stop: stop.stop, hasEnded: watch.hasEnded }).toEqual({ stop: undefined, hasEnded: false });
      await clock.advance(600_000);
      expect({ stop: stop.stop, hasEnded: watch.hasEnded }).toEqual({ stop: CANCELLED, hasEnded: true });
      expect(seen).toMatchObject({ looks: [0, 30_000, 31_000], answers: 3, said: [] });
      await watch.stop();
    },
  );

  it.each([
    ['first', [refused(401), 'failed']],
    ['last', ['running', refused(401), 'failed']],
  ])('is seen by the %s look past a stray 401', async (which, looks) => {
    const { clock, watch, first } = await watching(looks);
    const look = which === 'first' ? first : watch.endedOtherwise();
    for (let seconds = 0; seconds < 4; seconds += 1) await clock.advance(1_000);
    await look;
    expect(watch.hasEnded).toBe(true);
    await watch.stop();
  });

  it('is not an end that was seen only once', async () => {
    const { seen, stop, watch, clock } = await running([
      'failed',
      'running',
      'failed',
      down,
      'failed',
      'running',
    ]);
    await clock.advance(100_000);
    expect({ stop: stop.stop, hasEnded: watch.hasEnded }).toEqual({ stop: undefined, hasEnded: false });
    expect(seen.looks).toEqual([0, 1_000, 31_000, 32_000, 62_000, 63_000, 93_000]);
    await watch.stop();
  });

  it.each<Look>(['running', 'accepted', 'succeeded', undefined, down, new Error('odd'), refused(403)])(
    'is never %s',
    async (look) => {
      const { seen, stop, watch, clock } = await running([look]);
      await clock.advance(600_000);
      await watch.stop();
      expect({ stop: stop.stop, hasEnded: watch.hasEnded }).toEqual({ stop: undefined, hasEnded: false });
      expect(seen.looks.length).toBeGreaterThanOrEqual(20);
      expect(seen.said).toHaveLength(look instanceof Error ? 2 : 0);
      expect(clock.sleeping).toBe(0);
    },
  );

  it.each([
    ['no answer', down],
    ['a refusal of the pool’s token', refused(401)],
    ['a token that can’t be renewed', new AuthError('Failed to exchange it.', { code: 'PRA-AUTH-03' })],
    ['a service that does not serve it', refused(403)],
  ])(
    'that would go unseen for 5 minutes is said once, until the status is read again: %s',
    async (_, error) => {
      const looks: Look[] = [...Array.from({ length: 4 }, () => 'running'), error];
      const { seen, watch, clock } = await running(looks);
      await clock.advance(90_000 + 5 * 60_000 - 1);
      expect(seen.unseen).toEqual([]);
      await clock.advance(600_000);
      const { code: entry } = error;
      expect(seen.said.slice(1)).toEqual([
        `warning: ${withEntry("The agent can't notice a cancel in Pulumi Cloud: it could not read the deployment's status for 5 minutes. The deployment continues. To stop it, cancel the CI job or interrupt the agent.", entry)}`,
      ]);
      looks.push('running');
      looks.splice(4, 1);
      await clock.advance(60_000);
      expect(seen.unseen).toEqual([90_000, undefined]);
      await watch.stop();
    },
  );

  it('is no longer looked for after the stop, not even by a pending request', async () => {
    const { clock, seen, watch } = await watching(['running', 'hang']);
    await clock.advance(30_000);
    await watch.stop();
    await clock.advance(600_000);
    expect({ looks: seen.looks, answers: seen.answers, said: seen.said, sleeping: clock.sleeping }).toEqual({
      looks: [0, 30_000],
      answers: 1,
      said: [],
      sleeping: 0,
    });
  });

  it('stops nothing once the last step has ended, but is known', async () => {
    const { clock, stop, watch } = await running(['running', 'failed']);
    watch.stepsEnded();
    await clock.advance(31_000);
    expect({ stop: stop.stop, hasEnded: watch.hasEnded }).toEqual({ stop: undefined, hasEnded: true });
    await watch.stop();
  });
});

describe('a deployment that was taken away', () => {
  const GONE = ['not-started', refused(410)];

  it.each<Look>(GONE)('is one that is %s, twice, after its first step runs', async (gone) => {
    const { clock, stop, watch } = await running(['accepted', gone]);
    await clock.advance(30_999);
    expect(stop.stop).toBeUndefined();
    await clock.advance(1);
    expect(stop.stop).toEqual(CANCELLED);
    await watch.stop();
  });

  it.each<Look>(GONE)('is not one that is %s before Pulumi Cloud took that a step runs', async (gone) => {
    const { clock, stop, watch } = await watching([gone]);
    await clock.advance(300_000);
    expect(stop.stop).toBeUndefined();
    await watch.stop();
  });

  it('is not one whose status was asked for before, and answered after', async () => {
    const answers: ((state: string) => void)[] = [];
    const clock = new ManualClock();
    const stop = new StopSource();
    const state = () => new Promise<string>((resolve) => answers.push(resolve));
    const say = () => undefined;
    const pool = { state, check: state };
    const watch = new DeploymentWatch({
      ...{
        pool,
        deploymentId: 'd',
        intervalMs: 30_000,
        clock,
        stop,
        health: { active: say, cancelUnseen: say },
        say,
      },
    });
    void watch.start();
    await watch.stepRuns(false, NEVER);
    answers[0]?.('not-started');
    await clock.advance(1_000);
    expect(answers).toHaveLength(1);
    await watch.stop();
  });

  it.each<Look>(GONE)('is not one that is %s after the last step', async (gone) => {
    const { clock, watch } = await running(['running', gone]);
    watch.stepsEnded();
    expect(await watch.endedOtherwise()).toBe(false);
    await clock.advance(300_000);
    expect(watch.hasEnded).toBe(false);
    await watch.stop();
  });
});

describe('the first look', () => {
  it('comes at once, and holds the job back until an end is confirmed', async () => {
    const { clock, stop, watch, seen, first } = await watching(['failed']);
    let hasBegun = false;
    void first.then(() => {
      hasBegun = true;
    });
    await clock.advance(999);
    expect({ hasBegun, stop: stop.stop }).toEqual({ hasBegun: false, stop: undefined });
    await clock.advance(1);
    expect({ hasBegun, stop: stop.stop, looks: seen.looks }).toEqual({
      hasBegun: true,
      stop: CANCELLED,
      looks: [0, 1_000],
    });
    await watch.stop();
  });

  it.each<[Look, number]>([
    ['accepted', 0],
    [refused(403), 0],
    [refused(500), 0],
    [down, 5_000],
    ['hang', 5_000],
  ])('that is answered with %s holds the job back for %i ms', async (look, ms) => {
    const { clock, watch, first } = await watching([look], [refused(404)]);
    const began = clock.steady();
    let held = -1;
    void first.then(() => {
      held = clock.steady() - began;
    });
    await settled();
    await clock.advance(10_000);
    expect(held).toBe(ms);
    await watch.stop();
  });
});

describe('the last look', () => {
  it.each<[readonly Look[], boolean, number]>([
    [['failed'], true, 1_000],
    [[down, 'skipped'], true, 2_000],
    [['failed', 'running'], false, 1_000],
    [['running'], false, 0],
    [['succeeded'], false, 0],
    [[refused(404)], false, 0],
    [[down], false, 5_000],
    [['failed', 'hang'], false, 5_000],
  ])('at %j tells of an end: %s, after %i ms', async (looks, ended, ms) => {
    const { clock, watch } = await running(['running', ...looks], [refused(404)]);
    watch.stepsEnded();
    const began = clock.steady();
    const told = watch.endedOtherwise().then((is) => [is, clock.steady() - began]);
    await settled();
    await clock.advance(10_000);
    expect(await told).toEqual([ended, ms]);
    await watch.stop();
  });

  it('is given up with the reports', async () => {
    const { abandon, watch, clock } = await running(['running', 'hang']);
    watch.stepsEnded();
    const told = watch.endedOtherwise();
    await settled();
    abandon.abort();
    expect(await told).toBe(false);
    await watch.stop();
    expect(clock.sleeping).toBe(0);
  });
});

describe('a success', () => {
  it.each<[Look, boolean]>([
    ['running', true],
    ['succeeded', false],
    [refused(403), false],
    ['hang', false],
  ])(
    'proves the last status if the look at the last step’s start was answered with %s: %s',
    async (look, proves) => {
      const { watch } = await running(['running', look, 'succeeded']);
      await watch.stepRuns(true, AbortSignal.timeout(100));
      expect(await watch.success()(NEVER)).toBe(proves);
      await watch.stop();
    },
  );

  it('proves nothing if it was shown before the last status was sent', async () => {
    const { watch, clock } = await running(['running', 'running', 'succeeded']);
    await watch.stepRuns(true, NEVER);
    const before = watch.success();
    await clock.advance(30_000);
    expect(await before(NEVER)).toBe(true);
    expect(await watch.success()(NEVER)).toBe(false);
    await watch.stop();
  });

  it('proves nothing if it was shown before the last step', async () => {
    const { watch, clock } = await running(['running', 'succeeded', 'running', 'succeeded']);
    await clock.advance(30_000);
    await watch.stepRuns(true, NEVER);
    expect(await watch.success()(NEVER)).toBe(false);
    await watch.stop();
  });
});

describe('a failed look', () => {
  it('is reported once, and so is the recovery', async () => {
    const { seen, watch, clock } = await watching([
      'running',
      down,
      refused(403),
      down,
      'running',
      down,
      'running',
    ]);
    await clock.advance(180_000);
    await watch.stop();
    expect(seen.said).toEqual([
      `warning: ${withEntry(down.message, code)}`,
      "info: Reading the deployment's status works again after 3 failures in 90 s.",
      `warning: ${withEntry(down.message, code)}`,
      "info: Reading the deployment's status works again after 1 failure in 30 s.",
    ]);
    expect(seen.answers).toBe(3);
  });
});

describe('a service without a status', () => {
  it.each([404, 405, 500, 501])('that answers %i is asked to check in the same look', async (status) => {
    const { seen, stop, watch, clock } = await running(
      [refused(status)],
      ['running', 'running', 'not-started'],
    );
    await clock.advance(61_000);
    expect(stop.stop).toEqual(CANCELLED);
    expect(seen.checks).toEqual([0, 30_000, 60_000, 61_000]);
    expect(seen.looks).toEqual(seen.checks);
    expect(seen.said).toEqual([
      `info: Pulumi Cloud does not serve the deployment's status (HTTP ${status}): the agent uses the call check instead.`,
    ]);
    await watch.stop();
  });

  it('is in trouble if it does not check either', async () => {
    const { seen, watch, clock } = await watching([refused(500), 'running'], [refused(404)]);
    await clock.advance(31_000);
    expect(seen.said).toEqual([
      `warning: ${withEntry(refused(404).message, code)}`,
      "info: Reading the deployment's status works again after 1 failure in 30 s.",
    ]);
    await watch.stop();
  });
});
