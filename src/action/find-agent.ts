import { setTimeout as delay } from 'node:timers/promises';
import type { Owner } from '../record/schema.ts';
import { eventsOf } from './report.ts';

/** Milliseconds that a process needs, at most, from its start to its first event. */
const FIRST_EVENT_MS = 5_000;
const LOOK_MS = 50;

/** The agent of a run whose main was ended while it started one, by its first event; undefined when there is none. */
export async function findAgent(runDirectory: string, signal: AbortSignal): Promise<Owner | undefined> {
  for (const end = performance.now() + FIRST_EVENT_MS; performance.now() < end && !signal.aborted; ) {
    for await (const event of eventsOf(runDirectory)) if (event.type === 'agent-started') return event.owner;
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  return undefined;
}
