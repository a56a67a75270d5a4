import { join } from 'node:path';
import { type ErrorCode, withEntry } from '../base/error-codes.ts';
import { plainText } from '../base/log/plain-text.ts';
import { clause, messageOf, OUTCOMES, type Outcome, outcomeOf } from '../base/outcome.ts';
import { ORPHAN_GRACE_MS } from '../base/owner.ts';
import type { ProcessExit } from '../base/process.ts';
import { lastLines } from '../record/growing-lines.ts';
import { type RunReport, reportWithout } from '../record/report/report.ts';
import { RUN_FILES } from '../record/schema.ts';
import type { Engine } from './engine.ts';
import { runCommand } from './engine-process.ts';
import type { Host } from './host.ts';

const LOG_LINES = 30;

/** Characters of a warning. */
const MAX_TEXT = 2_000;

/** The end of a claimed deployment whose agent is gone. */
const LEASE_EXPIRY =
  "Unless it had reported the job's end, Pulumi Cloud fails the deployment 10 minutes after the last heartbeat.";

/** Reserved for removing a job's container. */
const REMOVAL_MS = 2_000;

/**
 * Removes the remains of an engine that died without a result, and reports on its run: with the
 * outcome of its exit code, else that of the verdict it recorded, else as failed.
 */
export async function reportDead(
  host: Host,
  {
    engine,
    runDirectory,
    exit,
    stopping,
    deadlineMs,
    signal,
  }: {
    readonly engine: Engine;
    readonly runDirectory: string;
    /** How it ended, which its parent alone knows. */
    readonly exit?: ProcessExit | undefined;
    /** The CI job was cancelled; by default if `signal` aborts meanwhile. */
    readonly stopping?: boolean | undefined;
    readonly deadlineMs: number;
    readonly signal: AbortSignal;
  },
): Promise<RunReport> {
  host.group("The end of the agent's own log");

  const log = await lastLines(join(runDirectory, RUN_FILES.log), LOG_LINES);
  await host.print(log, signal);
  host.endGroup();

  const removal = await sweep({ engine, runDirectory, deadlineMs, signal });
  const report = await reportWithout(runDirectory, { outcome: 'failed', message: '' });
  const isCancelled = stopping ?? signal.aborted;
  const { deploymentId, exitCode: recordedExitCode } = report;
  const { code, sentence } = howItEnded(exit);
  const outcome = outcomeOfExit(exit, deploymentId !== undefined) ?? report.outcome;

  if (recordedExitCode !== undefined && outcome === report.outcome) {
    host.warning(
      withEntry(plainText(`${sentence} It had recorded how the run ended. ${removal}`, MAX_TEXT), code),
    );
    return report;
  }

  if (deploymentId === undefined && isCancelled) {
    // A process that has just started does not handle signals yet.
    const nothing = `The CI job was cancelled before the agent had claimed anything. ${removal}`;
    return { ...report, outcome: 'interrupted', message: nothing };
  }

  const { sentence: meaning } = OUTCOMES[outcome];
  if (outcome === 'succeeded' || outcome === 'no-work') {
    host.warning(
      withEntry(plainText(`${sentence} Its exit code decides the outcome. ${removal}`, MAX_TEXT), code),
    );
    return { ...report, outcome, message: meaning, ...(deploymentId !== undefined && { reported: true }) };
  }

  const message = [
    outcome !== 'failed' && meaning,
    sentence,
    outcome === 'failed' && deploymentId && LEASE_EXPIRY,
    removal,
  ];

  return { ...report, outcome, code, message: message.filter(Boolean).join(' ') };
}

/**
 * The outcome by which an engine ended itself; undefined if something else ended it, or its parent
 * is gone.
 */
function outcomeOfExit(exit: ProcessExit | undefined, hasClaim: boolean): Outcome | undefined {
  const outcome = typeof exit?.code === 'number' ? outcomeOf(exit.code) : undefined;
  return outcome === 'succeeded' && !hasClaim ? 'no-work' : outcome;
}

function howItEnded(exit: ProcessExit | undefined): { code: ErrorCode; sentence: string } {
  if (typeof exit?.code === 'number') {
    const sentence = `The agent ended with exit code ${exit.code} and without a result; the end of its log above says why.`;
    return { code: 'PRA-CONFIG-15', sentence };
  }
  const by = exit?.signal ? ` by ${exit.signal}` : '';
  return { code: 'PRA-CONFIG-14', sentence: `The agent was killed${by} before it could write a result.` };
}

/**
 * Removes the remains of a dead engine, after a grace period in which it can end by itself. Returns a
 * sentence on them. Idempotent. Never throws. The sweep is killed at its deadline or when its signal
 * aborts: it has ended when this returns.
 */
export async function sweep({
  engine,
  runDirectory,
  deadlineMs,
  signal,
}: {
  readonly engine: Engine;
  readonly runDirectory: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}): Promise<string> {
  const graceMs = Math.max(0, Math.min(ORPHAN_GRACE_MS, deadlineMs - REMOVAL_MS));
  const command = engine.sweep(runDirectory, graceMs);
  const end = await runCommand(command, 'SIGKILL', { deadlineMs, signal }).catch((error: unknown) => ({
    code: null,
    stopReason: messageOf(error),
    output: '',
    log: '',
  }));
  if (end.stopReason === undefined && end.code === 0)
    return linesOf(end.output).join(' ') || 'Nothing was left to remove.';

  const problem = end.stopReason ?? linesOf(end.log).at(-1) ?? `it ended with exit code ${end.code}`;
  return `Failed to look for the remains of the run: ${clause(problem)}. ${engine.leftovers}`;
}

/** The lines that aren't blank, trimmed. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '');
}
