import { elapsedSince, type Moment, type TimeSource } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import { defined } from '../../base/defined.ts';
import { withEntry } from '../../base/error-codes.ts';
import {
  exitCodeOf,
  failureOf,
  noWorkSentence,
  OutcomeError,
  type PoolWait,
  type Verdict,
} from '../../base/outcome.ts';
import { counted } from '../../base/quantity.ts';
import { VERSION } from '../../base/version.ts';
import type { NamedDeployment } from '../../cloud/identity.ts';
import type { DeploymentIds } from '../../cloud/job-wire.ts';
import { consoleUrl } from '../../cloud/organization-wire.ts';
import { ImageNotAllowedError } from '../../executor/image-policy.ts';
import type { RunEnd } from '../../record/run-record.ts';
import type { JobEnd } from '../job/job-end.ts';

/** How a run ended: with a job or without one. */
export type Ended = Verdict & Partial<JobEnd>;

/** The facts about a run besides how its job ended. */
export interface RunFacts extends Partial<DeploymentIds & NamedDeployment> {
  readonly waitSeconds: number;
  /** What the work says it is, where that isn't a deployment. */
  readonly kind?: string | undefined;
  /** Absent when nothing was claimed. */
  readonly claimedAt?: Moment;
}

export function runEnd(
  ended: Ended,
  { claimedAt, ...facts }: RunFacts,
  config: AgentConfig,
  clock: TimeSource,
): RunEnd {
  const { serviceUrl, organizationName, runnerPoolId } = config;
  return {
    ...offlineEnd(ended, claimedAt === undefined ? 0 : elapsedSince(claimedAt, clock).atLeast / 1000),
    exitCode: exitCodeOf(ended.outcome, config),
    serviceUrl,
    ...defined({ organization: organizationName, pool: runnerPoolId }),
    ...defined({ consoleUrl: consoleUrl(config, organizationName) }),
    ...facts,
    ...(claimedAt && { claimedAt: new Date(claimedAt.now).toISOString() }),
  };
}

/** The end of a run that Pulumi Cloud knows nothing about, for its record. */
export function offlineEnd(ended: Ended, runSeconds: number): RunEnd {
  const { fault: _, forwarded = [], steps = [], ...verdict } = ended;
  const exitCode = exitCodeOf(ended.outcome);
  const engine = { name: 'own', version: VERSION } as const;
  const lists = { forwarded: [...forwarded], steps: [...steps] };
  return { ...verdict, exitCode, engine, waitSeconds: 0, runSeconds, ...lists };
}

interface WaitFacts extends Pick<AgentConfig, 'singleRun'>, PoolWait {
  /** Deployments served before. */
  readonly served: number;
}

/**
 * The verdict on a wait that claimed nothing, after `served` deployments; `failure` happened before
 * the first wait.
 */
export function endWithoutWork(
  ended: 'no-work' | 'drained',
  { singleRun, served, ...waited }: WaitFacts,
  failure: { readonly error: unknown } | undefined,
): Verdict {
  if (failure !== undefined) return failureOf(failure.error);

  if (ended === 'drained') {
    const stopped = 'The agent was asked to stop while it waited';
    // A service manager ends a lasting agent this way: nothing failed.
    if (served > 0)
      return { outcome: 'succeeded', message: `${stopped}; it had served ${counted(served, 'deployment')}.` };
    return {
      outcome: singleRun ? 'interrupted' : 'no-work',
      message: `${stopped}; nothing had been claimed.`,
    };
  }

  return { outcome: 'no-work', message: noWorkSentence(waited) };
}

/**
 * True for a bad configuration, which no retry can fix: the one failure that ends a lasting agent.
 */
export function endsLastingAgent(error: unknown): boolean {
  return (
    error instanceof ImageNotAllowedError ||
    (error instanceof OutcomeError && error.outcome === 'config-error')
  );
}

/** The sentence about a run's end; for a failure, with the code to read more about. */
export function endSentence(end: { exitCode: number; message: string; code?: string | undefined }): string {
  return end.exitCode === 0 ? end.message : withEntry(end.message, end.code);
}
