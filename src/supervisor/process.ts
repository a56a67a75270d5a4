import { spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Engine } from '../engines/engine.ts';
import { OutcomeError } from '../outcome.ts';
import { isAlive, ownerOf, signalOwner } from '../record/owner.ts';
import { type Owner, RUN_FILES } from '../record/schema.ts';

/** How the engine's process ended, as its parent sees it. */
export interface EngineExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface EngineProcess {
  readonly owner: Owner;
  /** How it ended; undefined while it runs. The news may come up to `ms` milliseconds behind its end. */
  exit(ms: number): Promise<EngineExit | undefined>;
}

/**
 * Starts the engine in a session of its own, so that neither the end nor the cancellation of this step takes it along.
 * Its output goes to agent.log: a CI system would wait for the holder of the step's own pipes. Its input ends with this process.
 * @throws OutcomeError `failed` when it can't be started
 */
export async function startEngine(engine: Engine, runDirectory: string): Promise<EngineProcess> {
  await engine.requireProgram();
  const { program, args, directory, environment } = engine.run(runDirectory);
  await using log = await open(join(runDirectory, RUN_FILES.log), 'a', 0o600);
  const child = spawn(program, args, {
    cwd: directory,
    detached: true,
    stdio: ['pipe', log.fd, log.fd],
    env: environment,
  });
  const exited = new Promise<EngineExit>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => {
      const sentence = `Failed to start the agent with ${program}: ${cause.message}.`;
      reject(new OutcomeError('failed', sentence, { code: 'PRA-CONFIG-10', cause }));
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

/** Asks the engine to stop: it interrupts the running step and reports. False when it is gone. */
export function requestStop(owner: Owner): boolean {
  return signalOwner(owner, 'SIGINT');
}

/** Resolves with true when the process has ended, with false after `ms` milliseconds or when `signal` aborts. */
export async function waitForEnd(owner: Owner, ms: number, signal?: AbortSignal): Promise<boolean> {
  const deadline = performance.now() + ms;
  while (isAlive(owner)) {
    if (performance.now() >= deadline || signal?.aborted) return false;
    await delay(50);
  }
  return true;
}
