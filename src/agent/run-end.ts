import { consoleUrl } from '../cloud/console-url.ts';
import type { AgentConfig } from '../config/agent-config.ts';
import type { JobEnd } from '../job/job-end.ts';
import { exitCodeOf } from '../outcome.ts';
import type { RunEnd } from './run-record.ts';

/** How a run ended: with a job or without one. */
export type Ended = Pick<JobEnd, 'outcome' | 'message'> & Partial<JobEnd>;

/** What is known of a run besides how its job ended. */
export interface RunFacts {
  readonly waitSeconds: number;
  readonly deploymentId?: string;
  /** The deployment's own page. */
  readonly deploymentUrl?: string;
  readonly runId?: string;
  readonly jobId?: string;
  /** Milliseconds since the epoch; absent when nothing was claimed. */
  readonly claimedAt?: number;
}

/** A run's end as its record takes it. `now` is in milliseconds since the epoch. */
export function runEnd(ended: Ended, { claimedAt, ...known }: RunFacts, config: AgentConfig, now: number): RunEnd {
  const page = consoleUrl(config.serviceUrl, config.organizationName);
  return {
    ...ended,
    exitCode: exitCodeOf(ended.outcome, config),
    serviceUrl: config.serviceUrl,
    ...(page === undefined ? {} : { consoleUrl: page }),
    ...known,
    ...(claimedAt === undefined ? {} : { claimedAt: new Date(claimedAt).toISOString() }),
    runSeconds: claimedAt === undefined ? 0 : (now - claimedAt) / 1000,
    forwarded: [...(ended.forwarded ?? [])],
    steps: [...(ended.steps ?? [])],
  };
}
