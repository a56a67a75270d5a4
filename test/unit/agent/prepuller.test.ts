import { describe, expect, it, vi } from 'vitest';
import { Prepuller } from '../../../src/agent/prepuller.ts';
import { ImageError } from '../../../src/executor/executor.ts';
import { jobOf } from './claimed-run.ts';
import { agentOf } from './cloud-agent.ts';

const HOUR = 3_600_000;

/** A target whose pulls end when a test says so. */
function puller(images: readonly string[]) {
  let now = 0;
  const pulls: { image: string; done: (line: string) => void; fail: (error: Error) => void; signal: AbortSignal }[] =
    [];
  const [pulled, troubles]: [string[], string[]] = [[], []];
  const drain = new AbortController();
  const prepull = (image: string, _: unknown, signal: AbortSignal) =>
    new Promise<string>((done, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason as Error));
      pulls.push({ image, done, fail, signal });
    });
  const prepuller = new Prepuller({
    images,
    policy: undefined,
    target: { prepull } as never,
    clock: { now: () => now, steady: () => now },
    drain: drain.signal,
    say: (level, message) => {
      if (level !== 'debug') (level === 'info' ? pulled : troubles).push(message);
    },
  });
  /** Lets promises settle. */
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return { prepuller, pulls, pulled, troubles, drain, settle, pass: (ms: number) => (now += ms) };
}

describe('while an agent waits', () => {
  it('images are pulled one after the other, and again after an hour', async () => {
    const { prepuller, pulls, pulled, settle, pass } = puller(['a', 'b']);
    const names = () => pulls.map(({ image }) => image);
    prepuller.waiting();
    prepuller.waiting();
    expect(names()).toEqual(['a']);
    pulls[0]?.done('a@sha256:1');
    await settle();
    prepuller.waiting();
    expect(names()).toEqual(['a', 'b']);
    pulls[1]?.done('b@sha256:2');
    await settle();
    pass(HOUR - 1);
    prepuller.waiting();
    expect(names()).toEqual(['a', 'b']);
    pass(1);
    prepuller.waiting();
    expect(names()).toEqual(['a', 'b', 'a']);
    expect(pulled).toEqual([
      'Image a@sha256:1 is there for the next job.',
      'Image b@sha256:2 is there for the next job.',
    ]);
  });

  it('trouble is told once, keeps nothing else from being pulled, and is tried again after a minute', async () => {
    const { prepuller, pulls, troubles, settle, pass } = puller(['a', 'b']);
    for (let round = 0; round < 3; round += 1) {
      prepuller.waiting();
      pulls.at(-1)?.fail(new ImageError('Failed to pull a.'));
      await settle();
      expect(pulls.at(-1)?.image).toBe('b');
      pulls.at(-1)?.done('b');
      await settle();
      pass(59_999);
      prepuller.waiting();
      expect(pulls).toHaveLength(2 * round + 2);
      pass(1);
    }
    expect(troubles).toEqual([
      'An image could not be pulled ahead; a job that wants it tries again. Failed to pull a.',
    ]);
  });

  it('a job ends the round, and the next wait goes on with what is left', async () => {
    const { prepuller, pulls, troubles, settle } = puller(['a', 'b']);
    prepuller.waiting();
    prepuller.rest();
    pulls[0]?.fail(new Error('a job needs the network'));
    await settle();
    expect(pulls).toHaveLength(1);
    prepuller.waiting();
    await settle();
    prepuller.rest();
    pulls[1]?.done('a');
    await settle();
    expect(pulls.map(({ image }) => image)).toEqual(['a', 'a']);
    expect(troubles).toEqual([]);
  });

  it('a stop ends the pull, and none begins after it', async () => {
    const { prepuller, pulls, troubles, drain, settle } = puller(['a', 'b']);
    prepuller.waiting();
    drain.abort(new Error('stop'));
    await settle();
    prepuller.waiting();
    expect(pulls).toHaveLength(1);
    expect(pulls[0]?.signal.aborted).toBe(true);
    expect(troubles).toEqual([]);
  });
});

describe('an agent', () => {
  it('polls and claims while an image is being pulled, which begins after the first poll', async () => {
    const pulling: string[] = [];
    const { agent, cloud, enqueue, target } = await agentOf({
      config: { prepull_images: 'acme/slow', max_wait: '20s' },
    });
    const polls = () => cloud.requests.filter(({ path }) => path.endsWith('/poll')).length;
    Object.assign(target, {
      prepull: (image: string) => {
        pulling.push(`${image} after ${polls()}`);
        return new Promise(() => undefined);
      },
    });
    const running = agent.run();
    await vi.waitFor(() => expect(polls()).toBeGreaterThanOrEqual(4), { timeout: 15_000 });
    const deployment = enqueue(jobOf('true'));
    expect(await running).toBe(0);
    expect(deployment.status).toBe('succeeded');
    expect(pulling).toEqual(['acme/slow after 1']);
  });

  it('pulls nothing where a job is there at once', async () => {
    const { agent, enqueue, target } = await agentOf({ config: { prepull_images: 'acme/app' } });
    const prepull = vi.fn();
    Object.assign(target, { prepull });
    enqueue(jobOf('true'));
    expect(await agent.run()).toBe(0);
    expect(prepull).not.toHaveBeenCalled();
  });

  it('ends before it polls when the image that replaces all others may not run', async () => {
    const { agent, cloud, enqueue, result } = await agentOf({
      config: { image: 'evil.com/pulumi/pulumi', allowed_images: 'pulumi/*', single_run: 'false' },
    });
    const deployment = enqueue(jobOf('true'));
    expect(await agent.run()).toBe(5);
    expect(deployment.status).toBe('not-started');
    expect(cloud.requests.filter(({ path }) => path.endsWith('/poll'))).toEqual([]);
    expect(await result()).toBeUndefined();
  });

  it('hands the policy and the cache to the target', async () => {
    const { agent, enqueue, target } = await agentOf({
      config: { allowed_images: 'pulumi/*', cache_volume: 'plugins=/root/.pulumi/plugins/' },
    });
    enqueue(jobOf('true'));
    expect(await agent.run()).toBe(0);
    const [spec] = target.specs;
    expect(spec?.cache).toEqual({ name: 'plugins', path: '/root/.pulumi/plugins', owner: 'static-token' });
    expect(() => spec?.policy?.check('evil.com/x')).toThrow(/is not allowed/);
  });
});
