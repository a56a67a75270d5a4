import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { findPipeHolders, killTree, pipeLinks } from './process-tree.ts';

/** How long the runner waits, in milliseconds. */
export interface RunnerTimings {
  /** From SIGINT to SIGTERM. */
  readonly interruptMs: number;
  /** From SIGTERM to the kill. */
  readonly terminateMs: number;
  /** From the step's exit until the runner gives up pipes that another process holds open. */
  readonly pipeGraceMs: number;
  /** How long post may take; a cancelled job's window opens at the cancellation, and the job ends with it. */
  readonly postWindowMs: number;
}

/**
 * GitHub's figures (actions/runner, `ProcessInvoker`: 7.5 s, 2.5 s, 5 s; the job's cancel timeout: 5 min, the last 15 s
 * of which the runner keeps for itself).
 */
export const GITHUB_TIMINGS: RunnerTimings = {
  interruptMs: 7_500,
  terminateMs: 2_500,
  pipeGraceMs: 5_000,
  postWindowMs: 285_000,
};

/** The exit code of a `docker exec` that SIGINT ended. */
const EXEC_INTERRUPTED = 130;

/** A piece of output as it arrived. */
export interface OutputChunk {
  readonly stream: 'stdout' | 'stderr';
  readonly bytes: Buffer;
}

export interface StepExit {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  /** From start to exit, not counting any wait for pipes. */
  readonly durationMs: number;
  /** The time of the exit, by `performance.now()`. */
  readonly exitedAt: number;
  /** The processes that held stdout or stderr open after the exit, in words: GitHub's runner waits for them too. */
  readonly heldPipes: string | undefined;
}

export interface StepProcess {
  readonly pid: number;
  /** Settles when the process has ended and its output was read to the end or given up on. */
  readonly settled: Promise<StepExit>;
  kill(signal: NodeJS.Signals): void;
  /** Sends SIGINT, then SIGTERM, then SIGKILL; returns as soon as the step has settled. */
  cancel(): Promise<void>;
  /** Kills the process tree at once. */
  destroy(): Promise<void>;
}

export interface StepProcessOptions {
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timings: RunnerTimings;
  /** Whether a process of its own, as the runner's worker is one, starts the script: what kills it leaves the script. */
  readonly worker: boolean;
  /** Whether the job has a `container:`: a cancel ends only the runner's `docker exec`, not the process inside. */
  readonly container: boolean;
  readonly onChunk: (chunk: OutputChunk) => void;
}

/** Runs a script as its child, passes its output on and ends with it. */
const WORKER = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, [process.argv[1]], { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const name of ['stdout', 'stderr']) child[name].pipe(process[name]);
  child.once('close', (code) => process.exit(code ?? 1));`;

/** Starts a step's Node as the runner does: empty stdin, output to pipes, no new process group, a grace for pipes. */
export async function startStepProcess(options: StepProcessOptions): Promise<StepProcess> {
  const { script, cwd, env, timings, worker, container, onChunk } = options;
  const started = performance.now();
  const child = spawn(process.execPath, [...(worker ? ['--eval', WORKER] : []), script], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let listening = true;
  for (const stream of ['stdout', 'stderr'] as const) {
    // Output after the runner has given up is read and dropped, so that the writer does not block.
    child[stream].on('data', (bytes: Buffer) => {
      if (listening) onChunk({ stream, bytes });
    });
  }
  child.stdin.on('error', () => {}); // The step may be gone before its stdin is closed.
  child.stdin.end();
  const left = Promise.withResolvers<Omit<StepExit, 'heldPipes'>>();
  const leave = (exitCode: number | null, signal: NodeJS.Signals | null): void => {
    const exitedAt = performance.now();
    left.resolve({ exitCode, signal, durationMs: exitedAt - started, exitedAt });
  };
  child.once('exit', leave);
  const closed = new Promise((resolve) => child.once('close', resolve));
  await once(child, 'spawn');
  child.on('error', () => {}); // A signal could not be sent: the process is gone, as `exit` reports.
  const pid = child.pid as number;
  const links = pipeLinks(pid);
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;

  const settled = left.promise.then(async (exit) => {
    if (alive()) {
      listening = false;
      return { ...exit, heldPipes: undefined };
    }
    const found = findPipeHolders(links);
    const ended = await isWithin(closed, timings.pipeGraceMs);
    listening = false;
    if (!ended) for (const pipe of [child.stdout, child.stderr]) if (pipe instanceof Socket) pipe.unref();
    const holders = (await found).map(({ pid, command }) => `${pid} (${command.join(' ')})`).join(', ');
    const outcome = ended ? 'closed in time' : `given up after ${timings.pipeGraceMs} ms`;
    const isHeld = holders !== '' || !ended;
    return { ...exit, heldPipes: isHeld ? `${holders || 'an unknown process'}; ${outcome}` : undefined };
  });
  const destroy = async (): Promise<void> => {
    if (alive()) await killTree(pid);
  };
  return {
    pid,
    settled,
    kill: (signal) => child.kill(signal),
    destroy,
    cancel: async () => {
      if (container) {
        leave(EXEC_INTERRUPTED, null);
      } else {
        child.kill('SIGINT');
        if (await isWithin(settled, timings.interruptMs)) return;
        child.kill('SIGTERM');
        if (await isWithin(settled, timings.terminateMs)) return;
        // Elsewhere than on Windows, the runner kills this process alone (`NixKillProcessTree`).
        child.kill('SIGKILL');
      }
      await settled;
    },
  };
}

async function isWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const late = delay(ms, false, { signal: timer.signal }).catch(() => false);
  const inTime = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return inTime;
}
