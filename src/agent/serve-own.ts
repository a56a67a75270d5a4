import { type Clock, momentOf, passedSince } from '../clock.ts';
import { CloudUnreachableError } from '../cloud/errors.ts';
import type { Claim } from '../cloud/wire.ts';
import type { OwnDeployments } from '../deployments/own-deployments.ts';
import type { Say } from '../log/outage.ts';
import { failureOf } from '../outcome.ts';
import type { Reported, RunEnd } from '../record/run-record.ts';
import type { Health } from './health/health.ts';
import type { Prepuller } from './prepuller.ts';
import type { Readiness } from './readiness.ts';
import type { Waiting, WaitingOptions } from './waiting.ts';

/** The parts of an agent that wait for work. */
export interface WaitingParts {
  readonly newWaiting: (changes: Partial<WaitingOptions>) => Waiting;
  readonly prepuller: Prepuller;
  readonly readiness: Readiness;
}

/** The parts of the agent that a run with its own deployments needs. */
export interface ServingAgent extends WaitingParts {
  readonly clock: Clock;
  readonly say: Say;
  /** Aborts when the run must end. */
  readonly drain: AbortSignal;
  readonly health: Health;
  /** Serves a claim, and writes its record to `directory`, relative to the run's. */
  readonly serve: (
    claim: Claim,
    directory: string,
    waitSeconds: number,
    onReported: (event: Reported) => void,
  ) => Promise<RunEnd>;
}

/**
 * Serves the pool while own deployments wait there, and follows those elsewhere, until all end.
 * Never throws.
 */
export async function serveOwn(own: OwnDeployments, agent: ServingAgent) {
  const { clock, drain, say, newWaiting, health, prepuller, readiness, serve } = agent;
  const began = momentOf(clock);

  own.begin();

  const until = AbortSignal.any([drain, own.noneWaits]);
  const waiting = newWaiting({ drain: until, outlastsOutages: true, beforePoll: () => own.read() });
  let waitSeconds = 0;

  try {
    while (!until.aborted) {
      health.become('waiting');

      const since = clock.steady();
      const waited = await waiting.forWork().finally(() => {
        waitSeconds += (clock.steady() - since) / 1000;
      });

      prepuller.rest();

      if (!('claim' in waited)) {
        const sentence =
          'No work came within max_wait: this agent claims nothing more, and only follows the deployments that it started.';
        if (waited.ended === 'no-work') say('warning', sentence);
        break;
      }

      const { deploymentId } = waited.claim;
      const onReported = (event: Reported) => own.reported(deploymentId, event);
      const end = await serve(waited.claim, own.claimed(deploymentId), waitSeconds, onReported);

      await own.ended(deploymentId, end);
      if (end.outcome !== 'succeeded' && end.outcome !== 'refused' && !until.aborted)
        await readiness.proveExecutor();
    }
  } catch (error) {
    if (!drain.aborted && !(error instanceof CloudUnreachableError)) own.unclaimable(failureOf(error));
  }

  // For deployments that run elsewhere.
  health.become('waiting');

  const verdict = await own.end();
  return { verdict, waitSeconds, runSeconds: passedSince(began, clock).atLeast / 1000 };
}
