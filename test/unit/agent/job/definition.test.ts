import { describe, expect, it } from 'vitest';
import { loginFor, readWork, workOf } from '../../../../src/agent/job/definition.ts';
import { StopSource } from '../../../../src/agent/job/stop.ts';
import { withEntry } from '../../../../src/base/error-codes.ts';
import {
  CloudRefusedError,
  CloudUnreachableError,
  JobDefinitionError,
} from '../../../../src/cloud/errors.ts';
import { parseJobDefinition } from '../../../../src/cloud/job-wire.ts';
import { driven } from '../../../support/job/driven.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

const code = 'PRA-CLOUD-06';
const DEFINITION = parseJobDefinition({ steps: [{}] }, 'j');

/** Asks for a definition; each try fails with `error` until `comesAfter` milliseconds have passed. */
async function asked(error: Error, comesAfter: number, stopAfter?: number) {
  const clock = new ManualClock();
  const stop = new StopSource();
  const said: string[] = [];
  const started = clock.steady();
  const api = {
    definition: () => {
      const passed = clock.steady() - started;
      if (stopAfter !== undefined && passed >= stopAfter)
        stop.request({ by: 'signal', reason: 'asked to stop' });
      return passed >= comesAfter ? Promise.resolve(DEFINITION) : Promise.reject(error);
    },
  };
  const say = (level: string, message: string) =>
    void (level === 'debug' || said.push(`${level}: ${message}`));
  const reading = readWork(api, stop, clock, say).catch((failure: Error) => failure);
  const minutes = (await driven(clock, reading)) / 60_000;
  return { result: await reading, minutes, said };
}

it.each([
  ['registry.acme.test/app:1', 'registry.acme.test/other@sha256:1', true],
  ['acme/app', 'docker.io/other/image', true],
  ['registry.acme.test/app', 'registry.acme.test:5000/app', false],
  ['registry.acme.test/app', 'acme/app', false],
  [undefined, 'pulumi/pulumi', true],
  [undefined, 'registry.acme.test/app', false],
])('the login of an image %s goes to no other registry than its own: %s', (image, chosen, goes) => {
  const credentials = { username: 'u', password: 'p' };
  expect(loginFor({ image, credentials }, chosen)).toEqual(goes ? credentials : undefined);
});

describe('a definition', () => {
  it.each([
    new CloudUnreachableError('Failed to read: HTTP 503.', { code, status: 503 }),
    new CloudRefusedError(404, 'Failed to read: HTTP 404.', { code }),
  ])('is requested until it arrives: %s', async (error) => {
    const { result, minutes, said } = await asked(error, 7 * 60_000);
    expect(result).toEqual(workOf(DEFINITION));
    expect(minutes).toBeLessThanOrEqual(7.5);
    expect(said).toEqual([
      `warning: ${withEntry(error.message, code)}`,
      expect.stringMatching(/^info: Reading the job definition works again after \d+ failures in \d+ s\.$/),
    ]);
  });

  it('is requested for at most 8 minutes, as long as a claim lasts without a heartbeat', async () => {
    const { result, minutes } = await asked(
      new CloudUnreachableError('Failed to read: HTTP 503.', { code }),
      Infinity,
    );
    const message =
      'Failed to read: HTTP 503. It could not be read for 8 minutes: start the deployment again.';
    expect(result).toMatchObject({
      ...{ name: 'JobDefinitionError', code: 'PRA-CLOUD-06', message },
      // The next one would be lost too, so claiming pauses.
      fault: 'elsewhere',
    });
    expect(minutes).toBeGreaterThanOrEqual(8);
    expect(minutes).toBeLessThanOrEqual(8.5);
  });

  it('is not requested again if it arrived but can’t be run', async () => {
    const { result, minutes } = await asked(new JobDefinitionError('no steps', { code }), 60_000);
    expect({ result, minutes }).toEqual({ result: new JobDefinitionError('no steps', { code }), minutes: 0 });
  });

  it('is no longer requested once the run must stop', async () => {
    const { result } = await asked(new CloudUnreachableError('HTTP 503', { code }), Infinity, 10_000);
    expect(result).toMatchObject({ name: 'StopRequested', stop: { reason: 'asked to stop' } });
  });
});

describe('the work of a definition', () => {
  it('is what the job needs, without protocol details', () => {
    const image = { reference: 'i', credentials: { username: 'u', password: 'p' } };
    const steps = [{ name: 'Setup' }, { run: 'true', workingDir: '/w', timeout: 1_500_000_000 }];
    const given = {
      os: 'linux',
      architecture: 'arm64',
      image,
      shell: 'sh',
      timeout: '1h0m0s',
      env: { A: 'b' },
      steps,
    };
    const work = workOf(parseJobDefinition(given, 'j'));
    expect(work).toEqual({
      image: 'i',
      credentials: { username: 'u', password: 'p' },
      platform: 'linux/arm64',
      shell: 'sh',
      env: { A: { value: 'b', secret: false } },
      timeoutMs: 3_600_000,
      steps: [
        { name: 'Setup', script: '' },
        { name: 'Step 1', script: 'true', workingDirectory: '/w', timeoutMs: 1_500 },
      ],
    });
  });

  const timed = (timeout: unknown, step?: unknown) =>
    workOf(parseJobDefinition({ timeout, steps: [{}, { timeout: step }] }, 'j'));

  // A zero duration, which means none, in each form that Go writes.
  it.each([undefined, '0s', '0h0m0s'])('has no timeout if it says %j', (timeout) => {
    expect(timed(timeout).timeoutMs).toBeUndefined();
  });

  it.each([
    ['soon', undefined, 'the job'],
    [undefined, '-5s', 'step 1'],
    [undefined, 1.5, 'step 1'],
  ])('is refused for an invalid timeout: %j, %j', (job, step, of) => {
    expect(() => timed(job, step)).toThrow(JobDefinitionError);
    expect(() => timed(job, step)).toThrow(new RegExp(`^Failed to read the timeout for ${of}: .*Correct it`));
  });
});
