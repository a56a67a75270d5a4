import type { Clock } from '../clock.ts';
import { JobDefinitionError } from '../cloud/errors.ts';
import type { JobApi } from '../cloud/jobs.ts';
import { Outage, type OutageOptions } from '../cloud/outage.ts';
import type { JobDefinition } from '../cloud/wire.ts';
import { messageOf } from '../outcome.ts';
import { pauseAfter } from './pause.ts';
import type { StopSource } from './stop.ts';

/** Milliseconds for which a definition is asked for: as long as a lease lasts without a heartbeat. */
const PATIENCE_MS = 8 * 60_000;

export interface DefinitionSources {
  readonly api: Pick<JobApi, 'definition'>;
  readonly clock: Clock;
  readonly stop: StopSource;
  readonly say: OutageOptions['say'];
}

/**
 * Asks for the job's definition until it comes: a claim is never delivered again. Throws JobDefinitionError when it can't be run,
 * or hasn't come in 8 minutes, and the stop's reason.
 */
export async function readDefinition({ api, clock, stop, say }: DefinitionSources): Promise<JobDefinition> {
  const { signal } = stop;
  const outage = new Outage({ what: 'Reading the job definition', say, clock });
  const started = clock.steady();
  for (let failures = 1; ; failures += 1) {
    try {
      const definition = await api.definition(signal);
      outage.over();
      return definition;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof JobDefinitionError) throw error;
      outage.failed(error);
      if (clock.steady() - started >= PATIENCE_MS) {
        throw new JobDefinitionError(
          `${messageOf(error)} It was asked for during 8 minutes: start the deployment again.`,
          {
            cause: error,
          },
        );
      }
      await pauseAfter(failures, error, clock, signal);
      signal.throwIfAborted();
    }
  }
}
