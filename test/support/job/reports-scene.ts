import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Reports, type ReportsOptions } from '../../../src/agent/upload/reports.ts';
import { NEVER } from '../../../src/base/clock.ts';
import { StepFile } from '../../../src/base/log/step-file.ts';
import { temporaryDirectory } from '../run/temporary-directory.ts';
import { driven } from './driven.ts';
import { ManualClock } from './manual-clock.ts';
import { type Decision, StrictReceiver } from './strict-receiver.ts';

const MINUTE = 60_000;

/** A step's report, its lines going to a file. */
interface OpenReport {
  readonly file: StepFile;
  put(...lines: string[]): Promise<void>;
  /** Ends the file and reports how the step ended. */
  end(status?: 'succeeded' | 'failed'): ReturnType<ReturnType<Reports['begin']>>;
}

/** A job's reports on a clock that the test moves, to a receiver that decides each call's fate. */
export async function scene(fate: Decision, more: Partial<ReportsOptions> & { timeoutMs?: number } = {}) {
  const { timeoutMs = 10 * MINUTE, ...options } = more;
  const folder = await temporaryDirectory();
  const clock = new ManualClock();
  const receiver = new StrictReceiver(fate, { clock: () => clock.now() });
  void beat(clock, receiver);
  const said: string[] = [];
  const over = new AbortController();
  const context: ReportsOptions = {
    api: receiver,
    clock,
    heartbeatSince: () => true,
    watch: watchOf(),
    say: (level, message) => {
      if (level !== 'debug') said.push(message);
    },
    ...options,
  };
  const reports = new Reports(context, timeoutMs, over.signal);
  const begin = (index: number, name = `${index}.log`): OpenReport => {
    const file = new StepFile(join(folder, name), clock, ({ message }) => said.push(message));
    const finish = reports.begin(index, file);
    return {
      file,
      put: async (...lines) => {
        await file.write(Buffer.from(lines.join('')), clock.now());
      },
      end: async (status = 'succeeded') => {
        await file.end(clock.now()).catch(() => undefined);
        return finish(status);
      },
    };
  };
  /** Reports a whole step. Returns its delivery, wrapped in a function because awaiting `report` must not await it. */
  const report = async (index: number, ...lines: string[]) => {
    const opened = begin(index);
    await opened.put(...lines);
    const delivery = opened.end();
    return () => delivery;
  };
  /** Waits for all reports, advancing time. Returns whether the last status was accepted, and how long it took. */
  const settle = async () => {
    const settled = reports.settled();
    const tookMs = await driven(clock, settled);
    return { reported: await settled, tookMs };
  };
  const since = clock.steady();
  return {
    clock,
    receiver,
    said,
    over,
    begin,
    report,
    settle,
    /** Lets this many milliseconds pass, with everything due meanwhile. */
    pass: (ms: number) => driven(clock, clock.sleep(ms, NEVER)),
    elapsed: () => clock.steady() - since,
    linesOf: (index: number) => receiver.linesOf(index),
  };
}

/** A watch of a deployment that has not ended, with these differences. */
export function watchOf(differences: Partial<ReportsOptions['watch']> = {}): ReportsOptions['watch'] {
  return {
    hasEnded: false,
    stepRuns: async () => undefined,
    success: () => async () => false,
    ...differences,
  };
}

/** Sends heartbeats until the test is over, as the lease does. */
async function beat(clock: ManualClock, receiver: StrictReceiver): Promise<void> {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  while (!over.signal.aborted) {
    await receiver.heartbeat(over.signal).catch(() => undefined);
    await clock.sleep(30_000, over.signal).catch(() => undefined);
  }
}
