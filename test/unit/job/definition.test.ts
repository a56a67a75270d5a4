import { describe, expect, it } from 'vitest';
import { CloudRefusedError, CloudUnreachableError, JobDefinitionError } from '../../../src/cloud/errors.ts';
import type { JobDefinition } from '../../../src/cloud/wire.ts';
import { readDefinition } from '../../../src/job/definition.ts';
import { StopSource } from '../../../src/job/stop.ts';
import { driven } from './driven.ts';
import { ManualClock } from './manual-clock.ts';

const DEFINITION = { steps: [] } as unknown as JobDefinition;

/** Asks for a definition that fails by `error` until `comesAfter` milliseconds have passed. */
async function asked(error: Error, comesAfter: number, stopAfter?: number) {
  const clock = new ManualClock();
  const stop = new StopSource();
  const said: string[] = [];
  const started = clock.steady();
  const api = {
    definition: () => {
      const passed = clock.steady() - started;
      if (stopAfter !== undefined && passed >= stopAfter) stop.request({ by: 'signal', reason: 'asked to stop' });
      return passed >= comesAfter ? Promise.resolve(DEFINITION) : Promise.reject(error);
    },
  };
  const say = (level: string, message: string) => void (level === 'debug' || said.push(`${level}: ${message}`));
  const reading = readDefinition({ api, clock, stop, say }).catch((failure: Error) => failure);
  const minutes = (await driven(clock, reading)) / 60_000;
  return { result: await reading, minutes, said };
}

describe('a definition', () => {
  it.each([
    new CloudUnreachableError('Failed to read: HTTP 503.', { status: 503 }),
    ...[401, 403, 404, 410, 501].map((status) => new CloudRefusedError(status, `Failed to read: HTTP ${status}.`)),
  ])('is asked for until it comes: %s', async (error) => {
    const { result, minutes, said } = await asked(error, 7 * 60_000);
    expect(result).toBe(DEFINITION);
    expect(minutes).toBeLessThanOrEqual(7.5);
    expect(said).toEqual([
      `warning: ${error.message}`,
      expect.stringMatching(/^info: Reading the job definition works again after \d+ failures in \d+ s\.$/),
    ]);
  });

  it('is asked for during 8 minutes at most: as long as a claim lasts without a heartbeat', async () => {
    const { result, minutes } = await asked(new CloudUnreachableError('Failed to read: HTTP 503.'), Infinity);
    expect(result).toBeInstanceOf(JobDefinitionError);
    expect(result).toMatchObject({
      message: expect.stringMatching(/^Failed to read: HTTP 503\. It was asked for during 8/),
    });
    expect(minutes).toBeGreaterThanOrEqual(8);
    expect(minutes).toBeLessThanOrEqual(8.5);
  });

  it('is not asked for again when it came and can’t be run', async () => {
    const { result, minutes } = await asked(new JobDefinitionError('no steps'), 60_000);
    expect([result, minutes]).toEqual([new JobDefinitionError('no steps'), 0]);
  });

  it('is asked for no more once the run is to stop', async () => {
    const { result } = await asked(new CloudUnreachableError('HTTP 503'), Infinity, 10_000);
    expect(result).toMatchObject({ name: 'StopRequested', stop: { reason: 'asked to stop' } });
  });
});
