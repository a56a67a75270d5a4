import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { clause, messageOf } from '../outcome.ts';
import type { Place } from '../record/schema.ts';
import { eventsOf } from './report.ts';

/** Milliseconds that a container gets to end by itself, and those that are kept for its removal. */
const GRACE_MS = 12_000;
const REMOVAL_MS = 2_000;

export interface SweepCommand {
  readonly nodePath: string;
  /** Path of the agent's entry. */
  readonly script: string;
  readonly runDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly deadlineMs: number;
  /** Kills the sweep when it aborts. */
  readonly signal: AbortSignal;
}

/** What a sweep found: a sentence for each object it removed. */
export type Sweep = { readonly removed: readonly string[] } | { readonly problem: string; readonly left: Left };

/** What a run may have left where no sweep came to look. */
type Left = Place | 'nothing';

/**
 * Removes what a dead agent left behind, once it had its time to end by itself. Idempotent. Never throws: where a sweep fails,
 * `problem` says why. One that overruns its deadline, or that was given up, is killed: it has ended when this returns.
 */
export async function sweep(command: SweepCommand): Promise<Sweep> {
  const { nodePath, script, runDirectory, environment, deadlineMs, signal } = command;
  const grace = `${Math.max(0, Math.min(GRACE_MS, deadlineMs - REMOVAL_MS))}ms`;
  const child = spawn(nodePath, [script, 'sweep', '--run-directory', runDirectory, '--grace', grace], {
    cwd: dirname(script),
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [printed, said, killed] = ['', '', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const kill = (reason: string): void => {
    killed = reason;
    child.kill('SIGKILL');
    // A program that it started may hold these open.
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  };
  const timer = setTimeout(() => kill(`it took longer than ${deadlineMs / 1000} s`), deadlineMs);
  const onAbort = (): void => kill('it was given up');
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    const [exitCode] = await once(child, 'close');
    if (killed === '' && exitCode === 0) return { removed: lines(printed) };
    const problem = killed || (lines(said).at(-1) ?? `it ended with exit code ${exitCode}`);
    return { problem, left: await leftBy(runDirectory) };
  } catch (error) {
    return { problem: messageOf(error), left: await leftBy(runDirectory) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  }
}

/** The sentence that tells what a sweep found. */
export function describeSweep(result: Sweep): string {
  if ('problem' in result) {
    if (result.left === 'nothing') return 'Nothing had been claimed, so there is nothing to remove.';
    return `What the run may have left could not be looked for: ${clause(result.problem)}. ${look(result.left)}`;
  }
  if (result.removed.length === 0) return 'Nothing was left to remove.';
  return result.removed.join(' ');
}

function look(left: Place): string {
  if (left.target === 'docker') return 'Look for containers with `docker ps -a`.';
  const command = `kubectl get pods -n ${left.namespace} -l app.kubernetes.io/managed-by=pulumi-runner-agent`;
  return `A pod ends by itself within 5 minutes of its agent; \`${command}\` shows those that are there.`;
}

/** What the run of a directory may have left, and where, as far as it came to write that. Never throws. */
export async function leftBy(runDirectory: string): Promise<Left> {
  let left: Left = 'nothing';
  try {
    for await (const event of eventsOf(runDirectory)) {
      if (event.type === 'place') return event.place;
      if (event.type === 'claimed') left = { target: 'docker' };
    }
  } catch {
    // What can't be read doesn't keep anybody from sweeping.
    return { target: 'docker' };
  }
  return left;
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
