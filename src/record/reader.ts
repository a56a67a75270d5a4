import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutcomeError } from '../outcome.ts';
import { type RecordEvent, RUN_FILES, type RunResult, recordEventSchema, runResultSchema } from './schema.ts';

/** One line of events.ndjson. Undefined for a type this version doesn't know. Throws OutcomeError `failed` when it isn't JSON. */
export function parseEvent(line: string): RecordEvent | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    const message = `Failed to read an event for the run: ${line.slice(0, 200)} is not JSON. Report this as a bug.`;
    throw new OutcomeError('failed', message, { code: 'PRA-RECORD-08', cause });
  }
  const parsed = recordEventSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** run.json, or undefined while the agent hasn't written it. Throws OutcomeError `failed` when it can't be understood. */
export async function readResult(directory: string): Promise<RunResult | undefined> {
  const text = await readFile(join(directory, RUN_FILES.result), 'utf8').catch(noneWhereMissing);
  if (text === undefined) return undefined;
  try {
    return runResultSchema.parse(JSON.parse(text));
  } catch (cause) {
    const message = `Failed to read the result for ${directory}: ${RUN_FILES.result} is not what this version writes.`;
    throw new OutcomeError('failed', message, { code: 'PRA-RECORD-09', cause });
  }
}

/** What `catch` gets of a file that may be missing. Throws what node:fs throws else. */
export function noneWhereMissing(error: unknown): undefined {
  if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
}
