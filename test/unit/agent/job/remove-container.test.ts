import { describe, expect, it } from 'vitest';
import { removeContainer } from '../../../../src/agent/job/container.ts';
import { NEVER } from '../../../../src/base/clock.ts';
import { driven } from '../../../support/job/driven.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

/** Removes a container by `remove`. Returns what is left, when each try came and when it was over, in milliseconds. */
async function removed(remove: (tries: number) => Promise<void>, skipAt?: number) {
  const clock = new ManualClock();
  const since = clock.steady();
  const tried: number[] = [];
  const skipGrace = new AbortController();
  const container = {
    id: 'c0ffee',
    remove: () => {
      tried.push(clock.steady() - since);
      return remove(tried.length);
    },
  };
  if (skipAt !== undefined) void clock.sleep(skipAt, NEVER).then(() => skipGrace.abort());
  const removal = removeContainer(container, clock, skipGrace.signal);
  await driven(clock, removal);
  return { left: await removal, tried, over: clock.steady() - since };
}
const failing = (failures: number) => async (tries: number) => {
  if (tries <= failures) throw new Error('busy');
};

describe('a removal that fails', () => {
  it('is retried, and nothing is reported if that helps', async () => {
    expect(await removed(failing(2))).toMatchObject({ left: undefined, tried: [0, 1_000, 6_000] });
  });

  it('and keeps failing says why', async () => {
    expect(await removed(failing(9))).toMatchObject({ left: 'busy', tried: [0, 1_000, 6_000] });
  });

  it('is retried at once when the agent must end', async () => {
    expect(await removed(failing(2), 2_000)).toMatchObject({ left: undefined, tried: [0, 1_000, 2_000] });
  });
});

it.each([0, 20_000])('a removal that hangs ends 3 seconds after the agent must (%s ms)', async (skipAt) => {
  const { left, over } = await removed(() => new Promise(() => undefined), skipAt);
  expect(left).toMatch(
    /^Failed to remove container c0ffee for the job: the agent had to end first\. The container ends by itself/,
  );
  expect(over).toBe(skipAt + 3_000);
});
