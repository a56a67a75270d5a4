import { beforeEach, describe, expect, it } from 'vitest';
import { type FaultAnswer, failing, type Script } from '../../emulators/pulumi-cloud/faults.ts';
import type { CloudModelOptions } from '../../emulators/pulumi-cloud/options.ts';
import { running } from '../../support/emulators/model-calls.ts';

type Fault = Omit<Script, 'path'>;

const MINUTE = 60_000;
const T0 = '2026-06-18T10:00:00.123Z';
const lost: Fault = { when: 'after', answer: 'reset' };
const met = (answer: FaultAnswer): Fault => ({ answer });
const half = (stores: number): Fault => ({ stores, answer: 'reset' });

describe('the reports of a job whose step 0 is running:', () => {
  let job: Awaited<ReturnType<typeof running>>;

  async function claim(options: CloudModelOptions = {}): Promise<void> {
    job = await running({ heartbeatGraceMs: 0, ...options });
  }
  beforeEach(() => claim());

  /** Makes the next call meet the fault. */
  const fail = (fault: Fault | undefined) => fault && job.cloud.script({ path: /./, ...fault });
  const tell = (index: number, status: string, fault?: Fault) => {
    fail(fault);
    return job.tell(index, status);
  };
  const send = async (offset: number, texts: readonly string[], fault?: Fault) => {
    fail(fault);
    return (await job.log(0, offset, ...texts.map((text) => ({ t: T0, l: `${text}\n` })))).status;
  };
  const stored = () => job.deployment.steps[0]?.lines.map(({ l }) => l.trimEnd());
  const violates = (text: RegExp, call: () => Promise<unknown>) => job.scene.violates(text, call);

  describe('a log call', () => {
    it.each([met('reset'), half(1), lost])('must not be repeated with more lines: %j', async (fault) => {
      await send(0, ['a', 'b'], fault);
      await violates(/the call at 0 has more lines than the one it repeats/, () => send(0, ['a', 'b', 'c']));
    });

    it('that never arrived must have the same text when it is repeated', async () => {
      await send(0, ['a', 'b'], met('reset'));
      await violates(/line 1 is not what it was in a call before/, () => send(0, ['a', 'x']));
    });

    it('must not go back before lines that its client knows were accepted', async () => {
      await send(0, ['a']);
      await send(1, ['b']);
      await violates(/the call's offset is 0, and was 1 before/, () => send(0, ['a']));
    });

    it.each([500, 403, 422])(
      'for a line that was refused with %i three times may carry a sentence in its place',
      async (status) => {
        await send(0, ['bad', 'b'], met(failing(status)));
        for (let time = 0; time < 2; time += 1) await send(0, ['bad'], met(failing(status)));
        await violates(/line 0 is not what it was/, () => send(0, ['[a line was refused]']));
        await send(0, ['bad'], met(failing(status)));
        // Pulumi Cloud refuses the sentence too, so the line may not have been the reason.
        await send(0, ['[a line was refused]'], met(failing(503)));
        await send(0, ['bad'], met(failing(status)));
        expect(await send(0, ['[a line was refused]'])).toBe(200);
        expect(await send(1, ['b'])).toBe(200);
        expect(stored()).toEqual(['[a line was refused]', 'b']);
      },
    );

    it.each<FaultAnswer>([failing(503), failing(401), failing(404), failing(429), 'reset'])(
      'must keep its line however often it meets %j',
      async (answer) => {
        for (let time = 0; time < 5; time += 1) await send(0, ['good'], met(answer));
        await violates(/line 0 is not what it was/, () => send(0, ['[a line was refused]']));
      },
    );
  });

  describe('a status', () => {
    it.each([
      ['for less than a minute', MINUTE - 1, true],
      ['without heartbeats', MINUTE, false],
    ])('that was refused %s must not be missing', async (_, ms, beats) => {
      await tell(0, 'succeeded', met(failing(403)));
      job.scene.now += ms;
      if (beats) await job.beat();
      await violates(/step 1 started while step 0 is running/, () => tell(1, 'running'));
    });

    it('comes too late once the next step has begun', async () => {
      await tell(0, 'succeeded', met(failing(403)));
      job.scene.now += MINUTE;
      await job.beat();
      await tell(1, 'running');
      await violates(/step 0 is reported as succeeded after step 1 has begun/, () => tell(0, 'succeeded'));
    });
  });

  it('heartbeats must continue until the last status is accepted', async () => {
    await claim({ heartbeatWithinMs: 90_000 });
    job.scene.now += 90_000;
    await send(0, ['a'], met(failing(503)));
    job.scene.now += 1;
    await violates(/a report 90001 ms after the last heartbeat/, () => send(0, ['a']));
    fail(met(failing(503)));
    await job.beat();
    await tell(0, 'failed', met(failing(503)));
    job.scene.now += MINUTE;
    await job.beat();
    await tell(0, 'failed');
    await job.beat();
    job.scene.now += 1;
    await violates(/a heartbeat 1 ms after the job's end/, () => job.beat());
  });

  it('violations fail the test unless it names them', async () => {
    const { cloud } = job;
    await tell(1, 'succeeded');
    await tell(0, 'succeeded');
    await tell(0, 'failed');
    cloud.allow(/step 0 cannot go/);
    expect(() => cloud.close()).toThrow(
      /violated:\nPATCH .*\/1\/status: step 1 cannot go from not-started to succeeded$/,
    );
    expect(() => cloud.close()).not.toThrow();
  });
});
