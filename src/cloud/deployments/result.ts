import { defined } from '../../base/defined.ts';
import { messageOf, type Outcome } from '../../base/outcome.ts';
import { retry } from '../../base/retry.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import { jobCallWait } from '../backoff.ts';
import type { DeploymentApi, DeploymentName } from '../deployment-api.ts';
import { changesBy } from '../deployment-wire.ts';
import { CloudUnreachableError } from '../errors.ts';
import type { AdviceOptions } from './ask.ts';
import { isOver, resultOfRun } from './drift.ts';

/** Milliseconds to keep retrying, enough to outlast an outage of a minute. */
const PATIENCE_MS = 90_000;
const OPERATIONS_OF_DRIFT: ReadonlySet<string> = new Set(['detect-drift', 'remediate-drift']);

/** The results of a deployment, as far as Pulumi Cloud reports them. */
export type DeploymentResult = Pick<OwnDeployment, 'changes' | 'drift' | 'driftRun'>;

/**
 * Retries for a while if Pulumi Cloud can't be reached. Throws what the last attempt threw, or the
 * signal's reason.
 */
export async function askPatiently<T>(ask: () => Promise<T>, { clock, signal }: AdviceOptions): Promise<T> {
  const began = clock.steady();
  return await retry(
    ask,
    (error, failures) =>
      error instanceof CloudUnreachableError && clock.steady() - began < PATIENCE_MS
        ? jobCallWait(failures, error)
        : undefined,
    { clock, signal },
  );
}

/**
 * Asks what a deployment did. If the drift of its stack isn't reported, the deployment's own
 * changes decide. If the deployment did not succeed, the stack's drift may be an earlier one's:
 * only a detection's own run or changes then prove drift, and nothing proves its absence. Never
 * rejects.
 */
export async function resultOf(
  name: DeploymentName,
  { operation, outcome }: { readonly operation: string; readonly outcome: Outcome },
  { api, ...options }: AdviceOptions & { readonly api: DeploymentApi },
): Promise<DeploymentResult> {
  const { log, signal } = options;
  const asked = <T>(answer: Promise<T>): Promise<T | undefined> =>
    answer.catch((error: unknown) => {
      // Not every service reports it.
      log(error instanceof CloudUnreachableError ? 'warning' : 'debug', messageOf(error));
      return undefined;
    });

  const updates = await asked(api.updates(name, signal));
  const changes = updates && changesBy(updates);
  if (!OPERATIONS_OF_DRIFT.has(operation)) return defined({ changes });

  const differ = changes && differs(changes);
  const isDetection = operation === 'detect-drift';

  // The run of this very deployment says more than the stack's latest. Some fail where there is drift.
  const mayHaveRun = isDetection && (outcome === 'succeeded' || outcome === 'failed');
  const run = mayHaveRun ? await asked(api.driftRun(name, signal)) : undefined;
  const found = run !== undefined && isOver(run) ? resultOfRun(run) : undefined;

  if (outcome !== 'succeeded') {
    const known = found?.drift === true ? found : { drift: (isDetection && differ) || undefined };
    return defined({ changes, ...known });
  }

  if (found !== undefined) return { ...defined({ changes, drift: differ || undefined }), ...found };
  const drift = await asked(askPatiently(() => api.drift(name.stack, signal), options));

  return defined({ changes, drift: drift ?? differ });
}

/** True if anything but `same` was counted. */
function differs(changes: Readonly<Record<string, number>>): boolean {
  return Object.entries(changes).some(([kind, number]) => kind !== 'same' && number > 0);
}
