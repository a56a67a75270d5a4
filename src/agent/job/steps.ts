import type { Clock } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { defined } from '../../base/defined.ts';
import type { RunLog } from '../../base/log/level.ts';
import { plainText } from '../../base/log/plain-text.ts';
import type { SecretSink } from '../../base/log/redactor.ts';
import type { StepLog } from '../../base/log/step-log.ts';
import { clause, messageOf, OutcomeError, type Verdict } from '../../base/outcome.ts';
import type { JobContainer, StepSpec } from '../../executor/executor.ts';
import type { SpanVariables } from '../../record/trace.ts';
import type { Work, WorkStep } from './definition.ts';
import { furtherVariables, type JobEnvironment } from './environment.ts';
import { notesOn } from './environment-file.ts';
import { verdictOn, verdictOnStep } from './job-end.ts';
import { type EndedStep, runStep } from './step.ts';
import type { StepJournal } from './step-journal.ts';
import type { StopSource } from './stop.ts';

/** The parts of a job that its steps need. */
export interface StepsParts {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly say: RunLog;
  readonly stop: StopSource;
  /** Receives the job's secrets. */
  readonly secrets: SecretSink;
  /** Variables with which a step's programs join its span; the job's own win. Absent while tracing is off. */
  readonly spanVariables?: ((index: number) => SpanVariables) | undefined;
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
  parts: StepsParts,
  onEnd: () => void,
): Promise<Verdict> {
  const { stop, secrets, spanVariables } = parts;
  const variables = { ...environment.variables };
  const learn = furtherVariables(variables, secrets, environment.named);
  let known = '';
  const add = (written: string): string[] | undefined => {
    if (written === '' || written === known) return undefined;
    learn(written);
    const notes = notesOn(written, known);
    known = written;
    return notes;
  };
  const last = steps.length - 1;

  // None beside the job's own trace.
  const spanOf = (index: number) => (variables['TRACEPARENT'] === undefined && spanVariables?.(index)) || {};

  for (const [index, step] of steps.entries()) {
    if (index === 0) continue;

    const { log, finish } = journal.begin(index);
    let ended: EndedStep =
      stop.stop === undefined
        ? await run(step, { ...spanOf(index), ...variables }, shell, container, log, parts)
        : { status: 'failed', reason: `not run: ${stop.stop.reason}`, failure: 'not-run' };

    if (ended.status === 'succeeded' && index < last)
      ended = await takeEnvironment(ended, container, log, add, stop);

    const { fault, ...end } = ended;
    if (end.reason !== undefined) await log.line(`[agent] The step failed: ${clause(end.reason)}.`);
    if (end.status === 'failed' || index === last) onEnd();

    const shown = await finish(end);
    if (end.status === 'failed')
      return { ...verdictOnStep(`step ${index} "${step.name}"`, shown, stop.stop), ...defined({ fault }) };
  }

  if (stop.stop?.by === 'cloud') return verdictOn(undefined, stop.stop, 'Every step had succeeded.');

  return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };
}

async function run(
  { name, script, workingDirectory, timeoutMs }: WorkStep,
  environment: StepSpec['environment'],
  shell: string,
  container: JobContainer,
  log: StepLog,
  { stop, clock, config, say }: StepsParts,
): Promise<EndedStep> {
  const spec = { shell, script, environment, ...defined({ workingDirectory }) };
  const onNote = (note: string) => say('warning', `${name}: ${note}`);
  const limits = { graceMs: config.cancelGracePeriodMs, ...defined({ timeoutMs }) };
  const running = runStep({ container, spec, log, stop, clock, onNote, ...limits });

  // A step that has begun must finish, so that Pulumi Cloud gets its status.
  return running.catch(failed);
}

/**
 * Adds the variables a step wrote for later steps, which may need them, and says so in its log: it
 * fails if they can't be read or hidden.
 */
async function takeEnvironment(
  end: EndedStep,
  container: JobContainer,
  log: StepLog,
  add: (written: string) => readonly string[] | undefined,
  stop: StopSource,
): Promise<EndedStep> {
  try {
    const notes = add(await container.readEnvironmentFile(stop.signal));
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
