import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { RUN_FILES } from '../record/files.ts';
import { isAlive } from '../record/owner.ts';
import { parseEvent } from '../record/reader.ts';
import type { Owner } from '../record/schema.ts';
import type { Target } from '../target/target.ts';
import { ownerLabels } from './labels.ts';
import { sweepOrphans } from './orphans.ts';

/** Milliseconds that the removal may take. */
const SWEEP_MS = 60_000;

/**
 * `pulumi-runner-agent sweep`: removes what the agent of a run directory left behind, by its owner's labels, and what other
 * agents of this host did that are provably dead. The engine ends a killed agent's container by itself, within `graceMs`
 * milliseconds that it gets for that; this makes sure. Nothing of an agent that lives. Returns one line per object removed.
 * Throws what the target throws.
 */
export async function sweep(runDirectory: string, target: Target, graceMs: number): Promise<string[]> {
  const signal = AbortSignal.timeout(SWEEP_MS + graceMs);
  const owner = await ownerOfRun(runDirectory);
  // One after the other: both would report what both see.
  const own = owner === undefined || isAlive(owner) ? [] : await target.sweep(ownerLabels(owner), signal, { graceMs });
  return [...own, ...(await sweepOrphans(target, hostname(), { signal }))];
}

async function ownerOfRun(runDirectory: string): Promise<Owner | undefined> {
  let events: string;
  try {
    events = await readFile(join(runDirectory, RUN_FILES.events), 'utf8');
  } catch (error) {
    // No events: the agent never began, so it made nothing.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  // The last line of a killed agent may be cut.
  const lines = events.split('\n').slice(0, -1);
  for (const line of lines) {
    const event = parseEvent(line);
    // Nothing behind it, such as a line that a full disk cut, keeps us from removing.
    if (event?.type === 'agent-started') return event.owner;
  }
  return undefined;
}
