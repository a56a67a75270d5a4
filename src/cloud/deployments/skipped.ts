import type { Clock } from '../../base/clock.ts';
import { clause, messageOf, type Verdict } from '../../base/outcome.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import type { DeploymentApi, DeploymentName } from '../deployment-api.ts';
import type { DeploymentView } from '../deployment-wire.ts';
import type { AdviceOptions } from './ask.ts';
import { failedElsewhere } from './errors.ts';
import { askPatiently } from './result.ts';

/**
 * Milliseconds in the queue after which Pulumi Cloud skips a deployment whatever comes after it (its
 * SDK, GetDeploymentResponse.Status), less an hour, as nobody says to the minute.
 */
const QUEUED_TOO_LONG_MS = (7 * 24 - 1) * 3_600_000;

interface SkippedSources extends AdviceOptions {
  readonly api: Pick<DeploymentApi, 'newestOf'>;
  readonly clock: Clock;
}

/**
 * The verdict on a deployment that Pulumi Cloud skipped: `skipped` if a newer one of its stack and
 * operation is listed, as skipIntermediateDeployments wants; `failed` after seven days in the queue,
 * and where that can't be told. Throws only the signal's reason.
 */
export async function skippedVerdict(
  { stack: of }: DeploymentName,
  { stack, operation, version: known }: OwnDeployment,
  { createdAt, version = known }: DeploymentView,
  { api, ...options }: SkippedSources,
): Promise<Verdict> {
  const red = (why: string) => failedElsewhere(operation, stack, `Pulumi Cloud skipped it${why}`);

  try {
    const { deployments, serverTime } = await askPatiently(() => api.newestOf(of, options.signal), options);
    const queuedMs = (serverTime ?? options.clock.now()) - createdAt;
    if (Number.isNaN(queuedMs)) return red(' after a time in the queue that it does not tell');
    if (queuedMs >= QUEUED_TOO_LONG_MS) return red(' after seven days in the queue');

    const newer = deployments.find(
      (each) =>
        each.pulumiOperation === operation &&
        (version === undefined || each.version === undefined
          ? each.createdAt > createdAt
          : each.version > version),
    );
    if (newer === undefined) return red(', and lists no newer one');

    const which = newer.version === undefined ? newer.id : `version ${newer.version}`;
    const message = `Pulumi Cloud skipped the ${operation} of ${stack} for a newer one, ${which}.`;
    return { outcome: 'skipped', message };
  } catch (error) {
    options.signal.throwIfAborted();
    return red(`; it is unknown whether that was for a newer one: ${clause(messageOf(error))}`);
  }
}
