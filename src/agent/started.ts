import { join } from 'node:path';
import { elapsedSince, momentOf } from '../base/clock.ts';
import type { RunLog } from '../base/log/level.ts';
import { Outage } from '../base/log/outage.ts';
import { failureOf } from '../base/outcome.ts';
import { OwnDeployments } from '../cloud/deployments/own-deployments.ts';
import type { Triggered } from '../cloud/deployments/trigger-first.ts';
import { driftOf } from '../cloud/deployments/verdict.ts';
import { CloudUnreachableError, LostClaimError } from '../cloud/errors.ts';
import type { Claim } from '../cloud/job-wire.ts';
import { jobRecords } from '../record/digests.ts';
import { mirror, type RunEnd, type RunRecord } from '../record/run-record.ts';
import type { ClaimPause } from './claim-pause.ts';
import type { Health } from './health/health.ts';
import type { Prepuller } from './prepuller.ts';
import { runEnd } from './runs/end.ts';
import type { Records } from './runs/records.ts';
import type { Services } from './services.ts';
import type { Wait, WaitOptions } from './wait.ts';

export interface StartedOptions {
  readonly triggered: Triggered;
  /** The run's record, which repeats the events of each deployment's. */
  readonly run: RunRecord;
  /** The run directory, which contains each deployment's own. */
  readonly directory: string;
  readonly health: Health;
  readonly pause: ClaimPause;
  readonly prepuller: Prepuller;
  readonly records: Records;
  readonly say: RunLog;
  readonly newWait: (changes: Pick<WaitOptions, 'drain' | 'outlastsOutages' | 'beforePoll'>) => Wait;
  /** Serves a claim into a record, which the directory opens. Never throws. */
  readonly serve: (
    claim: Claim,
    waitSeconds: number,
    record: RunRecord,
    directory: string,
  ) => Promise<RunEnd>;
  /** Called when a claim's record is closed. */
  readonly onServed: () => void;
}

const ONLY_FOLLOWS = 'this agent claims nothing more, and only follows the deployments that it started.';

/**
 * Serves the pool while deployments that the run started wait there, and follows those elsewhere,
 * until all end. Each job has a record of its own. Never throws.
 */
export async function serveStarted(services: Services, options: StartedOptions): Promise<RunEnd> {
  const { config, clock, log, redactor, shutdown, stackOutputs } = services;
  const { triggered, run, directory, health, records, say } = options;

  const own = new OwnDeployments({
    config,
    clock,
    log,
    redactor,
    starts: triggered.starts,
    elsewhere: triggered.elsewhere,
    api: triggered.api,
    stackOutputs,
    directory,
    record: run,
    newRecord: () => records.begin(() => undefined),
    outage: new Outage('Following the deployments', { say, clock }),
    drain: shutdown.drain,
    isFaulty: () => shutdown.error !== undefined,
    health,
  });

  const began = momentOf(clock);
  own.begin();
  const waitSeconds = await servePool(services, own, options);

  // For deployments that run elsewhere.
  health.become('waiting');

  const verdict = await own.end();
  const runSeconds = elapsedSince(began, clock).atLeast / 1000;
  const end = runEnd(verdict, { waitSeconds, ...own.first }, config, clock);

  return {
    ...end,
    runSeconds,
    deployments: [...own.list],
    records: await jobRecords(directory),
    drift: driftOf(own.list),
  };
}

/** Serves the pool while own deployments wait there. Returns the seconds without work. Never throws. */
async function servePool(services: Services, own: OwnDeployments, options: StartedOptions): Promise<number> {
  const { clock, shutdown, version, owner, redactor } = services;
  const { run, directory, health, pause, prepuller, records, say, newWait, serve, onServed } = options;
  const { drain } = shutdown;
  const until = AbortSignal.any([drain, own.noneWaits]);
  const wait = newWait({ drain: until, outlastsOutages: true, beforePoll: () => own.read() });
  let waitSeconds = 0;

  try {
    while (!until.aborted) {
      health.become('waiting');

      const since = clock.steady();
      const waitEnd = await wait.forWork().finally(() => {
        waitSeconds += (clock.steady() - since) / 1000;
      });

      prepuller.rest();

      if (!('claim' in waitEnd)) {
        if (waitEnd.ended === 'no-work') say('warning', `No work came within max_wait: ${ONLY_FOLLOWS}`);
        break;
      }

      const { deploymentId } = waitEnd.claim;
      const path = own.claimed(deploymentId);
      const record = records.begin(mirror(run, path, (event) => own.reported(deploymentId, event)));
      record.event({ type: 'agent-started', version, owner });
      const end = await serve(waitEnd.claim, waitSeconds, record, join(directory, path));

      // Redact now: the run's record quotes this after the job's secrets are forgotten.
      const message = redactor.text(end.message);
      onServed();
      records.close(record, end);

      await own.ended(deploymentId, { ...end, message });
      health.become('waiting');
      await pause.over(until);
    }
  } catch (error) {
    if (error instanceof LostClaimError)
      say('warning', `The answers to several polls in a row were lost: ${ONLY_FOLLOWS}`);
    if (!drain.aborted && !(error instanceof CloudUnreachableError)) own.unclaimable(failureOf(error));
  }

  return waitSeconds;
}
