import { type Duplex, PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { NEVER } from '../../../base/clock.ts';
import { ShellReport } from '../../container/step-report.ts';
import type { OutputSink, StepSpec } from '../../executor.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { EngineRefusedError, refusedWith } from '../engine/errors.ts';
import { repeated } from '../engine/repeat.ts';
import { AWAY, DockerStep, hasNotBegun, inspectExec, type StepContainer } from './step.ts';
import { startFailure, stepCommand } from './step-script.ts';

/** Between questions whether a step has begun. */
const AGAIN_MS = 200;

/**
 * Starts a step, once. Throws ContainerError if the engine refuses it, ContainerLostError if the
 * container is gone.
 */
export async function startStep(
  container: StepContainer,
  spec: StepSpec,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<DockerStep> {
  const { engine, id, mainProcess } = container;

  // Without the main process's stream the container lives on for seconds, enough to begin a step
  // but not to finish it.
  const ending = await container.ending();
  if (ending !== undefined) throw ending;

  const report = new ShellReport();
  const reportId = mainProcess.listen((text) => report.read(`${text}\n`));

  try {
    const create = (docker: Docker, abortSignal: AbortSignal) =>
      docker.getContainer(id).exec({
        Cmd: stepCommand(spec, container.environmentFile, reportId),
        Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
        // The script changes to the step's folder itself, so that a missing one shows up in the
        // step's log.
        WorkingDir: '/',
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: false,
        abortSignal,
      });
    const exec = await repeated(() => engine.call(create, { signal }), {
      ms: AWAY * container.silenceMs,
      isOver: () => mainProcess.hasEnded,
      signal,
    });

    // Without the signal: if the request were cut off, we could never know whether it started the
    // step.
    const starting: Promise<Duplex> = engine.takeOver(
      () => exec.start({ hijack: true, stdin: true, Tty: false }),
      { signal: NEVER },
    );
    const stream = await starting.catch(async (error: unknown) => {
      if (error instanceof EngineRefusedError) throw error;
      if (!(await mayRun(engine, exec, container.silenceMs))) {
        container.noteUnansweredStart();
        throw error;
      }
      // Followed without its output, and interrupted before its container is removed.
      return new PassThrough().destroy();
    });
    return new DockerStep(container, { exec, stream, report }, sink, signal);
  } catch (error) {
    if (mainProcess.hasEnded || refusedWith(error, 404, 409)) throw await container.loss();
    throw error instanceof EngineRefusedError ? startFailure(error.message, error) : error;
  }
}

/**
 * True if an exec whose start was not answered may run. False once the engine has said for `ms`
 * milliseconds that it hasn't begun.
 */
async function mayRun(engine: DockerEngine, exec: Docker.Exec, ms: number): Promise<boolean> {
  for (const from = performance.now(); ; await sleep(AGAIN_MS)) {
    const info = await inspectExec(engine, exec, ms).catch(() => undefined);
    // As long as the engine doesn't answer, that is unknown.
    if (info === undefined || !hasNotBegun(info)) return true;
    if (performance.now() - from >= ms) return false;
  }
}
