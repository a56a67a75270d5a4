import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ListenOptions } from 'node:net';
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import type { RunRecord } from '../record/run-record.ts';

/** Between snapshots, between tries until the first answer, and for one answer. */
const SNAPSHOT_MS = 30_000;
const FIRST_MS = 1_000;
const ANSWER_MS = 5_000;

const pageSchema = z.object({ status: z.string(), lastActivity: z.string() }).partial();

/**
 * Below ephemeral ports (from 32768 on Linux, 49152 elsewhere), so no other program is assigned the
 * port meanwhile.
 */
const PORTS = { first: 20_000, end: 32_768 } as const;
const MAX_TRIES = 20;

/** A port that is free right now: the agent needs a number and doesn't accept 0. */
export async function freePort(): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = randomInt(PORTS.first, PORTS.end);
    if ((await canListen({ port })) || tries === MAX_TRIES) return port;
  }
}

/** True if this machine can listen there; a port of 0 is any free one. */
export async function canListen(place: ListenOptions): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(place), 'listening');
    await once(server.close(), 'close');
    return true;
  } catch {
    return false;
  }
}

export interface HealthWatchOptions {
  readonly url: string;
  readonly pid: number;
  readonly record: { event: RunRecord['event']; health: RunRecord['health'] };
  readonly state: () => string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Polls the agent's `/healthz` and records the answers until the signal aborts. Never rejects. */
export async function watchHealth({
  url,
  pid,
  record,
  state,
  clock,
  signal,
}: HealthWatchOptions): Promise<void> {
  for (let answers = 0; !signal.aborted; ) {
    const page = await pageAt(url, signal);
    if (page !== undefined) {
      answers += 1;
      if (answers === 1) record.event({ type: 'health-listening', url });
      const t = new Date(clock.now()).toISOString();
      const { isHealthy, lastActivity = t } = page;
      const status = isHealthy ? 'healthy' : 'unhealthy';
      record.health({ t, status, state: state(), lastActivity, rssBytes: rssOf(pid) });
    }

    await clock.sleep(answers === 0 ? FIRST_MS : SNAPSHOT_MS, signal).catch(() => undefined);
  }
}

async function pageAt(url: string, signal: AbortSignal) {
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]) });
    const page = pageSchema.safeParse(await answer.json()).data;
    return { isHealthy: answer.ok, lastActivity: page?.lastActivity };
  } catch {
    return undefined;
  }
}

function rssOf(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
