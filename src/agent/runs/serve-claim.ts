import { momentOf, passedSince } from '../../clock.ts';
import { consoleUrl } from '../../cloud/organization-wire.ts';
import type { Claim } from '../../cloud/wire.ts';
import { defined } from '../../defined.ts';
import { withEntry } from '../../error-codes.ts';
import { codeOf, messageOf } from '../../outcome.ts';
import type { RunEnd } from '../../record/run-record.ts';
import { type ClaimedRunOptions, runClaim } from '../claimed-run.ts';
import type { Metrics } from '../health/metrics.ts';
import type { RunIds } from '../logging/log-line.ts';
import { type RunFacts, runEnd } from './end.ts';

export interface ServeOptions extends Omit<ClaimedRunOptions, 'notice'> {
  readonly metrics: Metrics;
  /** For the record; without one it is open. */
  readonly directory: string | undefined;
  readonly onRun?: (run: RunIds) => void;
}

/** Serves a claim, and records it from the claim on. Never throws. */
export async function serveClaim(
  claim: Claim,
  facts: Pick<RunFacts, 'waitSeconds' | 'deploymentUrl'>,
  options: ServeOptions,
): Promise<RunEnd> {
  const { config, clock, log, metrics, record, directory, onRun } = options;
  const claimedAt = momentOf(clock);
  const notice = (message: string) => {
    log('warning', message);
    record.notice('warning', message);
  };
  try {
    if (directory !== undefined) record.open(directory);
  } catch (error) {
    // Pulumi Cloud gives the deployment to no other agent: it is run without a record.
    notice(withEntry(messageOf(error), codeOf(error)));
  }
  const { deploymentId, runId, jobId } = claim;
  const ids = { deploymentId, runId, jobId };
  onRun?.(ids);
  log('info', `Claimed deployment ${deploymentId} (job ${jobId}).`);
  const page = consoleUrl(config.serviceUrl, config.organizationName);
  record.event({ type: 'claimed', ...ids, ...facts, ...defined({ consoleUrl: page }) });
  const end = await runClaim(claim, { ...options, notice });
  metrics.job({ ...end, seconds: passedSince(claimedAt, clock).surely / 1000 });
  return runEnd(end, { ...ids, ...facts, claimedAt }, config, clock);
}
