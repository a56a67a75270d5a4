import { spawn } from 'node:child_process';
import { access, constants, open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, OutcomeError } from '../outcome.ts';
import { isAlive, ownerOf, signalOwner } from '../record/owner.ts';
import { type Owner, RUN_FILES } from '../record/schema.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export interface AgentCommand {
  /** The Node program to run it with. */
  readonly nodePath: string;
  /** Path of the agent's entry. */
  readonly script: string;
  readonly runDirectory: string;
  readonly configFile?: string;
  /** Settings by key, of lower rank than the file. */
  readonly defaults: Readonly<Record<string, string>>;
  /** For every object that the agent makes. */
  readonly labels: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string>>;
}

/** How the agent's process ended, as far as its parent can see. */
export interface AgentExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface AgentProcess {
  readonly owner: Owner;
  /** How it ended; undefined while it runs. Word of it may come up to `ms` milliseconds behind its end. */
  exit(ms: number): Promise<AgentExit | undefined>;
}

/**
 * What the agent may see of the step's environment: all of it but the action's inputs and GitHub's own tokens, unless a
 * name is allowlisted to be forwarded; then what the inputs say. RUNNER_TRACKING_ID stays, so that the runner's
 * clean-up at the job's end finds an agent that outlived post.
 */
export function agentEnvironment(
  step: Environment,
  agentVariables: Readonly<Record<string, string>>,
  forwarded: readonly string[],
): Record<string, string> {
  const kept = Object.entries(step).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (!/^(INPUT|ACTIONS)_/i.test(entry[0]) || forwarded.includes(entry[0])),
  );
  return { ...Object.fromEntries(kept), ...agentVariables };
}

/**
 * The C library gives every thread a heap of its own and returns little of it: with two for all, an agent whose job prints
 * 200 MB holds about 15 MB less at its peak (bench/memory.ts), in the same time. Other C libraries pass it over.
 */
const FEW_HEAPS = { MALLOC_ARENA_MAX: '2' };

/**
 * Makes sure that the agent's program is there: a missing folder to start in is told as a missing Node otherwise.
 * @throws OutcomeError `failed`
 */
export async function requireProgram(script: string): Promise<void> {
  try {
    await access(script, constants.R_OK);
  } catch (cause) {
    const missing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    const reason = missing ? `its program ${script} is missing` : messageOf(cause);
    const advice = 'Use the action at a released version, or build its dist folder (`npm run build`).';
    throw new OutcomeError('failed', `Failed to start the agent for this job: ${reason}. ${advice}`, { cause });
  }
}

/**
 * Starts the agent in a session of its own, so that neither the end nor the cancellation of this step takes it along.
 * Its output goes to agent.log: the runner would wait for whoever holds the step's own pipes. Its input ends with this
 * process: an agent that nobody watches any more claims nothing.
 * @throws OutcomeError `failed` when it can't be started
 */
export async function startAgent(command: AgentCommand): Promise<AgentProcess> {
  const { nodePath, script, runDirectory, configFile, defaults, labels, environment } = command;
  await requireProgram(script);
  const args = [script, 'run', '--drain-on-stdin-end', '--run-directory', runDirectory];
  if (configFile !== undefined) args.push('--config', configFile);
  for (const [key, value] of Object.entries(defaults)) args.push('--default', `${key}=${value}`);
  for (const [key, value] of Object.entries(labels)) args.push('--label', `${key}=${value}`);
  await using log = await open(join(runDirectory, RUN_FILES.log), 'a', 0o600);
  const child = spawn(nodePath, args, {
    cwd: dirname(script),
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
    env: { ...FEW_HEAPS, ...environment },
  });
  const exited = new Promise<AgentExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      reject(new OutcomeError('failed', `Failed to start the agent with ${nodePath}: ${cause.message}.`, { cause }));
    });
  });
  child.stdin?.on('error', () => undefined);
  if (child.stdin instanceof Socket) child.stdin.unref();
  child.unref();
  const pid = child.pid ?? 0;
  return {
    owner: ownerOf(pid) ?? { host: hostname(), pid, started: 'gone' },
    exit: (ms) => Promise.race([exited, delay(ms, undefined, { ref: false })]),
  };
}

/** Asks the agent to stop: it interrupts the running step and reports. False when it is gone. */
export function requestStop(owner: Owner): boolean {
  return signalOwner(owner, 'SIGINT');
}

/** Resolves with true when the process has ended, with false after `ms` milliseconds or when `signal` aborts. */
export async function waitForEnd(owner: Owner, ms: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(owner)) {
    if (performance.now() >= deadline || signal?.aborted) return false;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return true;
}
