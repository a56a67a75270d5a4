import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { loadAgentConfig, type Surroundings } from '../agent/configuration.ts';
import { ORPHAN_GRACE_MS, sweepOrphans } from '../agent/orphans.ts';
import { defined } from '../defined.ts';
import { endLeftContainers } from '../engines/pulumi/job-containers.ts';
import type { Executor } from '../executor/executor.ts';
import { ownerLabels } from '../executor/labels.ts';
import { executorAt, executorFor } from '../executor/registry.ts';
import { isAlive } from '../record/owner.ts';
import { parseEvent } from '../record/reader.ts';
import type { Owner, Place } from '../record/schema.ts';
import { RUN_FILES } from '../record/schema.ts';
import type { CommandSources } from './command-line.ts';

/** Milliseconds for the removal. */
const SWEEP_MS = 60_000;

interface SweepSources extends Omit<CommandSources<'sweep'>, 'process' | 'exit'> {
  readonly process: { readonly stdout: Pick<NodeJS.WriteStream, 'write'> };
}

/** Removes what a run's agent left, in the place that it recorded, else the configured one. Returns the exit code. */
export async function sweep({ command, process, ...surroundings }: SweepSources): Promise<number> {
  const { runDirectory, graceMs = ORPHAN_GRACE_MS } = command;
  const { owner, place, containers } = await tracesOf(runDirectory);
  if (containers.length > 0 && owner !== undefined && !isAlive(owner))
    for (const line of await endLeftContainers(surroundings.environment, containers, graceMs))
      process.stdout.write(`${line}\n`);
  const executor = await (place === undefined ? configuredExecutor(surroundings) : executorAt(place, surroundings));
  try {
    for (const line of await sweepAfter(owner, executor, graceMs)) process.stdout.write(`${line}\n`);
  } finally {
    await executor.close();
  }
  return 0;
}

function configuredExecutor(surroundings: Surroundings): Promise<Executor> {
  const flags = { defaults: {}, overrides: {}, labels: {} };
  return executorFor(loadAgentConfig(flags, surroundings, { purpose: 'offline' }).config, surroundings);
}

/**
 * Removes what the agent `owner` and other provably dead agents of this host left, found by their labels, and nothing
 * of a living agent. Waits up to `graceMs` milliseconds in all for containers to end a step by themselves; another
 * agent's that still runs by then is left alone. Returns one line per object. Throws what the executor throws.
 */
export async function sweepAfter(owner: Owner | undefined, executor: Executor, graceMs: number): Promise<string[]> {
  const signal = AbortSignal.timeout(SWEEP_MS + graceMs);
  const hurry = AbortSignal.timeout(graceMs);
  // In turn: side by side, both would report the objects that both see.
  const own =
    owner === undefined || isAlive(owner) ? [] : await executor.sweep(ownerLabels(owner), signal, { graceMs });
  const how = { signal, graceMs: ORPHAN_GRACE_MS, hurry };
  return [...own, ...(await sweepOrphans(executor, hostname(), how))];
}

interface Traces {
  readonly owner?: Owner;
  readonly place?: Place;
  /** Those of Pulumi's agent, which carry none of our labels. */
  readonly containers: readonly { readonly id: string; readonly name: string }[];
}

/** The owner of the run in a directory, and where it made objects, as far as recorded. Throws what node:fs throws. */
export async function tracesOf(runDirectory: string): Promise<Traces> {
  let text: string;
  try {
    text = await readFile(join(runDirectory, RUN_FILES.events), 'utf8');
  } catch (error) {
    // No events: the agent never began, so it made nothing.
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { containers: [] };
    throw error;
  }
  // A killed agent's last line may be cut off, and a full disk may cut any line: neither must stop the removal.
  const readable = (line: string) => {
    try {
      return parseEvent(line);
    } catch {
      return undefined;
    }
  };
  const events = text.split('\n').slice(0, -1).map(readable);
  const owner = events.find((event) => event?.type === 'agent-started')?.owner;
  const place = events.find((event) => event?.type === 'place')?.place;
  const containers = events.flatMap((event) =>
    event?.type === 'container' ? [{ id: event.id, name: event.name }] : [],
  );
  return { ...defined({ owner, place }), containers };
}
