import { join } from 'node:path';
import { stripControl } from '../../base/log/plain-text.ts';
import { lastLines } from '../growing-lines.ts';
import type { StackLock } from '../stack-lock.ts';
import { HEADING } from './changes.ts';
import { INTERRUPTED } from './interrupt.ts';

const MAX_BYTES = 256 * 1024;
const MAX_LINES = 5_000;
const MAX_LINE = 2_000;

/** Pulumi Cloud's refusal as the CLI prints it (backenderr.ConflictingUpdateError). */
const CONFLICT = /^error: \[409\] Conflict: Another update is currently in progress\b/;
/** The page that the CLI names below any conflict. */
const CONFLICT_PAGE = /^To learn more about .*\/update-conflicts\/?$/;
const DURATION = /^Duration: /;

/** A shell's exit code for a program killed by SIGKILL. */
const KILLED = 137;

/** What a job's own end tells about its stack's lock: all of it is a claim of the job. */
export type LockSign = 'conflict' | 'forced' | 'interrupted' | 'released';

/** A sign, and the step that gave it. */
export interface LockHint {
  readonly sign: LockSign;
  readonly step: string;
}

/** A stack's lock as far as a job's own end tells. */
export function lockBy({ sign, step }: LockHint): StackLock {
  switch (sign) {
    case 'conflict':
      return { state: 'held', conflict: true };
    case 'forced':
      return { state: 'unknown', step };
    case 'released':
      return { state: 'released' };
    case 'interrupted':
      return { state: 'unknown', step, interrupted: true };
  }
}

interface EndedStep {
  readonly index: number;
  readonly name: string;
  readonly status: string;
  readonly exitCode?: number | undefined;
  readonly failure?: string | undefined;
  readonly endedByForce?: true | undefined;
  readonly log?: string | undefined;
}

/**
 * The step was killed, and with it any engine that held the stack's lock. Step 0 is the agent's
 * preparation.
 */
export function wasEndedByForce({ index, status, exitCode, endedByForce }: EndedStep): boolean {
  if (index === 0 || status === 'succeeded' || status === 'not-started') return false;
  return status === 'running' || exitCode === KILLED || endedByForce === true;
}

/**
 * What a job's failed step, or the last one that ran before a stop, tells about its stack's lock, by its end and the end
 * of its output; undefined if nothing. Throws what node:fs throws.
 */
export async function lockHint(
  directory: string,
  steps: readonly EndedStep[],
): Promise<LockHint | undefined> {
  const first = steps.findIndex(
    ({ index, status }) => index > 0 && (status === 'failed' || status === 'running'),
  );
  const teller = steps[first]?.failure === 'not-run' ? steps[first - 1] : steps[first];
  if (teller === undefined || teller.index === 0) return undefined;
  const { name: step, log } = teller;
  if (wasEndedByForce(teller)) return { sign: 'forced', step };
  if (log === undefined) return undefined;
  const sign = lockSignIn(await lastLines(join(directory, log), MAX_LINES, MAX_BYTES));
  return sign && { sign, step };
}

/**
 * What an update's output says about its stack's lock: `conflict` if another update held it,
 * `released` if an interrupt made the CLI end the update itself, `interrupted` if that end is missing. Nothing of a
 * preview, which holds no lock.
 */
export function lockSignIn(lines: readonly string[]): LockSign | undefined {
  const plain = lines.map((line) => stripControl(line).slice(0, MAX_LINE).trimEnd());
  const refused = plain.findLastIndex((line) => CONFLICT.test(line) || CONFLICT_PAGE.test(line));
  const interrupted = plain.findLastIndex((line) => INTERRUPTED.test(line));
  if (refused > interrupted) return 'conflict';
  if (interrupted < 0) return undefined;
  // The CLI's summary is the last thing that an update prints. A preview prints no duration.
  if (plain.slice(interrupted).some((line) => DURATION.test(line))) return 'released';
  const heading = plain.slice(0, interrupted).findLast((line) => HEADING.test(line));
  return heading?.startsWith('Previewing ') ? undefined : 'interrupted';
}
