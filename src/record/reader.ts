import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OutcomeError } from '../base/outcome.ts';
import { type RecordEvent, RUN_FILES, type RunResult, recordEventSchema, runResultSchema } from './schema.ts';

/**
 * Parses a line of events.ndjson. Undefined for an unknown event. Throws OutcomeError `failed` if
 * it isn't JSON.
 */
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

/** The readable events of a run, in order; none without a file. Throws what node:fs throws. */
export async function readEvents(directory: string): Promise<RecordEvent[]> {
  const read = (name: string) => readFile(join(directory, name), 'utf8').catch(whenGone(undefined));
  const lines = (await read(RUN_FILES.events))?.split('\n').slice(0, -1) ?? [];
  const events = readable(lines, parseEvent);
  if (events.some(({ type }) => type === 'reported')) return events;
  // A full disk may have kept it from its place.
  const reserved = (await read(RUN_FILES.unfinished))?.trimEnd().split('\n').slice(-1) ?? [];
  return [...events, ...readable(reserved, parseEvent)];
}

/**
 * The lines as `parse` reads them, without those that it throws for: a killed agent or a full disk
 * may cut any.
 */
export function readable<T extends object>(
  lines: readonly string[],
  parse: (line: string) => T | undefined,
): T[] {
  return lines.flatMap((line) => {
    try {
      return parse(line) ?? [];
    } catch {
      return [];
    }
  });
}

/**
 * Reads run.json; undefined until the agent has written it. Throws OutcomeError `failed` if it is
 * invalid.
 */
export async function readResult(directory: string): Promise<RunResult | undefined> {
  const text = await readFile(join(directory, RUN_FILES.result), 'utf8').catch(whenGone(undefined));
  if (text === undefined) return undefined;

  try {
    return runResultSchema.parse(JSON.parse(text));
  } catch (cause) {
    const message = `Failed to read the result for ${directory}: ${RUN_FILES.result} is not what this version writes.`;
    throw new OutcomeError('failed', message, { code: 'PRA-RECORD-09', cause });
  }
}

/**
 * A `catch` handler that returns `value` for a missing file, as another agent may have removed it;
 * rethrows others.
 */
export function whenGone<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return value;
    throw error;
  };
}
