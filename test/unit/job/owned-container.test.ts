import { expect, it } from 'vitest';
import type { JobContainer } from '../../../src/executor/executor.ts';
import { OwnedContainer } from '../../../src/job/owned-container.ts';
import { driven } from '../../support/job/driven.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

/** A prepared container whose removal fails so often, and when its removals were tried: milliseconds from the first. */
async function container(failures: number) {
  const clock = new ManualClock();
  const tried: number[] = [];
  const job: JobContainer = {
    id: 'c',
    imageDigest: 'i@sha256:0',
    start: () => Promise.reject(new Error('no')),
    readEnvironmentFile: () => Promise.resolve(''),
    remove: () => {
      tried.push(clock.steady());
      return tried.length > failures ? Promise.resolve() : Promise.reject(new Error('busy'));
    },
  };
  const target = {
    name: 'test',
    check: () => Promise.resolve(''),
    prepare: () => Promise.resolve(job),
    sweep: () => Promise.resolve([]),
    close: () => Promise.resolve(),
  };
  const owned = new OwnedContainer({ target, pullImage: true, labels: {}, clock });
  const wanted = { image: 'i', files: [], environmentFile: '/PULUMI_ENV' };
  await owned.prepare(wanted, () => Promise.resolve(), new AbortController().signal);
  const removal = Promise.all([owned.remove(), owned.remove()]);
  await driven(clock, removal);
  return { left: await removal, tried: tried.map((at) => at - (tried[0] ?? 0)) };
}

it('a container is removed once, however often that is asked for', async () => {
  expect(await container(0)).toEqual({ left: [undefined, undefined], tried: [0] });
});

it('a removal that fails is tried again, and nothing is said where that helps', async () => {
  expect(await container(2)).toEqual({ left: [undefined, undefined], tried: [0, 1_000, 6_000] });
});

it('a removal that fails for good says what is left', async () => {
  expect(await container(9)).toEqual({ left: ['busy', 'busy'], tried: [0, 1_000, 6_000] });
});
