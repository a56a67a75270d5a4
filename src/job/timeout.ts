import { JobDefinitionError } from '../cloud/errors.ts';
import type { JobDefinition } from '../cloud/wire.ts';
import { durationFromJob } from '../config/duration.ts';

/** A timeout in milliseconds; undefined for none. Throws JobDefinitionError that names `of`. */
export function timeoutMs(timeout: string | number | undefined, of: string): number | undefined {
  if (timeout === undefined) return undefined;
  try {
    // Go writes a zero duration where none is set.
    return durationFromJob(timeout) || undefined;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new JobDefinitionError(
      `Failed to read the timeout for ${of}: ${reason}. Correct it in the stack's deployment settings.`,
      { cause },
    );
  }
}

/** Reads every timeout of a job before anything starts, so that a bad one can't stop it half-way. */
export function checkTimeouts(definition: JobDefinition): void {
  timeoutMs(definition.timeout, 'the job');
  for (const [index, step] of definition.steps.entries()) timeoutMs(step.timeout, `step ${index}`);
}
