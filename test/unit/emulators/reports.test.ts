import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { FaultAnswer, Script } from '../../emulators/pulumi-cloud/faults.ts';
import { failing } from '../../emulators/pulumi-cloud/faults.ts';
import { JobInProcess } from '../../emulators/pulumi-cloud/in-process.ts';
import { CloudModel } from '../../emulators/pulumi-cloud/model.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';

const never = new AbortController().signal;
const JOB = { image: { reference: 'x' }, steps: ['Setup', 'One', 'Two'].map((name) => ({ name, run: '' })) };
const T0 = '2026-06-18T10:00:00.123Z';
const lost: Script = { path: /./, when: 'after', answer: 'reset' };
const met = (answer: FaultAnswer): Script => ({ path: /./, answer });
const half = (stores: number): Script => ({ path: /./, stores, answer: 'reset' });

describe('the reports of a job, without a socket,', () => {
  let now: number;
  let cloud: CloudModel;
  let job: JobInProcess;

  function claim(options: CloudModelOptions = {}): void {
    now = Date.parse('2026-06-18T10:00:00Z');
    const model = new CloudModel({ clock: () => now, heartbeatGraceMs: 0, ...options });
    onTestFinished(() => model.close());
    cloud = model;
    job = JobInProcess.claim(cloud, JOB);
  }
  beforeEach(() => claim());

  const tell = (index: number, status: 'running' | 'succeeded' | 'failed', fault?: Script) =>
    job.stepStatus(index, status, never, fault).catch((error: Error) => error);
  const send = (offset: number, texts: readonly string[], fault?: Script) => {
    const lines = texts.map((text) => ({ t: T0, l: `${text}\n` }));
    return job.logs(0, { offset, lines }, never, fault).then(
      () => 'accepted',
      (error: Error) => error,
    );
  };
  const stored = () => job.deployment.steps[0]?.lines.map(({ l }) => l.trimEnd());

  /** The last call was a violation that says so. */
  function expectViolation(text: RegExp): void {
    cloud.allow(text);
    expect(cloud.violations.at(-1)).toMatch(text);
  }

  describe('a log call', () => {
    beforeEach(() => tell(0, 'running'));

    it.each([met('reset'), half(1), lost])('is not repeated with more lines: %j', async (fault) => {
      await send(0, ['a', 'b'], fault);
      await send(0, ['a', 'b', 'c']);
      expectViolation(/the call at 0 has more lines than the one it repeats/);
    });

    it('that never arrived has the same text when it is repeated', async () => {
      await send(0, ['a', 'b'], met('reset'));
      await send(0, ['a', 'x']);
      expectViolation(/line 1 is not what it was in a call before/);
    });

    it('does not go back behind lines that its client knows as accepted', async () => {
      await send(0, ['a']);
      await send(1, ['b']);
      await send(0, ['a']);
      expectViolation(/the call's offset is 0, and was 1 before/);
    });

    it.each([500, 403, 422])(
      'of one line that was refused with %i thrice may have a sentence in its place',
      async (status) => {
        await send(0, ['bad', 'b'], met(failing(status)));
        for (let time = 0; time < 2; time += 1) await send(0, ['bad'], met(failing(status)));
        await send(0, ['[a line was refused]']);
        expectViolation(/line 0 is not what it was/);
        await send(0, ['bad'], met(failing(status)));
        // Pulumi Cloud takes nothing at all perhaps: then it was not the line.
        await send(0, ['[a line was refused]'], met(failing(503)));
        await send(0, ['bad'], met(failing(status)));
        expect(await send(0, ['[a line was refused]'])).toBe('accepted');
        expect(await send(1, ['b'])).toBe('accepted');
        expect(stored()).toEqual(['[a line was refused]', 'b']);
      },
    );

    it.each<FaultAnswer>([failing(503), failing(401), failing(404), failing(429), 'reset'])(
      'keeps its line however often it meets %j',
      async (answer) => {
        for (let time = 0; time < 5; time += 1) await send(0, ['good'], met(answer));
        await send(0, ['[a line was refused]']);
        expectViolation(/line 0 is not what it was/);
      },
    );
  });

  describe('a status', () => {
    const MINUTE = 60_000;
    const beat = () => job.heartbeat(never);

    it.each([
      ['for less', MINUTE - 1, true],
      ['without heartbeats', MINUTE, false],
    ])('that was refused %s may not be missing', async (_, ms, beats) => {
      await tell(0, 'running');
      await tell(0, 'succeeded', met(failing(403)));
      now += ms;
      if (beats) await beat();
      await tell(1, 'running');
      expectViolation(/step 1 started while step 0 is running/);
    });

    it('of a step behind which another has begun comes too late', async () => {
      await tell(0, 'running');
      await tell(0, 'succeeded', met(failing(403)));
      now += MINUTE;
      await beat();
      await tell(1, 'running');
      await tell(0, 'succeeded');
      expectViolation(/step 0 is reported as succeeded after step 1 has begun/);
    });
  });

  describe('heartbeats', () => {
    it('go on until the last status is taken', async () => {
      claim({ heartbeatWithinMs: 90_000 });
      await tell(0, 'running');
      now += 90_000;
      await send(0, ['a'], met(failing(503)));
      now += 1;
      await send(0, ['a']);
      expectViolation(/a report 90001 ms after the last heartbeat/);
      await job.heartbeat(never, met(failing(503))).catch(() => undefined);
      await tell(0, 'failed', met(failing(503)));
      now += 60_000;
      await job.heartbeat(never);
      await tell(0, 'failed');
      await job.heartbeat(never);
      now += 1;
      await job.heartbeat(never).catch(() => undefined);
      expectViolation(/a heartbeat 1 ms after the job's end/);
    });
  });

  it('fail the test by their violations unless it names them', async () => {
    await tell(0, 'succeeded');
    await tell(1, 'succeeded');
    cloud.allow(/step 0 cannot go/);
    expect(() => cloud.close()).toThrow(
      /violated:\nPATCH .*\/1\/status: step 1 cannot go from not-started to succeeded$/,
    );
    expect(() => cloud.close()).not.toThrow();
  });
});
