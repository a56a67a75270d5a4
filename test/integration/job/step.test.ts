import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { JobContainer, StepExit, StopSignal } from '../../../src/executor/executor.ts';
import { runStep, type StepOptions } from '../../../src/job/step.ts';
import { StopSource } from '../../../src/job/stop.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepLog } from '../../../src/log/step-log.ts';
import { driven } from '../../support/job/driven.ts';
import { ManualClock } from '../../support/job/manual-clock.ts';
import { ProcessExecutor } from '../../support/job/process-executor.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

/** A step's log that keeps its lines. */
function logged() {
  const lines: string[] = [];
  const file = {
    write: (bytes: Buffer): undefined => {
      lines.push(String(bytes));
    },
    end: () => Promise.resolve(),
  };
  return { lines, log: new StepLog({ redactor: new Redactor(), file, now: () => Date.now() }) };
}

/** A container of this machine's processes. */
async function container(): Promise<JobContainer> {
  const executor = new ProcessExecutor({ root: await temporaryDirectory() });
  const spec = { image: 'none', pull: false, labels: {}, files: [], environmentFile: '/PULUMI_ENV' };
  const made = await executor.prepare(spec, () => Promise.resolve(), new AbortController().signal);
  onTestFinished(() => made.remove());
  return made;
}

async function run(script: string, options: Partial<StepOptions> = {}) {
  const { log, lines } = logged();
  const spec = { shell: 'sh', script, environment: {} };
  const clock = systemClock;
  const end = await runStep({
    container: await container(),
    spec,
    log,
    stop: new StopSource(),
    clock,
    graceMs: 5_000,
    ...options,
  });
  return { end, lines };
}

/** A container whose one step ends as told: an out-of-memory kill can't be had from a process of this machine. */
function containerOf(exit: Promise<StepExit>, sent: StopSignal[] = []): JobContainer {
  return {
    id: 'c',
    imageDigest: 'i@sha256:0',
    start: () =>
      Promise.resolve({
        exit,
        signal: (name) => {
          sent.push(name);
          return Promise.resolve();
        },
      }),
    readEnvironmentFile: () => Promise.resolve(''),
    memory: () => Promise.resolve(undefined),
    remove: () => Promise.resolve(),
  };
}

describe('a step', () => {
  it.each([
    ['exit 0', { status: 'succeeded', exitCode: 0 }],
    ['exit 1', { status: 'failed', exitCode: 1 }],
    ['kill -TERM $$', { status: 'failed', exitCode: 143 }],
  ])('that runs %j has %j', async (script, expected) => {
    expect((await run(script)).end).toEqual(expected);
  });

  it('that ran out of memory, or was interrupted from outside, says so', async () => {
    const end = async (exit: Partial<StepExit>) =>
      (await run('', { container: containerOf(Promise.resolve({ code: 137, outOfMemory: false, ...exit })) })).end;
    const reason = 'ran out of memory (exit code 137)';
    expect(await end({ outOfMemory: true })).toEqual({ status: 'failed', exitCode: 137, reason });
    const interruption = 'the line was cut';
    expect(await end({ interruption })).toEqual({ status: 'failed', exitCode: 137, reason: interruption });
    expect(await end({ code: 0, interruption })).toEqual({ status: 'succeeded', exitCode: 0 });
  });

  it('that lost a process for lack of memory and ended well has a note of it', async () => {
    const notes: string[] = [];
    const exit = Promise.resolve({ code: 0, outOfMemory: true });
    const { end, lines } = await run('', { container: containerOf(exit), onNote: (note) => notes.push(note) });
    expect(end).toEqual({ status: 'succeeded', exitCode: 0 });
    expect(notes).toEqual([expect.stringContaining('for lack of memory; the step itself succeeded')]);
    expect(lines).toEqual([`[agent] ${notes[0]}\n`]);
  });

  it('that loses a process for lack of memory while it is stopped has a note of it', async () => {
    const [stop, notes] = [new StopSource(), [] as string[]];
    const [exit, sent] = [Promise.withResolvers<StepExit>(), [] as StopSignal[]];
    const ending = run('', { container: containerOf(exit.promise, sent), stop, onNote: (note) => notes.push(note) });
    stop.request({ by: 'memory', reason: 'too much' });
    await expect.poll(() => sent).toEqual(['SIGINT']);
    exit.resolve({ code: 137, outOfMemory: true });
    expect((await ending).end).toEqual({ status: 'failed', exitCode: 137, reason: 'too much' });
    expect(notes).toEqual([expect.stringContaining('Look whether the stack is locked')]);
  });

  it('that can’t be started throws what the target says', async () => {
    await expect(run('', { spec: { shell: 'nosuchshell', script: '', environment: {} } })).rejects.toThrow('ENOENT');
  });

  it('leaves no listener', async () => {
    const stop = new StopSource();
    await run('exit 0', { stop, timeoutMs: 60_000 });
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  it('that was stopped before it was begun is ended at once', async () => {
    const stop = new StopSource();
    stop.request({ by: 'signal', reason: 'the agent was interrupted' });
    const { end } = await run('sleep 60', { stop });
    expect(end).toMatchObject({ status: 'failed', reason: 'the agent was interrupted' });
  });
});

describe('a step that does not end', () => {
  const never = new Promise<StepExit>(() => undefined);

  it('is given up after SIGKILL, and says that its container goes', async () => {
    const [clock, stop, sent] = [new ManualClock(), new StopSource(), [] as StopSignal[]];
    const ending = run('', { container: containerOf(never, sent), clock, stop, graceMs: 120_000 });
    stop.request({ by: 'cloud', reason: 'cancelled' });
    expect(await driven(clock, ending)).toBe(140_000);
    const { end, lines } = await ending;
    expect(end).toEqual({ status: 'failed', reason: 'cancelled; the step did not end, so its container was removed' });
    expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    expect(lines.map((line) => line.trim())).toEqual(
      sent.map((name) => `[agent] Stopping the step: cancelled. Sending ${name}.`),
    );
  });
});
