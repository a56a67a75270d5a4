import { type Duplex, PassThrough } from 'node:stream';
import { NEVER } from '../../../base/clock.ts';
import { ShellReport } from '../../container/step-report.ts';
import type { OutputSink, StepSpec } from '../../executor.ts';
import { EngineRefusedError, refusedWith } from '../engine/errors.ts';
import { mayRun } from './exec-state.ts';
import { DockerStep, type DockerStepContext } from './step.ts';
import { startFailure, stepCommand } from './step-script.ts';

/**
 * Starts a step, once. Throws ContainerError if the engine refuses it, ContainerLostError if the
 * container is gone.
 */
export async function startStep(
  context: DockerStepContext,
  spec: StepSpec,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<DockerStep> {
  const { engine, id, mainProcess } = context;

  // Without the main process's stream the container lives on for seconds, enough to begin a step
  // but not to finish it.
  const ending = await context.ending();
  if (ending !== undefined) throw ending;

  const report = new ShellReport();
  const reportId = mainProcess.listen((text) => report.read(`${text}\n`));

  try {
    const exec = await engine.call(
      (docker, abortSignal) =>
        docker.getContainer(id).exec({
          Cmd: stepCommand(spec, context.environmentFile, reportId),
          Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
          // The script changes to the step's folder itself, so that a missing one shows up in the
          // step's log.
          WorkingDir: '/',
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
          abortSignal,
        }),
      { signal },
    );

    // Without the signal: if the request were cut off, we could never know whether it started the
    // step.
    const starting: Promise<Duplex> = engine.takeOver(
      () => exec.start({ hijack: true, stdin: true, Tty: false }),
      { signal: NEVER },
    );
    const stream = await starting.catch(async (error: unknown) => {
      if (error instanceof EngineRefusedError) throw error;
      if (!(await mayRun(engine, exec, context.silenceMs))) {
        context.mayHaveBegun = true;
        throw error;
      }
      // Followed without its output, and interrupted before its container is removed.
      return new PassThrough().destroy();
    });
    return new DockerStep(context, { exec, stream, report }, sink, signal);
  } catch (error) {
    if (mainProcess.hasEnded || refusedWith(error, 404, 409)) throw await context.loss();
    throw error instanceof EngineRefusedError ? startFailure(error.message, error) : error;
  }
}
