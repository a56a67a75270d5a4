import { describe, expect, it } from 'vitest';
import { ClaimPause } from '../../../src/agent/claim-pause.ts';
import type { JobEnd } from '../../../src/agent/job/job-end.ts';
import type { Fault } from '../../../src/base/outcome.ts';
import { ContainerError } from '../../../src/executor/executor.ts';
import { driven } from '../../support/job/driven.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

const REFUSED = new ContainerError('no space left', { code: 'PRA-CONTAINER-01' });
const MINUTE = 60_000;

const ENDED: Omit<JobEnd, 'outcome'> = { message: 'm', reported: true, steps: [], forwarded: [] };
const well: JobEnd = { ...ENDED, outcome: 'succeeded', imageDigest: 'i@sha256:0' };
const failed = (fault: Fault): JobEnd => ({
  ...ENDED,
  outcome: 'target-error',
  code: 'PRA-CONTAINER-01',
  fault,
  image: 'acme/job:1',
});

/** A pause whose trials get these results in turn, the last one over and over. */
function paused(trials: readonly (boolean | Error)[] = [true], maxWaitMs?: number) {
  const clock = new ManualClock();
  const began = clock.steady();
  const ends = new AbortController();
  const seen = {
    trials: [] as number[],
    images: [] as (string | undefined)[],
    said: [] as string[],
    health: [] as string[],
  };
  const pause = new ClaimPause({
    config: { pollingIntervalMs: MINUTE, ...(maxWaitMs !== undefined && { maxWaitMs }) },
    clock,
    random: () => 0,
    say: (level, text) => void (level !== 'debug' && seen.said.push(`${level}: ${text}`)),
    health: {
      pause: (code) => seen.health.push(`paused ${code}`),
      resume: () => seen.health.push('resumed'),
    },
    trial: async (image) => {
      const result = trials[Math.min(seen.trials.length, trials.length - 1)]!;
      seen.trials.push(clock.steady() - began);
      seen.images.push(image);
      if (result instanceof Error) throw result;
      return result;
    },
  });
  /** Ends a job so, and returns the milliseconds until claiming goes on. */
  const pauseAfter = async (end: JobEnd): Promise<number> => {
    pause.ended(end);
    const since = clock.steady();
    const over = pause.over(ends.signal);
    over.catch(() => undefined);
    await driven(clock, over);
    await over;
    return clock.steady() - since;
  };
  return { pauseAfter, seen, clock, pause, ends };
}
describe('claiming', () => {
  it.each([well, failed('deployment'), { ...ENDED, outcome: 'failed' } satisfies JobEnd])(
    'goes on at once after an end that was not the runner’s fault: %j',
    async (end) => {
      const { pauseAfter, seen } = paused();
      expect(await pauseAfter(end)).toBe(0);
      expect(seen).toEqual({ trials: [], images: [], said: [], health: [] });
    },
  );

  it('goes on once a trial container starts, from the job’s image first', async () => {
    const { pauseAfter, seen } = paused([REFUSED, REFUSED, true]);
    expect(await pauseAfter(failed('executor'))).toBe(15_000);
    expect(seen).toEqual({
      trials: [0, 5_000, 15_000],
      images: Array(3).fill('acme/job:1'),
      said: [
        expect.stringMatching(/^warning: Claiming pauses until a trial container starts: .*PRA-CONTAINER-01/),
        'info: Claiming resumes after 15 seconds: 3 trials made.',
      ],
      health: ['paused PRA-CONTAINER-01', 'resumed'],
    });
  });

  it('waits between trials for at most 5 minutes', async () => {
    const { pauseAfter, seen } = paused([...Array(9).fill(REFUSED), true]);
    await pauseAfter(failed('executor'));
    const waits = seen.trials.slice(1).map((at, index) => (at - seen.trials[index]!) / 1000);
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it('is proven by the next claim where no trial can: one a pause, which doubles up to 10 minutes', async () => {
    const { pauseAfter, seen } = paused();
    const pauses: number[] = [];
    for (let faults = 1; faults <= 6; faults += 1)
      pauses.push((await pauseAfter(failed('elsewhere'))) / MINUTE);
    expect(pauses).toEqual([1, 2, 4, 8, 10, 10]);
    expect(seen.trials).toEqual([]);
    expect(seen.said).toHaveLength(12);
    expect(seen.said[0]).toMatch(
      /^warning: Claiming pauses for 60 seconds, then the next deployment shows whether the fault lasts:/,
    );
  });

  it('is not proven by a deployment that needed nothing, but by one that got its container', async () => {
    const { pauseAfter } = paused();
    await pauseAfter(failed('elsewhere'));
    await pauseAfter({ ...ENDED, outcome: 'refused' });
    expect(await pauseAfter(failed('elsewhere'))).toBe(2 * MINUTE);
    await pauseAfter({ ...well, outcome: 'failed' });
    expect(await pauseAfter(failed('elsewhere'))).toBe(MINUTE);
  });

  it('pauses too when the executor fails again right after a trial that passed', async () => {
    const { pauseAfter, seen } = paused([true]);
    expect(await pauseAfter(failed('executor'))).toBe(0);
    expect(await pauseAfter(failed('executor'))).toBe(2 * MINUTE);
    expect(seen.trials).toEqual([0, 2 * MINUTE]);
  });

  it('pauses where no image for a trial is there', async () => {
    const { pauseAfter, seen } = paused([REFUSED, false]);
    expect(await pauseAfter(failed('executor'))).toBe(5_000 + MINUTE);
    expect(seen.said.at(-1)).toBe(
      'info: Claiming resumes after 65 seconds: the next deployment shows whether the fault is gone.',
    );
  });

  it('ends with the trial’s failure when max_wait is over', async () => {
    const { pauseAfter, seen } = paused([REFUSED], 30_000);
    await expect(pauseAfter(failed('executor'))).rejects.toBe(REFUSED);
    expect(seen.trials).toEqual([0, 5_000, 15_000]);
    expect(seen.health.at(-1)).toBe('resumed');
  });

  it('ends at once when nothing more may be claimed', async () => {
    const { pause, seen, ends, clock } = paused([REFUSED]);
    pause.ended(failed('executor'));
    const over = pause.over(ends.signal);
    await clock.next();
    ends.abort();
    await over;
    expect(seen.health).toEqual(['paused PRA-CONTAINER-01', 'resumed']);
    expect(seen.said).toHaveLength(1);
  });
});
