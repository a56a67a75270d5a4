import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { NEVER } from '../../../base/clock.ts';
import type { DockerEngine } from '../engine/engine.ts';

/** Milliseconds between questions whether a step has begun. */
const AGAIN_MS = 200;

/**
 * The exit code that an engine shows for an exec to whose stream it couldn't write, whatever its
 * own is, and even if it still runs (moby, ContainerExecStart; seen with Docker 20.10).
 */
export const UNWRITABLE = 126;

/** The engine's word on an exec. Throws as `Engine.call` does. */
export function inspectExec(
  engine: DockerEngine,
  exec: Docker.Exec,
  ms: number,
): Promise<Docker.ExecInspectInfo> {
  return engine.call((_, abortSignal) => exec.inspect({ abortSignal }), { signal: NEVER, ms });
}

/** True of an exec that was created, and whose start the engine has not seen yet. */
export function hasNotBegun({ Running: isRunning, ExitCode: code }: Docker.ExecInspectInfo): boolean {
  return !isRunning && code === null;
}

/**
 * True if an exec whose start was not answered may run. False once the engine has said for `ms`
 * milliseconds that it hasn't begun.
 */
export async function mayRun(engine: DockerEngine, exec: Docker.Exec, ms: number): Promise<boolean> {
  for (const from = performance.now(); ; await sleep(AGAIN_MS)) {
    const info = await inspectExec(engine, exec, ms).catch(() => undefined);
    // As long as the engine doesn't answer, nobody knows.
    if (info === undefined || !hasNotBegun(info)) return true;
    if (performance.now() - from >= ms) return false;
  }
}
