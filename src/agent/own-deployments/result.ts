import type { DeploymentName, StartedDeployments } from '../../cloud/started-deployments.ts';
import { defined } from '../../defined.ts';
import { messageOf } from '../../outcome.ts';
import type { OwnDeployment } from '../../record/deployment.ts';
import type { Log } from '../logging/log-line.ts';

const OPERATIONS_OF_DRIFT: ReadonlySet<string> = new Set(['detect-drift', 'remediate-drift']);

/** What a deployment did, as far as Pulumi Cloud tells. */
export type DeploymentResult = Pick<OwnDeployment, 'changes' | 'drift'>;

export interface ResultSources {
  readonly api: Pick<StartedDeployments, 'changes' | 'drift'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** Asks what a deployment of an operation did. Where the drift of its stack isn't told, its own changes tell it. Never rejects. */
export async function resultOf(
  name: DeploymentName,
  operation: string,
  { api, log, signal }: ResultSources,
): Promise<DeploymentResult> {
  const asked = <T>(answer: Promise<T>): Promise<T | undefined> =>
    answer.catch((error: unknown) => {
      log('debug', messageOf(error));
      return undefined;
    });
  const changes = await asked(api.changes(name, signal));
  if (!OPERATIONS_OF_DRIFT.has(operation)) return defined({ changes });
  const told = await asked(api.drift(name.stack, signal));
  return defined({ changes, drift: told ?? (changes && differs(changes)) });
}

/** True when anything but `same` was counted. */
function differs(changes: Readonly<Record<string, number>>): boolean {
  return Object.entries(changes).some(([kind, number]) => kind !== 'same' && number > 0);
}
