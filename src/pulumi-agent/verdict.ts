import { clause, noWorkSentence, type Outcome, type Verdict, type Waited } from '../base/outcome.ts';
import type { ProcessExit } from '../base/process.ts';
import { failedStepSentence } from '../record/output/error.ts';
import type { LastPoll } from './proxy/reading.ts';
import type { ObservedRun } from './recorder/observed-run.ts';

/** Why the agent was stopped before it exited by itself. */
export interface AgentStop {
  /**
   * `wait`: no work in time; `start`: it never asked; `drain`: stopped while waiting; `linger`:
   * nothing left to do.
   */
  readonly by: 'wait' | 'start' | 'drain' | 'linger' | 'signal' | 'lease';
  readonly reason: string;
}

export interface Facts {
  /** The relay's observations; undefined without a relay. */
  readonly run:
    | Pick<ObservedRun, 'claim' | 'verdict' | 'failedStep' | 'cancelled' | 'knowsSteps' | 'isUnseen'>
    | undefined;
  readonly lastPoll: LastPoll | undefined;
  readonly exit: ProcessExit;
  readonly ending: AgentStop | undefined;
  readonly lastOutput: string;
  /** The first refused call of Pulumi's CLI with a secret of the job. */
  readonly refusedCli: string | undefined;
  readonly version: string;
  readonly waited: Waited;
}

const REFRESH = 'The stack may need a refresh.';

const REFUSED: Readonly<Record<number, string>> = {
  401: 'Check the token, or the policy that the ID token is exchanged by.',
  402: 'Customer-managed runners need another edition of Pulumi Cloud, or the organization reached its limit.',
  403: 'Check that the pool belongs to the organization and that the token is a pool token.',
  404: 'Check the service URL, and that the pool still exists.',
};

/** The verdict on a run of Pulumi's agent. The statuses it reported win over its exit code. */
export function verdictOf(facts: Facts): Verdict {
  const { run, exit, ending } = facts;
  if (run === undefined) return byExitCode(facts, 'without the relay');
  if (run.isUnseen) return stopped(facts) ?? byExitCode(facts, 'of work of this kind');
  if (run.claim === undefined) return withoutWork(facts);

  // If the steps aren't known, there may have been more to come.
  const isWhole = run.knowsSteps || (exit.code === 0 && ending === undefined);
  if (run.verdict === 'succeeded' && isWhole && run.cancelled === undefined)
    return { outcome: 'succeeded', message: 'Every step of the workflow succeeded.' };

  return stopped(facts) ?? failed(facts);
}

/** A requested stop wins over the failures that it caused. */
function stopped({ run, ending }: Facts): Verdict | undefined {
  if (ending?.by === 'signal') return unfinished('interrupted', ending.reason);
  if (ending?.by === 'lease') return unfinished('lease-lost', ending.reason);
  return run?.cancelled === undefined ? undefined : unfinished('cancelled', run.cancelled);
}

function unfinished(outcome: Outcome, reason: string): Verdict {
  const message = `Failed to finish the workflow: ${clause(reason)}. ${REFRESH}`;
  return { outcome, code: 'PRA-JOB-03', message };
}

function failed(facts: Facts): Verdict {
  const { refusedCli, version } = facts;
  if (refusedCli !== undefined) {
    const message =
      `Failed to run the workflow with Pulumi's agent ${version}: Pulumi's CLI was given the address of this runner's relay (${refusedCli}), ` +
      "and was refused before it could write it into a stack's state. Set engine_relay: false, and start the deployment again.";
    return { outcome: 'failed', code: 'PRA-ENGINE-10', message };
  }

  const step = facts.run?.failedStep;
  if (step !== undefined) {
    const how = step.reason === undefined ? "Pulumi's agent reported it as failed" : clause(step.reason);
    const message = failedStepSentence(`step ${step.index} "${step.name}"`, how, step);
    return { outcome: 'failed', code: 'PRA-JOB-01', message };
  }

  const message = `Failed to finish the workflow: Pulumi's agent ${endOf(facts.exit)} before it had reported every step. ${REFRESH}${printed(facts)}`;
  return { outcome: 'failed', code: 'PRA-ENGINE-11', message };
}

function withoutWork(facts: Facts): Verdict {
  const { ending, lastPoll, exit } = facts;
  const refused = lastPoll?.status === undefined ? undefined : REFUSED[lastPoll.status];

  if (ending?.by === 'signal' || ending?.by === 'drain')
    return {
      outcome: 'interrupted',
      message: 'The agent was asked to stop while it waited; nothing had been claimed.',
    };

  if (refused !== undefined) {
    const message = `Failed to poll for work for the pool: HTTP ${lastPoll?.status} (${lastPoll?.reason}). ${refused}`;
    return { outcome: 'auth-error', code: 'PRA-CLOUD-01', message };
  }

  if (lastPoll !== undefined && (lastPoll.status === undefined || lastPoll.status >= 300)) {
    const how =
      lastPoll.status === undefined ? lastPoll.reason : `HTTP ${lastPoll.status} (${lastPoll.reason})`;
    const message = `Failed to poll for work for the pool: ${how}. Check the network path and Pulumi Cloud's status.`;
    return { outcome: 'cloud-unreachable', code: 'PRA-CLOUD-01', message };
  }

  if (ending?.by === 'wait') return { outcome: 'no-work', message: noWorkSentence(facts.waited) };

  const how = ending?.by === 'start' ? clause(ending.reason) : `it ${endOf(exit)}`;
  const message = `Failed to get work with Pulumi's agent: ${how}, and nothing had been claimed.${printed(facts)}`;

  return { outcome: 'failed', code: 'PRA-ENGINE-11', message };
}

/** The verdict when only the exit code says how the run went. */
function byExitCode(facts: Facts, where: string): Verdict {
  const { ending, exit } = facts;
  if (ending?.by === 'signal' || ending?.by === 'drain') return unfinished('interrupted', ending.reason);
  if (ending?.by === 'wait') return { outcome: 'no-work', message: noWorkSentence(facts.waited) };

  if (exit.code === 0)
    return {
      outcome: 'succeeded',
      message: `Pulumi's agent ended with exit code 0; nothing more is known ${where}.`,
    };

  const message = `Failed to finish the workflow: Pulumi's agent ${endOf(facts.exit)}.${printed(facts)}`;
  return { outcome: 'failed', code: 'PRA-ENGINE-11', message };
}

function endOf({ code, signal }: ProcessExit): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}

function printed({ lastOutput }: Facts): string {
  return lastOutput === ''
    ? ' It had printed nothing.'
    : ` Its last output: ${lastOutput.replace(/\s*\n\s*/g, ' | ').slice(-600)}`;
}
