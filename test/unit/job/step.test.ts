import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { JobContainer, StepExit, StopSignal } from '../../../src/executor/executor.ts';
import { runStep, type StepOptions } from '../../../src/job/step.ts';
import { StopSource } from '../../../src/job/stop.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepLog } from '../../../src/log/step-log.ts';
import { ManualClock, settled } from './manual-clock.ts';
import { container } from './step-process.ts';

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

  it('that ran out of memory says so, unless it ended well', async () => {
    const end = (code: number) => run('', { container: containerOf(Promise.resolve({ code, outOfMemory: true })) });
    const reason = 'ran out of memory (exit code 137)';
    expect((await end(137)).end).toEqual({ status: 'failed', exitCode: 137, reason });
    expect((await end(0)).end).toEqual({ status: 'succeeded', exitCode: 0 });
  });

  it('that lost a process for want of memory and ended well has a note of it', async () => {
    const notes: string[] = [];
    const exit = Promise.resolve({ code: 0, outOfMemory: true });
    const { lines } = await run('', { container: containerOf(exit), onNote: (note) => notes.push(note) });
    expect(notes).toEqual([expect.stringContaining('for want of memory; the step itself succeeded')]);
    expect(lines).toEqual([`[agent] ${notes[0]}\n`]);
  });

  it('that something interrupted from outside says what, unless it ended well', async () => {
    const end = (code: number) =>
      run('', {
        container: containerOf(Promise.resolve({ code, outOfMemory: false, interruption: 'the line was cut' })),
      });
    expect((await end(130)).end).toEqual({
      status: 'failed',
      exitCode: 130,
      reason: 'the line was cut',
    });
    expect((await end(0)).end).toEqual({ status: 'succeeded', exitCode: 0 });
  });

  it('that can’t be started throws what the target says', async () => {
    await expect(run('', { spec: { shell: 'nosuchshell', script: '', environment: {} } })).rejects.toThrow('ENOENT');
  });

  it('leaves neither a timer nor a listener', async () => {
    const stop = new StopSource();
    let listeners = 0;
    const { addEventListener, removeEventListener } = stop.signal;
    stop.signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
      listeners += 1;
      addEventListener.apply(stop.signal, given);
    };
    stop.signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
      listeners -= 1;
      removeEventListener.apply(stop.signal, given);
    };
    await run('exit 0', { stop, timeoutMs: 60_000, timeoutText: '1m0s' });
    expect(listeners).toBe(0);
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
    expect([await clock.next(), await clock.next(), await clock.next()]).toEqual([120_000, 10_000, 10_000]);
    const { end, lines } = await ending;
    expect(end).toEqual({ status: 'failed', reason: 'cancelled; the step did not end, so its container was removed' });
    expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    expect(lines.map((line) => line.trim())).toEqual(
      sent.map((name) => `[agent] Stopping the step: cancelled. Sending ${name}.`),
    );
  });

  it.each(['cloud', 'signal', 'timeout'] as const)(
    'and was stopped (%s) ends in time when its lease is lost then, whatever its grace',
    async (by) => {
      const [clock, stop, sent] = [new ManualClock(), new StopSource(), [] as StopSignal[]];
      const ending = run('', { container: containerOf(never, sent), clock, stop, graceMs: 30 * 60_000 });
      stop.request({ by, reason: 'stopped first' });
      await clock.asleep();
      await clock.advance(5 * 60_000);
      expect(sent).toEqual(['SIGINT']);
      stop.request({ by: 'lease', reason: 'no heartbeat', endBy: clock.steady() + 120_000 });
      await settled();
      await clock.advance(110_000);
      expect((await ending).end.reason).toBe('stopped first; the step did not end, so its container was removed');
      expect(sent).toEqual(['SIGINT', 'SIGTERM', 'SIGKILL']);
    },
  );

  it('and is past its own timeout ends in time too', async () => {
    const [clock, stop, sent] = [new ManualClock(), new StopSource(), [] as StopSignal[]];
    const timeout = { timeoutMs: 1, timeoutText: '1ms' };
    const ending = run('', { container: containerOf(never, sent), clock, stop, graceMs: 30 * 60_000, ...timeout });
    await clock.asleep();
    stop.request({ by: 'lease', reason: 'no heartbeat', endBy: clock.steady() + 120_000 });
    await settled();
    await clock.advance(110_000);
    expect((await ending).end.reason).toMatch(/^timed out after 1ms; the step did not end/);
  });
});
