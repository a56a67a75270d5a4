import { describe, expect, it } from 'vitest';
import { prepareWithRetries } from '../../../../src/agent/job/container.ts';
import {
  ContainerError,
  type ContainerSpec,
  type Executor,
  ExecutorUnavailableError,
  ImageError,
  type JobContainer,
} from '../../../../src/executor/executor.ts';
import { driven } from '../../../support/job/driven.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

const container = { id: 'c' } as JobContainer;
const spec: ContainerSpec = {
  ...{ image: 'i', pull: true, files: [], environmentFile: '/e', labels: { job: '7' } },
};
const away = () => new ExecutorUnavailableError('Failed to reach it.', { code: 'PRA-DOCKER-01' });
const pruned = () =>
  new ContainerError('Failed to start it: No such container.', { code: 'PRA-CONTAINER-01', mayPass: true });

/** Prepares with an executor whose tries end so, one after the other; the last again and again. */
function prepared(ends: readonly (Error | JobContainer)[], probe: Executor['probe'] = async () => undefined) {
  const clock = new ManualClock();
  const stop = new AbortController();
  const seen: string[] = [];
  let tries = 0;
  const executor = {
    prepare: async () => {
      seen.push('prepare');
      const end = ends[Math.min(tries, ends.length - 1)];
      tries += 1;
      if (end instanceof Error) throw end;
      return end;
    },
    sweep: async (labels: object) => {
      seen.push(`sweep ${JSON.stringify(labels)}`);
      return [];
    },
    probe,
  } as unknown as Executor;
  const lines: string[] = [];
  const notices: string[] = [];
  const preparing = prepareWithRetries({
    ...{ executor, spec, clock, signal: stop.signal },
    progress: async (line) => void lines.push(line),
    say: (_, message) => notices.push(message),
  });
  preparing.catch(() => undefined);
  return { preparing, clock, stop, seen, lines, notices };
}

const AGAIN = ['sweep {"job":"7"}', 'prepare'];

describe('a preparation', () => {
  it.each([
    ['the executor was away', away()],
    ['something took the container away', pruned()],
  ])('that failed because %s is repeated, after what it left was removed', async (_, error) => {
    const { preparing, clock, seen, lines, notices } = prepared([error, container]);
    await driven(clock, preparing);
    expect(await preparing).toBe(container);
    expect(seen).toEqual(['prepare', ...AGAIN]);
    expect(lines).toEqual([expect.stringMatching(/No step has begun: preparing the container again\.$/)]);
    expect(notices).toEqual(lines);
  });

  it('is repeated twice at most', async () => {
    const { preparing, clock, seen } = prepared([pruned()]);
    await driven(
      clock,
      preparing.catch(() => undefined),
    );
    await expect(preparing).rejects.toThrow('No such container');
    expect(seen).toEqual(['prepare', ...AGAIN, ...AGAIN]);
  });

  it.each([
    ['a registry', new ImageError('Failed to pull it: denied.', { code: 'PRA-IMAGE-03' })],
    ['the engine', new ContainerError('Failed to start it: no shell.', { code: 'PRA-CONTAINER-01' })],
  ])('that %s refused is final at once', async (_, error) => {
    const { preparing, seen, lines } = prepared([error, container]);
    await expect(preparing).rejects.toBe(error);
    expect({ seen, lines }).toEqual({ seen: ['prepare'], lines: [] });
  });

  it('waits until the executor answers again, for three minutes at most', async () => {
    let looks = 0;
    const back = prepared([away(), container], async () => {
      looks += 1;
      if (looks < 100) throw away();
    });
    expect(await driven(back.clock, back.preparing)).toBe(100_000);
    const gone = prepared([away(), container], () => Promise.reject(away()));
    expect(
      await driven(
        gone.clock,
        gone.preparing.catch(() => undefined),
      ),
    ).toBe(180_000);
    await expect(gone.preparing).rejects.toThrow('Failed to reach it.');
    expect(gone.seen).toEqual(['prepare']);
  });

  it('ends at once when the job is stopped meanwhile', async () => {
    const { preparing, clock, stop, seen } = prepared([away()], () => Promise.reject(away()));
    await clock.asleep();
    stop.abort(new Error('cancelled'));
    await expect(preparing).rejects.toThrow('cancelled');
    expect(seen).toEqual(['prepare']);
  });
});
