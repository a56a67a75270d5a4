import { addAbortListener } from 'node:events';
import { type Clock, startTimer } from '../../base/clock.ts';
import { formatDuration } from '../../base/config/duration.ts';
import { defined } from '../../base/defined.ts';
import type { RunLog } from '../../base/log/level.ts';
import { plainText } from '../../base/log/plain-text.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import type { StepLog } from '../../base/log/step-log.ts';
import { clause, type Fault, messageOf, OutcomeError, type Verdict } from '../../base/outcome.ts';
import {
  ContainerLostError,
  type JobContainer,
  type StepExit,
  type StepSpec,
} from '../../executor/executor.ts';
import type { StepEnd } from '../../record/schema.ts';
import type { SpanVariables } from '../../record/trace.ts';
import type { Work } from './definition.ts';
import { furtherVariables, type JobEnvironment } from './environment.ts';
import { notesOn } from './environment-file.ts';
import { interrupt } from './interrupt.ts';
import { verdictOn, verdictOnStep } from './job-end.ts';
import type { StepJournal } from './step-journal.ts';
import { isLimit, StopRequested, type StopSource } from './stop.ts';

/** Variables with which a step's programs join its span; the job's own win. */
export type SpanVariablesOf = (index: number) => SpanVariables;

/** How a job's steps are run. */
export interface StepsContext {
  readonly clock: Clock;
  readonly say: RunLog;
  readonly stop: StopSource;
  /** Receives the values that steps write for later ones. */
  readonly secrets: SecretSink;
  /** From a step's SIGINT to its SIGTERM. */
  readonly graceMs: number;
  /** Absent while tracing is off. */
  readonly spanVariables?: SpanVariablesOf | undefined;
}

/**
 * Runs the steps after the first, one by one, until one fails. Calls `onEnd` as soon as nothing runs
 * in the container any more: it is removed while the last lines are still being sent.
 */
export async function runSteps(
  { shell, steps }: Work,
  environment: JobEnvironment,
  container: JobContainer,
  journal: StepJournal,
  context: StepsContext,
  onEnd: () => void,
): Promise<Verdict> {
  const { clock, stop, secrets, say, graceMs, spanVariables } = context;
  const variables = { ...environment.variables };
  const learn = furtherVariables(variables, secrets, environment.named);
  let lastText = '';
  const addVariables = (text: string): string[] | undefined => {
    if (text === '' || text === lastText) return undefined;
    learn(text);
    const notes = notesOn(text, lastText);
    lastText = text;
    return notes;
  };
  const last = steps.length - 1;

  // None beside the job's own trace.
  const spanOf = (index: number) => (variables['TRACEPARENT'] === undefined && spanVariables?.(index)) || {};

  for (const [index, step] of steps.entries()) {
    if (index === 0) continue;

    const { log, wasCutShort, finish } = journal.begin(index);
    let ended: EndedStep =
      stop.stop === undefined
        ? await runStep({
            container,
            spec: {
              shell,
              script: step.script,
              environment: { ...spanOf(index), ...variables },
              ...defined({ workingDirectory: step.workingDirectory }),
            },
            log,
            stop,
            clock,
            graceMs,
            timeoutMs: step.timeoutMs,
            onNote: (note) => say('warning', `${step.name}: ${note}`),
            // Not thrown on: a step that has begun must finish, so that Pulumi Cloud gets its status.
          }).catch(failed)
        : { status: 'failed', reason: `not run: ${stop.stop.reason}`, failure: 'not-run' };

    // A pipeline's exit code, for example, doesn't show how the CLI in it ended.
    if (ended.interruption !== undefined && (await wasCutShort()))
      ended = { ...ended, status: 'failed', reason: ended.interruption };

    if (ended.status === 'succeeded' && index < last)
      ended = await takeEnvironment(ended, container, log, addVariables, stop);

    const { fault, interruption: _, ...end } = ended;
    if (end.reason !== undefined) await log.line(`[agent] The step failed: ${clause(end.reason)}.`);
    if (end.status === 'failed' || index === last) onEnd();

    const shown = await finish(end);
    if (end.status === 'failed')
      return { ...verdictOnStep(`step ${index} "${step.name}"`, shown, stop.stop), ...defined({ fault }) };
  }

  if (stop.stop?.by === 'cloud') return verdictOn(undefined, stop.stop, 'Every step had succeeded.');

  return { outcome: 'succeeded', message: 'Every step of the deployment succeeded.' };
}

/**
 * Adds the variables a step wrote for later steps, which may need them, and says so in its log: it
 * fails if they can't be read or hidden.
 */
async function takeEnvironment(
  end: EndedStep,
  container: JobContainer,
  log: StepLog,
  addVariables: (text: string) => readonly string[] | undefined,
  stop: StopSource,
): Promise<EndedStep> {
  try {
    const notes = addVariables(await container.readEnvironmentFile(stop.signal));
    if (notes === undefined) return end;
    // Pulumi's documentation says to look for this line.
    await log.line(`Loading PULUMI_ENV from ${plainText(container.environmentFile)}`);
    for (const note of notes) await log.line(`[agent] ${note}`);
    return end;
  } catch (error) {
    // Stopped meanwhile: the next step won't run, and says so.
    return stop.stop === undefined ? { ...end, ...failed(error) } : end;
  }
}

function failed(error: unknown): EndedStep {
  const fault = error instanceof OutcomeError ? error.fault : undefined;
  return { status: 'failed', reason: messageOf(error), ...defined({ fault }) };
}

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
  /** No limit when absent. */
  readonly timeoutMs?: number | undefined;
  readonly graceMs: number;
  /** Called with notes for the user besides how the step ended. */
  readonly onNote?: (note: string) => void;
}

/** How a step ended, and what was at fault if not the step itself. */
export interface EndedStep extends StepEnd {
  readonly fault?: Fault;
  /** Why it was interrupted, if it succeeded all the same. */
  readonly interruption?: string;
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
  const interruption = Promise.withResolvers<Interruption>();
  const { timeoutMs = 0 } = options;
  const timer = startTimer(options.timeoutMs, () =>
    interruption.resolve({ reason: `timed out after ${formatDuration(timeoutMs)}`, failure: 'timeout' }),
  );
  using _ = addAbortListener(stop.signal, () =>
    interruption.resolve({ reason: stop.stop?.reason ?? 'stopped' }),
  );

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

    const first = await Promise.race([process.exit, interruption.promise]);
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
      return exited({ code: 0, outOfMemory: false, interruption: first.reason });

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

function exited({ code: exitCode, outOfMemory, interruption }: StepExit): EndedStep {
  if (exitCode === 0) return { status: 'succeeded', exitCode, ...defined({ interruption }) };
  if (outOfMemory) {
    const reason = `ran out of memory (exit code ${exitCode})`;
    return { status: 'failed', exitCode, reason, failure: 'memory' };
  }

  return { status: 'failed', exitCode, ...defined({ reason: interruption }) };
}
