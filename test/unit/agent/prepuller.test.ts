import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Prepuller } from '../../../src/agent/prepuller.ts';
import { ImageError } from '../../../src/executor/executor.ts';

const HOUR = 3_600_000;

/** A prepuller whose pulls the test ends. */
function puller(images: readonly string[]) {
  let now = 0;
  const pulls: (PromiseWithResolvers<string> & { image: string; signal: AbortSignal })[] = [];
  const said: string[] = [];
  const drain = new AbortController();
  const prepull = (image: string, _: unknown, signal: AbortSignal) => {
    const pull = { ...Promise.withResolvers<string>(), image, signal };
    signal.addEventListener('abort', () => pull.reject(signal.reason));
    pulls.push(pull);
    return pull.promise;
  };
  const prepuller = new Prepuller({
    images,
    policy: undefined,
    executor: { prepull },
    clock: { now: () => now, steady: () => now },
    drain: drain.signal,
    say: (level, message) => {
      if (level !== 'debug') said.push(message);
    },
  });
  return { prepuller, pulls, said, drain, pass: (ms: number) => (now += ms) };
}

describe('while an agent waits', () => {
  it('images are pulled one after the other, and again after an hour', async () => {
    const { prepuller, pulls, said, pass } = puller(['a', 'b']);
    const names = () => pulls.map(({ image }) => image);
    prepuller.begin();
    prepuller.begin();
    expect(names()).toEqual(['a']);
    pulls[0]?.resolve('a@sha256:1');
    await setImmediate();
    prepuller.begin();
    expect(names()).toEqual(['a', 'b']);
    pulls[1]?.resolve('b@sha256:2');
    await setImmediate();
    pass(HOUR - 1);
    prepuller.begin();
    expect(names()).toEqual(['a', 'b']);
    pass(1);
    prepuller.begin();
    expect(names()).toEqual(['a', 'b', 'a']);
    expect(said).toEqual(
      ['a@sha256:1', 'b@sha256:2'].map((image) => `Image ${image} is ready for the next job.`),
    );
  });

  it('a failed pull warns once, holds up no other image, and is retried after a minute', async () => {
    const { prepuller, pulls, said, pass } = puller(['a', 'b']);
    for (let round = 0; round < 3; round += 1) {
      prepuller.begin();
      pulls.at(-1)?.reject(new ImageError('Failed to pull a.', { code: 'PRA-IMAGE-03' }));
      await setImmediate();
      expect(pulls.at(-1)?.image).toBe('b');
      pulls.at(-1)?.resolve('b');
      await setImmediate();
      pass(59_999);
      prepuller.begin();
      expect(pulls).toHaveLength(2 * round + 2);
      pass(1);
    }
    expect(said.filter((line) => !line.startsWith('Image b'))).toEqual([
      expect.stringMatching(
        /^An image could not be pulled in advance; a job that needs it will try again. Failed to pull a\. See PRA-IMAGE-03/,
      ),
    ]);
  });

  it('a job interrupts the round, and the next wait continues with what is left', async () => {
    const { prepuller, pulls, said } = puller(['a', 'b']);
    prepuller.begin();
    prepuller.rest();
    pulls[0]?.reject(new Error('a job needs the network'));
    await setImmediate();
    expect(pulls).toHaveLength(1);
    prepuller.begin();
    expect(pulls.map(({ image }) => image)).toEqual(['a', 'a']);
    expect(said).toEqual([]);
  });

  it('a stop aborts the pull, and no other begins', async () => {
    const { prepuller, pulls, said, drain } = puller(['a', 'b']);
    prepuller.begin();
    drain.abort(new Error('stop'));
    await setImmediate();
    prepuller.begin();
    expect(pulls.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(said).toEqual([]);
  });
});
