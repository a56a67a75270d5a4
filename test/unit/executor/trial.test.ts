import { describe, expect, it } from 'vitest';
import type { Fault } from '../../../src/base/outcome.ts';
import {
  ContainerError,
  type Executor,
  ImageError,
  type JobContainer,
} from '../../../src/executor/executor.ts';
import { trialOn } from '../../../src/executor/trial.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { hurryTimer } from '../../support/job/held-timer.ts';

const { signal } = new AbortController();

const fails = (fault: Fault, mayPass = false) =>
  new ContainerError(`a fault of ${fault}`, { code: 'PRA-CONTAINER-01', fault, mayPass });
const isLost = fails('executor', true);
const missing = new ImageError('it is not there', { code: 'PRA-IMAGE-04', fault: 'deployment' });
const hangs = 'hangs' as const;
const starts = undefined;

/** Tries the image `theirs` of a deployment, then `ours` of the runner's, whose containers end so. */
async function tried(ends: Readonly<Record<string, Error | 'hangs' | undefined>>) {
  const asked: string[] = [];
  const executor = {
    check: async () => 'an engine',
    prepare: async (spec, _, inner) => {
      asked.push(spec.image);
      const end = ends[spec.image];
      if (end === hangs)
        await new Promise((_resolve, reject) => inner.addEventListener('abort', () => reject(inner.reason)));
      if (end instanceof Error) throw end;
      return { remove: async () => undefined } as JobContainer;
    },
  } as Partial<Executor> as Executor;
  const config = configOf({ token: 'pul-1', image: 'ours' });
  const result = await trialOn(executor, config)('theirs', signal).catch((error: Error) => error.message);
  return { result, asked };
}

const BOTH = ['theirs', 'ours'];

describe('a trial', () => {
  it.each([
    ['passes with the deployment’s image', { theirs: starts }, true, ['theirs']],
    ['passes with the runner’s own', { theirs: missing, ours: starts }, true, BOTH],
    [
      'is of no deployment’s image that looks like a fault',
      { theirs: fails('executor'), ours: starts },
      true,
      BOTH,
    ],
    ['proves nothing by a deployment’s image that is lost', { theirs: isLost, ours: missing }, false, BOTH],
    ['proves nothing by a deployment’s image that hangs', { theirs: hangs, ours: missing }, false, BOTH],
    ['is of no deployment’s image that hangs', { theirs: hangs, ours: starts }, true, BOTH],
    ['proves nothing with images that aren’t there', { theirs: missing, ours: missing }, false, BOTH],
    [
      'proves nothing by the deployment’s image alone',
      { theirs: fails('deployment'), ours: missing },
      false,
      BOTH,
    ],
    [
      'fails where no container is left to show more',
      { theirs: fails('executor'), ours: missing },
      'a fault of executor',
      BOTH,
    ],
    [
      'fails with the runner’s own image',
      { theirs: missing, ours: fails('executor') },
      'a fault of executor',
      BOTH,
    ],
    ['fails if the runner’s own is lost', { theirs: missing, ours: isLost }, 'a fault of executor', BOTH],
    // A deployment of another platform can have moved its tag.
    [
      'proves nothing by the runner’s own image that can’t run',
      { theirs: missing, ours: fails('deployment') },
      false,
      BOTH,
    ],
    [
      'fails if the runner’s own hangs',
      { theirs: missing, ours: hangs },
      expect.stringContaining('within 120 s'),
      BOTH,
    ],
  ])('%s', async (_, ends, result, asked) => {
    if (Object.values(ends).some((end) => end === hangs)) hurryTimer(120_000);
    expect(await tried(ends)).toEqual({ result, asked });
  });
});
