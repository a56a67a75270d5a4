import { addAbortListener } from 'node:events';
import { type Clock, startTimer } from '../../base/clock.ts';
import { formatDuration } from '../../base/config/duration.ts';
import { defined } from '../../base/defined.ts';
import type { StepLog } from '../../base/log/step-log.ts';
import type { Fault } from '../../base/outcome.ts';
import {
  ContainerLostError,
  type JobContainer,
  type StepExit,
  type StepSpec,
} from '../../executor/executor.ts';
import type { StepEnd } from '../../record/schema.ts';
import { interrupt } from './interrupt.ts';
import { isLimit, StopRequested, type StopSource } from './stop.ts';

/** A pipeline's exit code, for example, doesn't show that one of its members was killed. */
const KILLED_BUT_WELL =
  'The kernel ended a process of the step for lack of memory; the step itself succeeded. Check that its work is complete.';
const KILLED_IN_STOP =
  'The kernel ended a process of the step for lack of memory while the step was being stopped. Check whether the stack is locked.';

export interface StepOptions {
  readonly container: JobContainer;
  readonly spec: StepSpec;
  readonly log: StepLog;
  readonly stop: StopSource;
  readonly clock: Clock;
  /** Milliseconds; none when absent. */
  readonly timeoutMs?: number;
  readonly graceMs: number;
  /** Called with notes for the user besides how the step ended. */
  readonly onNote?: (note: string) => void;
}

/** How a step ended, and what was at fault if not the step itself. */
export interface EndedStep extends StepEnd {
  readonly fault?: Fault;
}

/** Why a step that runs is to end. */
interface Interruption {
  readonly reason: string;
  readonly failure?: 'timeout';
}

/** Runs one step, stopping it gracefully on request. Never throws for what the step itself does. */
export async function runStep(options: StepOptions): Promise<EndedStep> {
  const { container, spec, log, stop, clock, graceMs } = options;
  const ended = new AbortController();
  const asked = Promise.withResolvers<Interruption>();
  const { timeoutMs = 0 } = options;
  const timer = startTimer(options.timeoutMs, () =>
    asked.resolve({ reason: `timed out after ${formatDuration(timeoutMs)}`, failure: 'timeout' }),
  );
  using _ = addAbortListener(stop.signal, () => asked.resolve({ reason: stop.stop?.reason ?? 'stopped' }));

  const note = (text: string) => {
    void log.line(`[agent] ${text}`);
    options.onNote?.(text);
  };

  try {
    const process = await container.start(spec, (chunk) => log.write(chunk), ended.signal);
    process.exit.then(
      ({ lostOutput }) => lostOutput && note(lostOutput),
      () => undefined,
    );

    const first = await Promise.race([process.exit, asked.promise]);
    if ('code' in first) {
      if (first.code === 0 && first.outOfMemory) note(KILLED_BUT_WELL);
      return exited(first);
    }

    const exit = await interrupt(process, {
      clock,
      graceMs,
      stop,
      // Not awaited: a log that waits for the disk must not delay the signal.
      onSignal: (signal) => void log.line(`[agent] Stopping the step: ${first.reason}. Sending ${signal}.`),
    });

    if (exit === undefined) {
      const reason = `${first.reason}; the step did not end, so its container was removed`;
      return { status: 'failed', ...first, reason, endedByForce: true };
    }

    if (exit.code !== 0 && exit.outOfMemory) note(KILLED_IN_STOP);

    // A step that finished its work despite the signal has succeeded: its changes are real.
    if (exit.code === 0 && stop.stop !== undefined && !isLimit(stop.stop))
      return exited({ code: 0, outOfMemory: false });

    return { status: 'failed', exitCode: exit.code, ...first };
  } catch (error) {
    if (error instanceof ContainerLostError)
      return { status: 'failed', reason: error.reason ?? error.message, ...defined({ fault: error.fault }) };
    if (error instanceof StopRequested) return { status: 'failed', reason: error.stop.reason };
    throw error;
  } finally {
    timer.clear();
    ended.abort();
  }
}

function exited({ code: exitCode, outOfMemory, interruption }: StepExit): StepEnd {
  if (exitCode === 0) return { status: 'succeeded', exitCode };
  if (outOfMemory) {
    const reason = `ran out of memory (exit code ${exitCode})`;
    return { status: 'failed', exitCode, reason, failure: 'memory' };
  }

  return { status: 'failed', exitCode, ...defined({ reason: interruption }) };
}
