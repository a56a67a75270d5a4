import { type Moment, passedSince, type Timepiece } from '../clock.ts';
import { consoleUrl } from '../cloud/organization-wire.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { JobEnd } from '../job/job-end.ts';
import { exitCodeOf } from '../outcome.ts';
import type { RunEnd } from './run-record.ts';

/** How a run ended: with a job or without one. */
export type Ended = Pick<JobEnd, 'outcome' | 'message' | 'code'> & Partial<JobEnd>;

/** What is known of a run besides how its job ended. */
export interface RunFacts {
  readonly waitSeconds: number;
  readonly deploymentId?: string;
  /** The deployment's own page. */
  readonly deploymentUrl?: string;
  readonly runId?: string;
  readonly jobId?: string;
  /** Absent when nothing was claimed. */
  readonly claimedAt?: Moment;
}

/** A run's end as its record takes it. */
export function runEnd(ended: Ended, { claimedAt, ...known }: RunFacts, config: AgentConfig, clock: Timepiece): RunEnd {
  const page = consoleUrl(config.serviceUrl, config.organizationName);
  return {
    ...ended,
    exitCode: exitCodeOf(ended.outcome, config),
    serviceUrl: config.serviceUrl,
    ...(page === undefined ? {} : { consoleUrl: page }),
    ...known,
    ...(claimedAt === undefined ? {} : { claimedAt: new Date(claimedAt.now).toISOString() }),
    runSeconds: claimedAt === undefined ? 0 : passedSince(claimedAt, clock).surely / 1000,
    forwarded: [...(ended.forwarded ?? [])],
    steps: [...(ended.steps ?? [])],
  };
}
