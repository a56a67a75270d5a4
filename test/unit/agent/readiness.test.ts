import { describe, expect, it } from 'vitest';
import { Readiness } from '../../../src/agent/readiness.ts';
import type { Executor } from '../../../src/executor/executor.ts';
import { ExecutorUnavailableError } from '../../../src/executor/executor.ts';
import { driven } from '../../support/job/driven.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';

type Options = ConstructorParameters<typeof Readiness>[0];

const STARTING = new ExecutorUnavailableError('Failed to reach the engine: the socket does not exist.', {
  code: 'PRA-DOCKER-01',
  mayBeStarting: true,
});
const DENIED = new ExecutorUnavailableError("Failed to reach the engine: this user can't use the socket.", {
  code: 'PRA-DOCKER-01',
});

/** Proves an executor that can be used from `readyMs` on, and fails with `error` before; a check takes `takesMs`. */
async function proved(
  error: Error,
  readyMs: number,
  { takesMs = 0, ...config }: { takesMs?: number; singleRun?: boolean; maxWaitMs?: number } = {},
) {
  const clock = new ManualClock();
  const began = clock.steady();
  const said: string[] = [];
  const executor = {
    name: 'docker',
    check: async () => {
      clock.pass(takesMs);
      if (clock.steady() - began < readyMs) throw error;
      return 'Docker Engine';
    },
  } as unknown as Executor;
  const readiness = new Readiness({
    config: { singleRun: true, ...config },
    executor,
    clock,
    // Nothing but the engine is late.
    health: { listen: async () => 'http://127.0.0.1:1' },
    tokens: { method: 'static', get: async () => 'pul-1' },
    trial: async () => false,
    log: () => undefined,
    event: () => undefined,
    say: (level: string, text: string) => void said.push(`${level}: ${text}`),
    random: () => 0,
    drain: new AbortController().signal,
  } as unknown as Options);
  const proof = readiness.prove();
  const ms = await driven(clock, proof);
  const [{ status }] = await Promise.allSettled([proof]);
  return { status, ms, said };
}

describe('a single run whose engine is late', () => {
  it('waits for it, whatever max_wait is, and says so once', async () => {
    for (const maxWaitMs of [undefined, 5_000]) {
      const { status, ms, said } = await proved(
        STARTING,
        45_000,
        maxWaitMs === undefined ? {} : { maxWaitMs },
      );
      expect({ status, ms }).toEqual({ status: 'fulfilled', ms: 45_000 });
      expect(said).toEqual([
        'info: Waiting up to 60 s for an engine that may be starting. Failed to reach the engine: the socket does not exist.',
      ]);
    }
  });

  it('gives up after a minute, also when each check hangs', async () => {
    expect(await proved(STARTING, Number.POSITIVE_INFINITY)).toMatchObject({
      status: 'rejected',
      ms: 60_000,
    });
    const hanging = await proved(STARTING, Number.POSITIVE_INFINITY, { takesMs: 10_000 });
    expect(hanging.status).toBe('rejected');
    expect(hanging.ms).toBeLessThanOrEqual(70_000);
  });

  it('ends at once when the engine refuses it', async () => {
    expect(await proved(DENIED, 1_000)).toEqual({ status: 'rejected', ms: 0, said: [] });
  });
});

it('a lasting agent’s max_wait leaves a starting engine its minute, and a refusal none', async () => {
  const lasting = { singleRun: false, maxWaitMs: 8_000 };
  expect(await proved(STARTING, 30_000, lasting)).toMatchObject({ status: 'fulfilled' });
  expect(await proved(DENIED, 30_000, lasting)).toMatchObject({ status: 'rejected' });
});
