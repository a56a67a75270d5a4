import { expect, it } from 'vitest';
import { removeContainer } from '../../../src/job/removal.ts';
import { driven } from '../../support/job/driven.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

/** Removes a container after `failures` failed tries. Returns what is left and when each try came, in milliseconds. */
async function removed(failures: number) {
  const clock = new ManualClock();
  const tried: number[] = [];
  const remove = async () => {
    tried.push(clock.steady());
    if (tried.length <= failures) throw new Error('busy');
  };
  const removal = removeContainer({ remove }, clock);
  await driven(clock, removal);
  return { left: await removal, tried: tried.map((at) => at - (tried[0] ?? 0)) };
}

it('a failed removal is retried, and nothing is reported if that helps', async () => {
  expect(await removed(2)).toEqual({ left: undefined, tried: [0, 1_000, 6_000] });
});

it('a removal that keeps failing says why', async () => {
  expect(await removed(9)).toEqual({ left: 'busy', tried: [0, 1_000, 6_000] });
});
