import { clause, noWorkSentence, type Outcome, type PoolWait, type Verdict } from '../base/outcome.ts';
import type { ProcessExit } from '../base/process.ts';
import { failedStepSentence } from '../record/output/error.ts';
import type { LastPoll } from './recorder/call-reader.ts';
import type { JobRecorder } from './recorder/job-recorder.ts';
import type { AgentStop } from './stop.ts';

/** The job as its reports tell it. */
export type ReportedJob = Pick<
  JobRecorder,
  'claim' | 'result' | 'failedStep' | 'cancellation' | 'knowsSteps' | 'isUnknownWork'
>;

export interface RunFacts {
  /** Undefined without the proxy. */
  readonly job: ReportedJob | undefined;
  readonly lastPoll: LastPoll | undefined;
  readonly exit: ProcessExit;
  readonly stop: AgentStop | undefined;
  readonly lastOutput: string;
  /** The first refused call of Pulumi's CLI with a secret of the job. */
  readonly refusedCli: string | undefined;
  readonly version: string;
  readonly waited: PoolWait;
}

const REFRESH = 'The stack may need a refresh.';

const REFUSAL_ADVICE: Readonly<Record<number, string>> = {
  401: 'Check the token, or the policy that the ID token is exchanged by.',
  402: 'Customer-managed runners need another edition of Pulumi Cloud, or the organization reached its limit.',
  403: 'Check that the pool belongs to the organization and that the token is a pool token.',
  404: 'Check the service URL, and that the pool still exists.',
};

/** The verdict on a run of Pulumi's agent. The statuses it reported win over its exit code. */
export function verdictOf(facts: RunFacts): Verdict {
  const { job, exit, stop } = facts;
  if (job === undefined) return byExitCode(facts, 'without the relay');
  if (job.isUnknownWork) return stopped(facts) ?? byExitCode(facts, 'of work of this kind');
  if (job.claim === undefined) return withoutWork(facts);

  // If the steps aren't known, there may have been more to come.
  const isComplete = job.knowsSteps || (exit.code === 0 && stop === undefined);
  if (job.result === 'succeeded' && isComplete && job.cancellation === undefined)
    return { outcome: 'succeeded', message: 'Every step of the deployment succeeded.' };

  return stopped(facts) ?? failed(facts);
}

/** A requested stop wins over the failures that it caused. */
function stopped({ job, stop }: RunFacts): Verdict | undefined {
  if (stop?.by === 'signal') return unfinished('interrupted', stop.reason);
  if (stop?.by === 'lease') return unfinished('lease-lost', stop.reason);
  return job?.cancellation === undefined ? undefined : unfinished('cancelled', job.cancellation);
}

function unfinished(outcome: Outcome, reason: string): Verdict {
  const message = `Failed to finish the deployment: ${clause(reason)}. ${REFRESH}`;
  return { outcome, code: 'PRA-JOB-03', message };
}

function failed(facts: RunFacts): Verdict {
  const { refusedCli, version } = facts;
  if (refusedCli !== undefined) {
    const message =
      `Failed to run the deployment with Pulumi's agent ${version}: Pulumi's CLI was given the address of this runner's relay (${refusedCli}), ` +
      "and was refused before it could write it into a stack's state. Set engine_relay: false, and start the deployment again.";
    return { outcome: 'failed', code: 'PRA-ENGINE-10', message };
  }

  const step = facts.job?.failedStep;
  if (step !== undefined) {
    const how = step.reason === undefined ? "Pulumi's agent reported it as failed" : clause(step.reason);
    const message = failedStepSentence(`step ${step.index} "${step.name}"`, how, step);
    return { outcome: 'failed', code: 'PRA-JOB-01', message };
  }

  const message = `Failed to finish the deployment: Pulumi's agent ${exitText(facts.exit)} before it had reported every step. ${REFRESH}${outputOf(facts)}`;
  return { outcome: 'failed', code: 'PRA-ENGINE-11', message };
}

function withoutWork(facts: RunFacts): Verdict {
  const { stop, lastPoll, exit } = facts;
  const advice = lastPoll?.status === undefined ? undefined : REFUSAL_ADVICE[lastPoll.status];

  if (stop?.by === 'signal' || stop?.by === 'drain')
    return {
      outcome: 'interrupted',
      message: 'The agent was asked to stop while it waited; nothing had been claimed.',
    };

  if (advice !== undefined) {
    const message = `Failed to poll for work for the pool: HTTP ${lastPoll?.status} (${lastPoll?.reason}). ${advice}`;
    return { outcome: 'auth-error', code: 'PRA-CLOUD-01', message };
  }

  if (lastPoll !== undefined && (lastPoll.status === undefined || lastPoll.status >= 300)) {
    const how =
      lastPoll.status === undefined ? lastPoll.reason : `HTTP ${lastPoll.status} (${lastPoll.reason})`;
    const message = `Failed to poll for work for the pool: ${how}. Check the network path and Pulumi Cloud's status.`;
    return { outcome: 'cloud-unreachable', code: 'PRA-CLOUD-01', message };
  }

  if (stop?.by === 'wait') return { outcome: 'no-work', message: noWorkSentence(facts.waited) };

  const how = stop?.by === 'start' ? clause(stop.reason) : `it ${exitText(exit)}`;
  const message = `Failed to get work with Pulumi's agent: ${how}, and nothing had been claimed.${outputOf(facts)}`;

  return { outcome: 'failed', code: 'PRA-ENGINE-11', message };
}

/** The verdict when only the exit code says how the run went. */
function byExitCode(facts: RunFacts, where: string): Verdict {
  const { stop, exit } = facts;
  if (stop?.by === 'signal' || stop?.by === 'drain') return unfinished('interrupted', stop.reason);
  if (stop?.by === 'wait') return { outcome: 'no-work', message: noWorkSentence(facts.waited) };

  if (exit.code === 0)
    return {
      outcome: 'succeeded',
      message: `Pulumi's agent ended with exit code 0; nothing more is known ${where}.`,
    };

  const message = `Failed to finish the deployment: Pulumi's agent ${exitText(facts.exit)}.${outputOf(facts)}`;
  return { outcome: 'failed', code: 'PRA-ENGINE-11', message };
}

function exitText({ code, signal }: ProcessExit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function outputOf({ lastOutput }: RunFacts): string {
  return lastOutput === ''
    ? ' It had printed nothing.'
    : ` Its last output: ${lastOutput.replace(/\s*\n\s*/g, ' | ').slice(-600)}`;
}
