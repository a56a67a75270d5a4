import type { Clock } from '../../base/clock.ts';
import { durationFromJob } from '../../base/config/duration.ts';
import { DEFAULT_IMAGE } from '../../base/config/keys/run.ts';
import type { RunLog } from '../../base/log/level.ts';
import { Outage } from '../../base/log/outage.ts';
import { messageOf } from '../../base/outcome.ts';
import { span } from '../../base/quantity.ts';
import { retry } from '../../base/retry.ts';
import { jobCallWait } from '../../cloud/backoff.ts';
import { JobDefinitionError } from '../../cloud/errors.ts';
import { FENCE_MS } from '../../cloud/fence.ts';
import type { JobDefinition } from '../../cloud/job-wire.ts';
import type { JobValue } from '../../cloud/secret-value.ts';
import type { ContainerSpec } from '../../executor/executor.ts';
import { parseReference } from '../../executor/image-reference.ts';
import type { StopSource } from './stop.ts';

/** The work of a job, whatever type of workflow it belongs to. */
export interface Work {
  /** What it says it is, where that isn't a deployment. */
  readonly kind?: string | undefined;
  readonly credentials?: ContainerSpec['credentials'] | undefined;
  readonly platform?: string | undefined;
  /** The agent's default if absent. */
  readonly image?: string | undefined;
  readonly shell: string;
  readonly env: Readonly<Record<string, JobValue>>;
  /** For the whole job; no limit if absent. */
  readonly timeoutMs?: number | undefined;
  /** The first stands for the agent's own preparation: its script never runs. */
  readonly steps: readonly WorkStep[];
}

export interface WorkStep {
  readonly name: string;
  readonly script: string;
  readonly workingDirectory?: string | undefined;
  /** No limit if absent. */
  readonly timeoutMs?: number | undefined;
}

/**
 * Converts a definition to work. Throws JobDefinitionError for an invalid timeout, before anything
 * has started.
 */
export function workOf({ image, os, architecture, shell, env, timeout, steps, kind }: JobDefinition): Work {
  return {
    kind,
    image: image.reference,
    credentials: image.credentials,
    platform: os === undefined || architecture === undefined ? undefined : `${os}/${architecture}`,
    timeoutMs: timeoutMs(timeout, 'the job'),
    shell,
    env,
    steps: steps.map(({ name = '', run, workingDir, timeout: limit }, index) => ({
      name: name || `Step ${index}`,
      script: run,
      workingDirectory: workingDir,
      timeoutMs: timeoutMs(limit, `step ${index}`),
    })),
  };
}

/**
 * The deployment's login for `image`, which the runner can have chosen: only the registry of the
 * deployment's own image gets it.
 */
export function loginFor(
  { image = DEFAULT_IMAGE, credentials }: Pick<Work, 'image' | 'credentials'>,
  chosenImage: string,
): Work['credentials'] {
  const isSame = parseReference(image).registry === parseReference(chosenImage).registry;
  return isSame ? credentials : undefined;
}

function timeoutMs(timeout: string | number | undefined, of: string): number | undefined {
  if (timeout === undefined) return undefined;

  try {
    // Go writes zero for an unset duration.
    return durationFromJob(timeout) || undefined;
  } catch (cause) {
    const advice = "Correct it in the stack's deployment settings.";
    const message = `Failed to read the timeout for ${of}: ${messageOf(cause)}. ${advice}`;
    throw new JobDefinitionError(message, { cause, code: 'PRA-CLOUD-07' });
  }
}

/** The call that reads a job's definition. */
export interface DefinitionCall {
  definition(signal: AbortSignal): Promise<JobDefinition>;
}

/**
 * Reads the job's definition, retrying until the lease would be over. Throws JobDefinitionError and
 * the stop's reason.
 */
export async function readWork(
  api: DefinitionCall,
  stop: StopSource,
  clock: Clock,
  say: RunLog,
): Promise<Work> {
  const { signal } = stop;
  const outage = new Outage('Reading the job definition', { say, clock });
  const started = clock.steady();

  const pauseMs = (cause: unknown, failures: number) => {
    signal.throwIfAborted();
    if (cause instanceof JobDefinitionError) return undefined;
    outage.failed(cause);
    if (clock.steady() - started < FENCE_MS) return jobCallWait(failures, cause);

    const advice = `It could not be read for ${span(FENCE_MS)}: start the deployment again.`;
    // Whatever refuses this one call can refuse it for the next deployment too.
    const options = { cause, code: 'PRA-CLOUD-06', fault: 'elsewhere' } as const;
    throw new JobDefinitionError(`${messageOf(cause)} ${advice}`, options);
  };

  const read = async () => workOf(await api.definition(signal));
  const work = await retry(read, pauseMs, { clock, signal });
  outage.over();
  return work;
}
