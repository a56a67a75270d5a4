import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import { NEVER, settledBefore } from '../../../clock.ts';
import type { ContainerState } from '../../container/step-report.ts';
import { DeadlineError, within } from '../../deadline.ts';
import {
  ContainerError,
  ContainerLostError,
  type Logger,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StepSpec,
  type StopSignal,
} from '../../executor.ts';
import { oneLine } from '../../one-line.ts';
import { CUT, STOPPED } from '../container/ending.ts';
import { ContainerEndedError, type MainProcess } from '../container/main-process.ts';
import type { Engine } from '../engine/engine.ts';
import { EngineRefusedError, refusedWith, textOf } from '../engine/errors.ts';
import { StepOutput } from './step-output.ts';
import { stepCommand } from './step-script.ts';

/** Milliseconds to wait for a signal's delivery. */
const DELIVERY_MS = 10_000;

/** Multiples of `silenceMs` to wait: for all output after a step's end, for an unreachable engine in a silent step. */
const [TOTAL, AWAY] = [6, 12];

export interface StepContext {
  readonly engine: Engine;
  readonly id: string;
  readonly environmentFile: string;
  readonly mainProcess: MainProcess;
  /** Milliseconds of silence until an ended step's output is abandoned or the engine is asked whether the step runs. */
  readonly silenceMs: number;
  readonly logger: Logger;
  /** Processes that the kernel's out-of-memory killer had killed when the last step ended. */
  oomKills: number;
  /** False if the last step ended and left nothing to read in the environment file. */
  environmentChanged: boolean;
  /** Why the container went away. */
  loss(): Promise<ContainerLostError>;
}

/** Starts a step, once. Throws ContainerError if the engine refuses it, ContainerLostError if the container is gone. */
export async function startStep(
  context: StepContext,
  spec: StepSpec,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<StepProcess> {
  const { engine, id, mainProcess } = context;
  // Without the main process's stream the container lives on for seconds, enough to begin a step but not to finish it.
  if (mainProcess.hasEnded) throw await context.loss();
  try {
    const exec = await engine.call(
      (docker, abortSignal) =>
        docker.getContainer(id).exec({
          Cmd: stepCommand(spec, context.environmentFile),
          Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
          // The script changes to the step's folder itself, so that a missing one shows up in the step's log.
          WorkingDir: '/',
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
          abortSignal,
        }),
      { signal },
    );
    // Without the signal: if the request were cut off, we could never know whether it started the step.
    const stream: Duplex = await engine.call(() => exec.start({ hijack: true, stdin: true, Tty: false }), {
      signal: NEVER,
    });
    return new Step(context, exec, stream, sink, signal);
  } catch (error) {
    if (mainProcess.hasEnded || refusedWith(error, 404, 409)) throw await context.loss();
    throw error instanceof EngineRefusedError ? startFailure(error.message, error) : error;
  }
}

class Step implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #context: StepContext;
  readonly #exec: Docker.Exec;
  readonly #stream: Duplex;
  readonly #output: StepOutput;
  #awaySince: number | undefined;
  #isWatching = false;

  constructor(context: StepContext, exec: Docker.Exec, stream: Duplex, sink: OutputSink, signal: AbortSignal) {
    this.#context = context;
    this.#exec = exec;
    this.#stream = stream;
    // Errors may come between reads and after them; the reader sees them as the stream's end.
    stream.on('error', () => undefined);
    this.#output = new StepOutput(stream, sink);
    this.exit = this.#run(signal);
    // The removal of the container doesn't wait for the step.
    this.exit.catch(() => undefined);
  }

  async signal(name: StopSignal): Promise<void> {
    try {
      await within(DELIVERY_MS, NEVER, () => this.#deliver(name));
    } catch (error) {
      if (error instanceof ContainerEndedError) return;
      if (!(error instanceof DeadlineError)) throw error;
      // The signal stays on its way; waiting longer would delay harsher ones.
      this.#context.logger(
        'warning',
        `${name} is not delivered yet: the container is slow, or has not begun the step.`,
      );
    }
  }

  async #deliver(name: StopSignal): Promise<void> {
    const leader = await this.#output.report.begun;
    if (leader === undefined || !this.#output.isReading || this.#output.report.end !== undefined) return;
    await this.#context.mainProcess.signal(name, leader);
  }

  async #run(signal: AbortSignal): Promise<StepExit> {
    const timer = setInterval(() => void this.#watch(), this.#context.silenceMs);
    try {
      return await settledBefore(this.#finish(signal), signal);
    } finally {
      clearInterval(timer);
      // An unread stream makes the engine hang for the container: it must be cut.
      this.#stream.destroy();
    }
  }

  async #finish(signal: AbortSignal): Promise<StepExit> {
    await this.#output.read();
    signal.throwIfAborted();
    const { end, leader, unknown } = this.#output.report;
    if (end === undefined) return this.#exitWithoutEnd();
    // The shell could not fork.
    if (leader === undefined) throw startFailure(unknown || `exit code ${end.code}`);
    const exit = { code: end.code, outOfMemory: this.#ranOutOfMemory(end.state) };
    const { mainProcess } = this.#context;
    if (!mainProcess.hasEnded) return exit;
    return { ...exit, interruption: (mainProcess.isStopping ? STOPPED : CUT).join('. ') };
  }

  /** The stream ended without a report from the shell: it was killed, it never began, or the container is gone. */
  async #exitWithoutEnd(): Promise<StepExit> {
    const { mainProcess, silenceMs } = this.#context;
    const state = await mainProcess.state(NEVER).catch(() => undefined);
    if (mainProcess.hasEnded) throw await this.#context.loss();
    let info: Docker.ExecInspectInfo;
    try {
      info = await this.#inspect(silenceMs);
    } catch (cause) {
      throw refusedWith(cause, 404, 409) ? await this.#context.loss() : cutOff(cause);
    }
    if (info.Running) throw cutOff();
    const { leader, unknown } = this.#output.report;
    if (leader === undefined) throw startFailure(unknown || `exit code ${info.ExitCode}`);
    return { code: info.ExitCode ?? 137, outOfMemory: this.#ranOutOfMemory(state) };
  }

  /** Called regularly: ends the wait for output that can't come, or only from a process that outlived the step. */
  async #watch(): Promise<void> {
    if (this.#isWatching || !this.#output.isReading) return;
    this.#isWatching = true;
    const { silenceMs, logger } = this.#context;
    const { idleMs, endedMs } = this.#output;
    if (endedMs !== undefined) {
      if (idleMs >= silenceMs || (idleMs > 0 && endedMs > TOTAL * silenceMs)) {
        logger(
          'warning',
          'A process that the step left behind holds its output open; what it writes is no longer read.',
        );
        this.#stream.destroy();
      }
    } else if (idleMs >= silenceMs) {
      // A killed shell can't report its end, and neither does a network that drops everything.
      try {
        if (!(await this.#inspect(silenceMs)).Running) this.#output.end();
        this.#awaySince = undefined;
      } catch {
        this.#awaySince ??= performance.now();
        if (performance.now() - this.#awaySince >= AWAY * silenceMs) this.#stream.destroy();
      }
    }
    this.#isWatching = false;
  }

  #inspect(ms: number): Promise<Docker.ExecInspectInfo> {
    return this.#context.engine.call((_, abortSignal) => this.#exec.inspect({ abortSignal }), { signal: NEVER, ms });
  }

  /** Keeps the container's state. True if processes were killed for lack of memory since the last step. */
  #ranOutOfMemory(state: ContainerState | undefined): boolean {
    if (state === undefined) return false;
    const more = state.oomKills > this.#context.oomKills;
    this.#context.oomKills = state.oomKills;
    this.#context.environmentChanged = state.environmentChanged;
    return more;
  }
}

/** The step may still run, but its output can't be followed any more. */
function cutOff(cause?: unknown): ContainerLostError {
  const why = cause === undefined ? '' : ` (${textOf(cause)})`;
  const reason = `the connection that carries its output was cut${why}. Check the engine and the network between here and there.`;
  const message = `Failed to follow the step in its container: ${reason}`;
  return new ContainerLostError(message, { code: 'PRA-CONTAINER-04', cause, reason });
}

/** The step's process could not be started. */
export function startFailure(text: string, cause?: Error): ContainerError {
  const advice = /argument list too long/i.test(text)
    ? 'Make the script and each of its variables shorter than 128 KiB.'
    : /(cannot|can't) fork|resource temporarily unavailable/i.test(text)
      ? 'Let the steps before it leave fewer processes behind, or raise pids_limit.'
      : 'Check that the image has a POSIX shell and that the variables are sound.';
  const message = `Failed to start the step in its container: ${oneLine(text)}. ${advice}`;
  return new ContainerError(message, { code: 'PRA-CONTAINER-03', cause });
}
