import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RUN_FILES } from '../record/files.ts';
import { parseEvent } from '../record/reader.ts';
import type { Target } from '../target/target.ts';
import { ownerLabels } from './labels.ts';

/** Milliseconds that the removal may take. */
const SWEEP_MS = 60_000;

/**
 * `pulumi-runner-agent sweep`: removes what the agent of a run directory left behind, by its owner's labels. The engine ends a
 * killed agent's container by itself; this makes sure. Returns one line per object removed. Throws what the target throws.
 */
export async function sweep(runDirectory: string, target: Target): Promise<string[]> {
  let events: string;
  try {
    events = await readFile(join(runDirectory, RUN_FILES.events), 'utf8');
  } catch (error) {
    // No events: the agent never began, so it made nothing.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  // The last line of a killed agent may be cut.
  const lines = events.split('\n').slice(0, -1);
  for (const line of lines) {
    const event = parseEvent(line);
    // Nothing behind it, such as a line that a full disk cut, keeps us from removing.
    if (event?.type === 'agent-started') return target.sweep(ownerLabels(event.owner), AbortSignal.timeout(SWEEP_MS));
  }
  return [];
}
