import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { plainText } from '../base/log/plain-text.ts';
import { OutcomeError } from '../base/outcome.ts';
import type { Owner } from '../base/owner.ts';
import { isAlive, ownerOf } from '../base/owner.ts';
import type { Command, ProcessExit } from '../base/process.ts';
import { RUN_FILES } from '../record/schema.ts';
import type { Engine } from './engine.ts';

/** For a command to exit after it was signalled. */
const LEAVE_MS = 1_000;

/** Characters of a command's output. */
const MAX_OUTPUT = 1024 * 1024;

/** Last characters of a command's log: a crash prints its cause and stack there. */
const MAX_LOG = 2_000;

export interface EngineProcess {
  readonly owner: Owner;
  isAlive(): boolean;
  /** Sends a signal, unless it has ended. */
  kill(signal: NodeJS.Signals): void;
  /** How it ended; undefined if it still runs after `ms`, or when `signal` aborts. */
  exit(ms: number, signal: AbortSignal): Promise<ProcessExit | undefined>;
}

/**
 * Starts the engine in its own session, so that it survives the end or the cancellation of this
 * step. Its output goes to agent.log: a CI system would wait for a process that holds the step's
 * pipes. Its input ends with this process. It writes the outputs of its stacks to `stackOutputsFile`.
 * @throws OutcomeError `failed` when it can't be started
 */
export async function startEngine(
  engine: Engine,
  runDirectory: string,
  stackOutputsFile?: string,
): Promise<EngineProcess> {
  const { program, args, directory: cwd, environment: env } = engine.run(runDirectory, stackOutputsFile);
  await using log = await open(join(runDirectory, RUN_FILES.log), 'a', 0o600);
  const { child, pid } = await startProcess(() =>
    spawn(program, args, { cwd, env, detached: true, stdio: ['pipe', log.fd, log.fd] }),
  ).catch((cause: Error) => {
    const advice = 'Use a released version, or build the dist folder (`npm run build`).';
    const sentence = `Failed to start the agent with ${program} in ${cwd}: ${cause.message}. ${advice}`;
    throw new OutcomeError('failed', sentence, { code: 'PRA-CONFIG-10', cause });
  });
  const exit = new Promise<ProcessExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });

  child.stdin?.on('error', () => undefined);
  if (child.stdin instanceof Socket) child.stdin.unref();
  child.unref();

  return {
    owner: ownerOf(pid),
    isAlive: () => child.exitCode === null && child.signalCode === null,
    kill: (signal) => void child.kill(signal),
    exit: (ms, signal) => Promise.race([exit, delay(ms, undefined, { signal }).catch(() => undefined)]),
  };
}

/** Starts a process, and waits until it has. Throws what `spawn` throws, and what it emits instead of starting one. */
async function startProcess<T extends ChildProcess>(start: () => T): Promise<{ child: T; pid: number }> {
  const child = start();
  const { pid } = child;
  if (pid !== undefined) return { child, pid };
  const [error]: unknown[] = await once(child, 'error');
  throw error;
}

/**
 * Resolves to true when the process has ended, to false after `ms` or when `signal` aborts.
 */
export async function waitForEnd(owner: Owner, ms: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(owner)) {
    if (performance.now() >= deadline || signal?.aborted) return false;
    await delay(50);
  }
  return true;
}

interface CommandLimits {
  /** It is killed then. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Called with each line of its standard error. */
  readonly onLogLine?: ((line: string) => void) | undefined;
}

/**
 * Runs a short command of an engine, which gets `killSignal` when it is to stop. Returns its exit
 * code, null if a signal ended it; the reason why it was stopped, if it was; its output, and the end
 * of its standard error. Throws what `spawn` throws or emits when it can't be started.
 */
export async function runCommand(
  command: Command,
  killSignal: 'SIGINT' | 'SIGKILL',
  { deadlineMs, signal, onLogLine }: CommandLimits,
): Promise<{ code: number | null; stopReason: string | undefined; output: string; log: string }> {
  const { program, args, directory, environment } = command;
  const { child } = await startProcess(() =>
    spawn(program, args, { cwd: directory, stdio: ['ignore', 'pipe', 'pipe'], env: environment }),
  );
  let [output, log] = ['', ''];

  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(0, MAX_OUTPUT);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = `${log}${text}`.slice(-MAX_LOG);
  });
  if (onLogLine !== undefined) createInterface({ input: child.stderr }).on('line', onLogLine);

  const exit = new Promise((resolve) => child.once('exit', resolve));
  child.on('error', () => undefined);

  try {
    const end = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
    const [code = null]: (number | null)[] = await once(child, 'close', { signal: end });
    return { code, stopReason: undefined, output, log };
  } catch {
    child.kill(signal.aborted ? killSignal : 'SIGKILL');
    await Promise.race([exit, delay(LEAVE_MS)]);
    const stopReason = signal.aborted ? 'it was stopped' : `it took longer than ${deadlineMs / 1000} s`;
    return { code: null, stopReason, output, log };
  } finally {
    // A program that the command started can hold these open.
    for (const pipe of [child.stdout, child.stderr]) pipe.destroy();
  }
}

/**
 * The JSON report of an engine's command, called `name` in messages; undefined if interrupted.
 * Throws OutcomeError `failed` if its output is no report of `schema`.
 */
export async function readReport<T>(
  command: Command,
  name: string,
  schema: z.ZodType<T>,
  limits: CommandLimits,
): Promise<T | undefined> {
  const failure = (reason: string, cause: unknown) => {
    const message = `Failed to run ${name} for this job: ${plainText(reason, MAX_LOG + 100)}.`;
    return new OutcomeError('failed', message, { code: 'PRA-CONFIG-12', cause });
  };

  const end = await runCommand(command, 'SIGINT', limits).catch((cause: Error) => {
    throw failure(`it could not be started: ${cause.message}`, cause);
  });
  if (limits.signal.aborted) return undefined;

  try {
    return schema.parse(JSON.parse(end.output));
  } catch (cause) {
    throw failure(
      `${end.stopReason ?? `it ended with ${end.code ?? 'a signal'}`} and said: ${end.log}`,
      cause,
    );
  }
}
