import type { Duplex } from 'node:stream';
import type Docker from 'dockerode';
import type { ContainerState } from '../container/state-function.ts';
import { DeadlineError, NEVER, within } from '../deadline.ts';
import type { OutputSink, StepExit, StepProcess, StepSpec, StopSignal } from '../executor.ts';
import { EngineRefusedError, refusedWith } from './errors.ts';
import { KeeperGoneError } from './keeper.ts';
import { CUT, STOPPED } from './loss.ts';
import type { StepContext } from './step-context.ts';
import { cutOff, isCut, startFailure } from './step-failure.ts';
import { StepOutput } from './step-output.ts';
import { ifStopped, stepCommand } from './step-script.ts';

/** Milliseconds that a signal is waited for: 5 s for the main process, the rest for an exec. */
const SIGNAL_MS = 15_000;

/**
 * Starts a step. Throws ContainerError when the engine refuses it, ContainerLostError when the container is gone. Nothing of
 * a step that was started is ever tried again.
 */
export async function startStep(
  context: StepContext,
  spec: StepSpec,
  sink: OutputSink,
  signal: AbortSignal,
): Promise<StepProcess> {
  const { engine, container } = context;
  // It goes on for some seconds without its main process's stream: long enough for a step to begin that has no chance to end.
  if (context.keeper.isGone) throw await context.loss();
  let exec: Docker.Exec;
  let stream: Duplex;
  try {
    exec = await engine.call(
      (docker, abortSignal) =>
        docker.getContainer(container).exec({
          Cmd: stepCommand(spec, context.environmentFile),
          Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
          // The script goes to the step's folder itself, so that a missing one is a line in the step's log.
          WorkingDir: '/',
          AttachStdin: true,
          AttachStdout: true,
          AttachStderr: true,
          Tty: false,
          abortSignal,
        }),
      { signal },
    );
    // Without the signal: whether a request that was cut half-way has started the step could never be known.
    stream = await engine.call(() => exec.start({ hijack: true, stdin: true, Tty: false }), {
      signal: NEVER,
      late: (late) => late.destroy(),
    });
  } catch (error) {
    if (context.keeper.isGone || refusedWith(error, 404, 409)) throw await context.loss();
    if (!(error instanceof EngineRefusedError)) throw error;
    throw startFailure(error.message, error);
  }
  return new Step(context, exec, stream, sink, signal);
}

class Step implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #context: StepContext;
  readonly #exec: Docker.Exec;
  readonly #stream: Duplex;
  readonly #output: StepOutput;
  #endedAt: number | undefined;
  #awaySince: number | undefined;
  #isLooking = false;
  #givenUp = false;
  #isOver = false;
  /** The main process didn't answer, and so won't. */
  #isUnanswered = false;

  constructor(context: StepContext, exec: Docker.Exec, stream: Duplex, sink: OutputSink, signal: AbortSignal) {
    this.#context = context;
    this.#exec = exec;
    this.#stream = stream;
    // Also between reads and after them; what matters of it reaches the reader as the stream's end.
    stream.on('error', () => undefined);
    this.#output = new StepOutput(stream, sink);
    this.exit = this.#run(signal);
    // Whoever removes the container may have stopped waiting for the step.
    this.exit.catch(() => undefined);
  }

  async signal(name: StopSignal): Promise<void> {
    try {
      await within(SIGNAL_MS, NEVER, () => this.#deliver(name));
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      // It stays on its way; waiting longer would hold up harsher ones.
      this.#context.logger('warning', `${name} is not delivered yet: the engine is slow, or has not begun the step.`);
    }
  }

  async #deliver(name: StopSignal): Promise<void> {
    const leader = await this.#output.leader;
    if (leader === undefined || this.#isOver || this.#output.end !== undefined) return;
    try {
      await this.#context.keeper.signal(name, leader);
    } catch (error) {
      if (error instanceof KeeperGoneError) return;
      if (!(error instanceof DeadlineError)) throw error;
      this.#isUnanswered = true;
      // A step may have stopped the main process (SIGSTOP), or have taken all of its CPU; or the answer was not read yet.
      this.#context.logger(
        'debug',
        `The container's main process does not answer; ${name} goes by an exec of its own${name === 'SIGINT' ? ' if that process is stopped' : ''}.`,
      );
      await this.#signalByExec(name, leader);
    }
  }

  async #signalByExec(name: StopSignal, leader: number): Promise<void> {
    const { engine, container } = this.#context;
    await engine.call(
      async (docker, abortSignal) => {
        const kill = `kill -${name.slice('SIG'.length)} -${leader}`;
        // An engine takes a second interrupt for the wish to end without its state: a main process that is but slow sends the first.
        const script = name === 'SIGINT' ? ifStopped(kill) : kill;
        const exec = await docker.getContainer(container).exec({ Cmd: ['sh', '-c', script], abortSignal });
        await exec.start({ Detach: true, abortSignal });
      },
      { signal: NEVER },
    );
  }

  async #run(signal: AbortSignal): Promise<StepExit> {
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => {
      aborted.reject(signal.reason);
      // An engine hangs for a container whose stream nobody reads: it must be cut.
      this.#stream.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const { idleMs } = this.#context.silence;
    const watch = setInterval(() => void this.#look(), idleMs);
    try {
      return await Promise.race([this.#finish(signal), aborted.promise]);
    } finally {
      this.#isOver = true;
      clearInterval(watch);
      signal.removeEventListener('abort', onAbort);
      this.#stream.destroy();
    }
  }

  async #finish(signal: AbortSignal): Promise<StepExit> {
    this.#output.onEnd = () => {
      this.#endedAt = performance.now();
      // From here on everything is read without a pause, so the engine's 2 s are enough.
      this.#stream.write('\n');
    };
    try {
      await this.#output.read();
    } catch (error) {
      if (!isCut(error)) throw error;
    }
    signal.throwIfAborted();
    const { end } = this.#output;
    if (end === undefined) return this.#endedWithoutWord();
    const exit = { code: end.code, outOfMemory: this.#ranOutOfMemory(end.state) };
    // Word that the container is being stopped has a way of its own and may still be on it; an answer comes behind that.
    if (end.code !== 0 && !this.#isUnanswered) await this.#context.keeper.state(signal).catch(() => undefined);
    const { isGone, isStopping } = this.#context.keeper;
    return isGone ? { ...exit, interruption: (isStopping ? STOPPED : CUT).join('. ') } : exit;
  }

  /** The stream is at its end and the step's shell said nothing: it was killed, it never began, or the container is gone. */
  async #endedWithoutWord(): Promise<StepExit> {
    const state = await this.#context.keeper.state(NEVER).catch(() => undefined);
    if (this.#context.keeper.isGone) throw await this.#context.loss();
    let info: Docker.ExecInspectInfo;
    try {
      info = await this.#inspect(this.#context.silence.idleMs);
    } catch (cause) {
      if (refusedWith(cause, 404, 409)) throw await this.#context.loss();
      throw cutOff(cause);
    }
    if (info.Running && !this.#givenUp) throw cutOff();
    if (!this.#output.hasBegun) throw startFailure(this.#output.complaint || `exit code ${info.ExitCode}`);
    return { code: info.ExitCode ?? 137, outOfMemory: this.#ranOutOfMemory(state) };
  }

  /** Regularly: ends the wait for output that cannot come, or that only a process which outlived the step could write. */
  async #look(): Promise<void> {
    if (this.#isLooking || !this.#output.isReading) return;
    this.#isLooking = true;
    const { idleMs, totalMs } = this.#context.silence;
    const silent = this.#output.idleMs >= idleMs;
    if (this.#endedAt !== undefined) {
      const blocked = this.#output.idleMs === 0;
      if (silent || (!blocked && performance.now() - this.#endedAt > totalMs)) this.#giveUp();
    } else if (silent) {
      await this.#ask();
    }
    this.#isLooking = false;
  }

  /** A killed shell can't say that it is over, and a network that drops everything doesn't say so either. */
  async #ask(): Promise<void> {
    const { idleMs, awayMs } = this.#context.silence;
    try {
      if (!(await this.#inspect(idleMs)).Running) this.#endedAt = performance.now();
      this.#awaySince = undefined;
    } catch {
      this.#awaySince ??= performance.now();
      if (performance.now() - this.#awaySince >= awayMs) this.#stream.destroy();
    }
  }

  #giveUp(): void {
    if (this.#givenUp || this.#isOver) return;
    this.#givenUp = true;
    this.#context.logger(
      'warning',
      'A process that the step left behind holds its output open; what it writes is no longer read.',
    );
    this.#stream.destroy();
  }

  #inspect(ms: number): Promise<Docker.ExecInspectInfo> {
    return this.#context.engine.call((_, abortSignal) => this.#exec.inspect({ abortSignal }), { signal: NEVER, ms });
  }

  /** Also leaves the state where the reader of the environment file finds it. */
  #ranOutOfMemory(state: ContainerState | undefined): boolean {
    if (state === undefined) return false;
    const more = state.oomKills > this.#context.oomKills;
    this.#context.oomKills = state.oomKills;
    this.#context.state = state;
    return more;
  }
}
