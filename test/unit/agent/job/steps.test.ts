import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { runStep, type StepOptions } from '../../../../src/agent/job/steps.ts';
import { StopSource } from '../../../../src/agent/job/stop.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { Redactor } from '../../../../src/base/log/redactor.ts';
import { StepLog } from '../../../../src/base/log/step-log.ts';
import type { JobContainer, StepExit, StopSignal } from '../../../../src/executor/executor.ts';
import { driven } from '../../../support/job/driven.ts';
import { ManualClock } from '../../../support/job/manual-clock.ts';

/** A container whose only step ends with `exit`, whatever signals it is `sent`. */
function containerOf(exit: StepExit | Promise<StepExit>, sent: StopSignal[] = []): JobContainer {
  const signal = async (name: StopSignal) => void sent.push(name);
  return {
    id: 'c',
    imageDigest: 'i@sha256:0',
    confinement: {},
    warnings: [],
    start: async () => ({ exit: Promise.resolve(exit), signal }),
    environmentFile: '/PULUMI_ENV',
    readEnvironmentFile: async () => '',
    memory: async () => undefined,
    remove: async () => undefined,
  };
}

/** Runs a step in the container and collects the lines of its log. */
async function run(container: JobContainer, options: Partial<StepOptions> = {}) {
  const lines: string[] = [];
  const write = (bytes: Buffer): undefined => void lines.push(String(bytes));
  const file = { write, end: () => Promise.resolve() };
  const end = await runStep({
    container,
    spec: { shell: 'sh', script: '', environment: {} },
    log: new StepLog({ redactor: new Redactor(), file, now: () => Date.now() }),
    stop: new StopSource(),
    clock: systemClock,
    graceMs: 5_000,
    ...options,
  });
  return { end, lines };
}

const WELL: StepExit = { code: 0, outOfMemory: false };

describe('a step', () => {
  it.each([
    [0, 'succeeded'],
    [1, 'failed'],
  ])('that ends with exit code %i has %s, and leaves no listener', async (code, status) => {
    const stop = new StopSource();
    const { end } = await run(containerOf({ ...WELL, code }), { stop, timeoutMs: 60_000 });
    expect(end).toEqual({ status, exitCode: code });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('that ran out of memory, or was interrupted from outside, says so', async () => {
    const end = async (exit: Partial<StepExit>) =>
      (await run(containerOf({ ...WELL, code: 137, ...exit }))).end;
    const reason = 'ran out of memory (exit code 137)';
    expect(await end({ outOfMemory: true })).toEqual({
      status: 'failed',
      exitCode: 137,
      reason,
      failure: 'memory',
    });
    const interruption = 'the line was cut';
    expect(await end({ interruption })).toEqual({ status: 'failed', exitCode: 137, reason: interruption });
    expect(await end({ code: 0, interruption })).toEqual({ status: 'succeeded', exitCode: 0, interruption });
  });

  it('that succeeded but lost a process for lack of memory has a note about it', async () => {
    const notes: string[] = [];
    const container = containerOf({ ...WELL, outOfMemory: true });
    const { end, lines } = await run(container, { onNote: (note) => notes.push(note) });
    expect(end).toEqual({ status: 'succeeded', exitCode: 0 });
    expect(notes).toEqual([expect.stringContaining('for lack of memory; the step itself succeeded')]);
    expect(lines).toEqual([`[agent] ${notes[0]}\n`]);
  });

  it('that can’t be started throws the target’s error', async () => {
    const container = { ...containerOf(WELL), start: () => Promise.reject(new Error('ENOENT')) };
    await expect(run(container)).rejects.toThrow('ENOENT');
  });

  it('that was stopped before it began is ended at once, with a note if it lost a process for lack of memory', async () => {
    const [stop, notes, sent] = [new StopSource(), [] as string[], [] as StopSignal[]];
    stop.request({ by: 'memory', reason: 'too much' });
    const exit = Promise.withResolvers<StepExit>();
    const ending = run(containerOf(exit.promise, sent), { stop, onNote: (note) => notes.push(note) });
    await expect.poll(() => sent).toEqual(['SIGINT']);
    exit.resolve({ code: 137, outOfMemory: true });
    expect((await ending).end).toEqual({ status: 'failed', exitCode: 137, reason: 'too much' });
    expect(notes).toEqual([expect.stringContaining('Check whether the stack is locked')]);
  });
});

describe('a step that does not end', () => {
  const never = new Promise<StepExit>(() => undefined);

  it('is given up after SIGKILL, and says that its container is removed', async () => {
    const [clock, stop, sent] = [new ManualClock(), new StopSource(), [] as StopSignal[]];
    const ending = run(containerOf(never, sent), { clock, stop, graceMs: 120_000 });
    stop.request({ by: 'cloud', reason: 'cancelled' });
    expect(await driven(clock, ending)).toBe(140_000);
    const { end, lines } = await ending;
    const reason = 'cancelled; the step did not end, so its container was removed';
    expect(end).toEqual({ status: 'failed', reason, endedByForce: true });
    expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    expect(lines.map((line) => line.trim())).toEqual(
      sent.map((name) => `[agent] Stopping the step: cancelled. Sending ${name}.`),
    );
  });
});
