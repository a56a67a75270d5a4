import { describe, expect, it } from 'vitest';
import { Wait, type WaitEnd, type WaitOptions } from '../../../src/agent/wait.ts';
import { withEntry } from '../../../src/base/error-codes.ts';
import { Outage } from '../../../src/base/log/outage.ts';
import { codeOf, OutcomeError } from '../../../src/base/outcome.ts';
import {
  AuthError,
  CloudRefusedError,
  CloudUnreachableError,
  LostClaimError,
  UnreadableClaimError,
} from '../../../src/cloud/errors.ts';
import type { Claim } from '../../../src/cloud/job-wire.ts';
import type { PollResult } from '../../../src/cloud/pool-api.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { driven } from '../../support/job/driven.ts';
import { ManualClock, settled } from '../../support/job/manual-clock.ts';

const CLAIM: Claim = { jobId: 'j', jobToken: 't', oidcToken: undefined, runId: 'r', deploymentId: 'd' };
const DOWN = new CloudUnreachableError('no network', { code: 'PRA-CLOUD-01' });
const DRAINING = new Error('nothing more may be claimed');

type Answer = PollResult | Error | Promise<PollResult>;

/** Waits for work with polls that get these answers in turn, the last one over and over. */
function waiting(
  answers: readonly [Answer, ...Answer[]],
  options: Partial<WaitOptions> = {},
  pollTakesMs = 0,
) {
  const clock = new ManualClock();
  const drain = new AbortController();
  const started = clock.now();
  const seen = { polls: [] as number[], answers: 0, waits: [] as number[], said: [] as string[] };
  const say = (level: string, text: string) => seen.said.push(`${level}: ${text}`);
  const work = new Wait({
    poll: (signal, noMoreTries) => {
      expect(signal.aborted).toBe(false);
      expect(noMoreTries).toBe(drain.signal);
      seen.polls.push(clock.now() - started);
      clock.pass(pollTakesMs);
      const answer = answers[Math.min(seen.polls.length, answers.length) - 1]!;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    probe: async () => undefined,
    isHeldBack: () => false,
    pollingIntervalMs: 10_000,
    pollingIntervalOverride: false,
    maxWaitMs: undefined,
    singleRun: true,
    clock,
    drain: drain.signal,
    health: {
      active: () => {
        seen.answers += 1;
      },
    },
    onWait: (polls, seconds) => {
      expect(polls).toBe(seen.polls.length);
      seen.waits.push(seconds);
    },
    outage: new Outage('Polling', { say, clock }),
    placeOutage: new Outage('The place', { say, clock }),
    random: () => 0,
    ...options,
  });
  const result = work.forWork();
  result.catch(() => undefined);
  /** Advances the clock until the wait has ended. */
  const end = async (waited = result): Promise<WaitEnd> => {
    await driven(clock, waited);
    return waited;
  };
  return { clock, drain, seen, work, result, end };
}

describe('waiting for work', () => {
  it('ends with the claim, whichever poll brings it', async () => {
    const { end, seen } = waiting([{}, {}, { claim: CLAIM }], { maxWaitMs: 300_000 });
    expect(await end()).toEqual({ claim: CLAIM });
    expect(seen).toMatchObject({ polls: [0, 10_000, 20_000], answers: 3, waits: [10, 10] });
  });

  it('polls once when there is no time to wait', async () => {
    const { end, seen, clock } = waiting([{}], { maxWaitMs: 0 });
    expect(await end()).toEqual({ ended: 'no-work' });
    expect(seen).toMatchObject({ polls: [0], waits: [] });
    expect(clock.sleeps).toEqual([]);
  });

  it('gets its whole time again after an outage that it may outlast', async () => {
    const answers: [Answer, ...Answer[]] = [
      {},
      ...Array.from({ length: 8 }, () => DOWN),
      {},
      { claim: CLAIM },
    ];
    const { end, seen } = waiting(answers, {
      maxWaitMs: 30_000,
      outlastsOutages: true,
      isHeldBack: () => true,
    });
    expect(await end()).toEqual({ claim: CLAIM });
    expect(seen.polls).toHaveLength(11);
  });

  it.each([
    ['a pause beyond its time, of which it takes the most', 30_000, 600_000, [0, 300_000]],
    ['a single poll', 0, undefined, [0, 10_000]],
  ])('outlasts an outage that leaves it %s', async (_, maxWaitMs, retryAfterMs, polls) => {
    const outage = new CloudUnreachableError('HTTP 503', { code: 'PRA-CLOUD-01', retryAfterMs });
    const { end, seen } = waiting([outage, { claim: CLAIM }], { maxWaitMs, outlastsOutages: true });
    expect(await end()).toEqual({ claim: CLAIM });
    expect(seen.polls).toEqual(polls);
  });

  it('lasts as long as allowed, even when the clock is set, and polls a last time at the end', async () => {
    const { end, seen, clock } = waiting([{}], { maxWaitMs: 25_000 });
    clock.set(3_600_000);
    const began = clock.steady();
    expect(await end()).toEqual({ ended: 'no-work' });
    expect(clock.steady() - began).toBe(25_000);
    expect(seen.waits).toEqual([10, 10, 5]);
  });
});

describe('the pause that Pulumi Cloud asks for', () => {
  const refused = new CloudRefusedError(400, 'HTTP 400', { code: 'PRA-CLOUD-01', retryAfterMs: 90_000 });

  it.each<[string, [Answer, ...Answer[]], Partial<WaitOptions>, number[]]>([
    ['replaces the interval', [{ retryAfterMs: 45_000 }, {}], {}, [0, 45_000, 55_000]],
    ['applies in a refusal too', [refused, {}], {}, [0, 90_000, 100_000]],
    ['is ignored if the user says so', [refused], { pollingIntervalOverride: true }, [0, 10_000, 20_000]],
    ['never lets the agent poll without a pause', [{ retryAfterMs: 0 }], {}, [0, 1_000, 2_000]],
    [
      'varies by up to a tenth, like the interval',
      [{ retryAfterMs: 20_000 }, {}],
      { random: () => 1 },
      [0, 22_000, 33_000],
    ],
  ])('%s', async (_, answers, options, polls) => {
    const { clock, seen } = waiting(answers, options);
    await clock.next();
    await clock.next();
    expect(seen.polls).toEqual(polls);
  });

  it.each([
    [60_001, { ended: 'no-work' }, [0]],
    [60_000, { claim: CLAIM }, [0, 60_000]],
  ])('ends a one-minute wait only when it is longer (%i ms)', async (retryAfterMs, ended, polls) => {
    const { end, seen } = waiting([{ retryAfterMs }, { claim: CLAIM }], {
      maxWaitMs: 60_000,
      random: () => 1,
    });
    expect({ end: await end(), polls: seen.polls }).toEqual({ end: ended, polls });
  });
});

describe('a poll that fails', () => {
  it('is repeated and reported once, and the last poll decides how the wait ends', async () => {
    const { end, seen } = waiting([DOWN, DOWN, {}], { maxWaitMs: 25_000 });
    expect(await end()).toEqual({ ended: 'no-work' });
    expect(seen.said).toEqual([
      `warning: ${withEntry('no network', 'PRA-CLOUD-01')}`,
      'debug: no network',
      'info: Polling works again after 2 failures in 20 s.',
    ]);
    expect(seen).toMatchObject({ polls: [0, 10_000, 20_000, 25_000], answers: 2 });
  });

  it('because it is refused ends the wait of a single run', async () => {
    const failure = new AuthError('HTTP 403', { code: 'PRA-CLOUD-01' });
    const { end, seen } = waiting([{}, failure], { maxWaitMs: 20_000 });
    await expect(end()).rejects.toBe(failure);
    expect(seen.said).toEqual([]);
  });

  it('with an open circuit breaker ends a single run', async () => {
    const { end, seen } = waiting([DOWN], { maxWaitMs: 300_000, isHeldBack: () => true });
    await expect(end()).rejects.toBe(DOWN);
    expect(seen.polls).toEqual([0]);
  });
});

describe('a poll whose answer is lost', () => {
  const LOST = new LostClaimError('lost', { code: 'PRA-CLOUD-12', wasSent: true, retryAfterMs: 0 });
  const told = `warning: ${withEntry('lost', 'PRA-CLOUD-12')}`;

  it('is followed by the next one after the interval, whatever the answer asks for', async () => {
    const { end, seen } = waiting([LOST, {}, LOST, { claim: CLAIM }]);
    expect(await end()).toEqual({ claim: CLAIM });
    expect(seen.polls).toEqual([0, 10_000, 20_000, 30_000]);
    expect(seen.said.filter((line) => line.startsWith('warning'))).toEqual([told, told]);
  });

  it.each([[LOST], [DOWN, LOST]])('ends a single run when it is the second in a row', async (...more) => {
    const { end, seen } = waiting([LOST, ...more, { claim: CLAIM }], { outlastsOutages: true });
    await expect(end()).rejects.toBe(LOST);
    expect(seen.polls).toHaveLength(1 + more.length);
    expect(seen.said.filter((line) => line === told)).toHaveLength(1);
  });

  it('is the last one when the time is up before the interval is', async () => {
    const { end, seen } = waiting([LOST, { claim: CLAIM }], { maxWaitMs: 5_000 });
    await expect(end()).rejects.toBe(LOST);
    expect(seen.polls).toEqual([0]);
  });

  it('does not end a lasting agent, which says once in a row of them that a deployment may be lost', async () => {
    const { end, seen } = waiting([LOST, LOST, LOST, { claim: CLAIM }], { singleRun: false });
    expect(await end()).toEqual({ claim: CLAIM });
    expect(seen.polls).toEqual([0, 10_000, 20_000, 30_000]);
    expect(seen.said.filter((line) => line === told)).toHaveLength(1);
  });
});

it.each([true, false])(
  'a poll that brings what may be a claim ends the wait (single run: %s)',
  async (singleRun) => {
    const failure = new UnreadableClaimError('no claim', { code: 'PRA-CLOUD-03' });
    const { end, seen } = waiting([failure, { claim: CLAIM }], { singleRun });
    await expect(end()).rejects.toBe(failure);
    expect(seen.polls).toEqual([0]);
  },
);

describe('a place where jobs run that does not answer', () => {
  const AWAY = new ExecutorUnavailableError('no engine', { code: 'PRA-DOCKER-01' });
  /** Fails as often as `times` says, then answers. */
  const awayFor = (times: number) => {
    let probes = 0;
    return async () => {
      probes += 1;
      if (probes <= times) throw AWAY;
    };
  };

  it.each([true, false])(
    'keeps an agent (single run: %s) from polling, and is reported once',
    async (singleRun) => {
      const { end, seen } = waiting([{}, { claim: CLAIM }], { probe: awayFor(3), singleRun });
      expect(await end()).toEqual({ claim: CLAIM });
      expect(seen).toMatchObject({ polls: [30_000, 40_000], answers: 2, waits: [10] });
      expect(seen.said).toEqual([
        `warning: ${withEntry('no engine', 'PRA-DOCKER-01')}`,
        ...Array(2).fill('debug: no engine'),
        'info: The place works again after 3 failures in 30 s.',
      ]);
    },
  );

  it('is how the wait ends when its time is up', async () => {
    const { end, seen } = waiting([{ claim: CLAIM }], { probe: awayFor(99), maxWaitMs: 25_000 });
    await expect(end()).rejects.toBe(AWAY);
    expect(seen.polls).toEqual([]);
  });

  it('does not keep an agent that is to claim nothing more', async () => {
    const probe = (signal: AbortSignal) =>
      new Promise<void>((_, reject) => signal.addEventListener('abort', reject));
    const { drain, result, seen } = waiting([{ claim: CLAIM }], { probe });
    await settled();
    drain.abort(DRAINING);
    expect(await result).toEqual({ ended: 'drained' });
    expect({ polls: seen.polls, said: seen.said }).toEqual({ polls: [], said: [] });
  });
});

describe('a lasting agent', () => {
  const REFUSED = new AuthError('HTTP 401', { code: 'PRA-CLOUD-01' });
  const lasting = { singleRun: false };

  it.each([REFUSED, new TypeError('a bug')])(
    'backs off to five minutes while it is refused: %s',
    async (failure) => {
      const { clock, seen, end } = waiting(
        [...Array(8).fill(failure), {}, { claim: CLAIM }] as never,
        lasting,
      );
      expect(await end()).toEqual({ claim: CLAIM });
      expect(clock.sleeps.map((ms) => ms / 1000)).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 10]);
      expect(seen.said.filter((line) => !line.startsWith('debug: '))).toEqual([
        `warning: ${withEntry(failure.message, codeOf(failure))}`,
        'info: Polling works again after 8 failures in 1210 s.',
      ]);
    },
  );

  it('never polls more often than configured, however long it backs off', async () => {
    const { clock, end } = waiting([REFUSED, REFUSED, { claim: CLAIM }], {
      ...lasting,
      pollingIntervalMs: 900_000,
    });
    await end();
    expect(clock.sleeps).toEqual([900_000, 900_000]);
  });

  it('polls an unreachable service as often as ever, whether or not its circuit breaker is open', async () => {
    const rests = [false, true, false];
    const isHeldBack = () => rests.shift() === true;
    const { clock, end } = waiting([DOWN, DOWN, DOWN, { claim: CLAIM }], { ...lasting, isHeldBack });
    await end();
    expect(clock.sleeps).toEqual([10_000, 10_000, 10_000]);
  });

  it('ends with the last failure when its time is up', async () => {
    const { end, seen } = waiting([REFUSED], { ...lasting, maxWaitMs: 25_000 });
    await expect(end()).rejects.toBe(REFUSED);
    expect(seen.polls).toEqual([0, 10_000, 25_000]);
  });

  it('ends at once for a bad configuration', async () => {
    const failure = new OutcomeError('config-error', 'no such key', { code: 'PRA-CONFIG-01' });
    await expect(waiting([failure], lasting).end()).rejects.toBe(failure);
  });

  it('that waits again observes the pause that Pulumi Cloud asked for with the claim', async () => {
    const { work, end, seen, clock } = waiting([{ claim: CLAIM, retryAfterMs: 45_000 }, {}], {
      ...lasting,
      maxWaitMs: 0,
    });
    await end();
    clock.pass(5_000);
    expect(await end(work.forWork())).toEqual({ ended: 'no-work' });
    expect(seen.polls).toEqual([0, 45_000]);
  });
});

describe('a request to claim nothing more', () => {
  it.each<[string, PollResult | Error, WaitEnd]>([
    ['a claim is still served', { claim: CLAIM }, { claim: CLAIM }],
    ['no work ends the wait', {}, { ended: 'drained' }],
    ['a failure ends the wait', DOWN, { ended: 'drained' }],
  ])('during a poll waits for its answer: %s', async (_, answer, expected) => {
    const pending = Promise.withResolvers<PollResult>();
    const { drain, result, seen } = waiting([pending.promise]);
    await settled();
    drain.abort(DRAINING);
    if (answer instanceof Error) pending.reject(answer);
    else pending.resolve(answer);
    expect(await result).toEqual(expected);
    expect(seen.polls).toEqual([0]);
  });
});
