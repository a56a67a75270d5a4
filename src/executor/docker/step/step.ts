import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { NEVER, settledBefore } from '../../../clock.ts';
import { DeadlineError, within } from '../../../deadline.ts';
import { defined } from '../../../defined.ts';
import type { ContainerState } from '../../container/step-report.ts';
import {
  ContainerLostError,
  type Logger,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StopSignal,
} from '../../executor.ts';
import type { MainProcess } from '../container/main-process.ts';
import type { DockerEngine } from '../engine/engine.ts';
import { refusedWith, textOf } from '../engine/errors.ts';
import { StepOutput } from './step-output.ts';
import { startFailure } from './step-script.ts';

/** Milliseconds to wait for the step's beginning with a signal. */
const DELIVERY_MS = 10_000;

/** Milliseconds until the engine is first asked again whether an ended step still runs. */
const AGAIN_MS = 10;

/**
 * Multiples of `silenceMs` to wait: for all output after a step's end, for an unreachable engine in
 * a silent step.
 */
const [TOTAL, AWAY] = [6, 12];

/** The parts of a container that stay the same for all of its steps. */
export interface StepSurroundings {
  readonly engine: DockerEngine;
  readonly id: string;
  readonly environmentFile: string;
  readonly mainProcess: MainProcess;
  /**
   * Milliseconds of silence until an ended step's output is abandoned or the engine is asked
   * whether the step runs.
   */
  readonly silenceMs: number;
  readonly logger: Logger;
}

export interface DockerStepContext extends StepSurroundings {
  /** Processes that the kernel's out-of-memory killer had killed when the last step ended. */
  oomKills: number;
  /** False if the last step ended and left nothing to read in the environment file. */
  environmentChanged: boolean;
  /** Why the container ends, as far as the engine says so; undefined if it doesn't. */
  ending(): Promise<ContainerLostError | undefined>;
  /** Why the container went away. */
  loss(): Promise<ContainerLostError>;
}

/** A started step, followed to its end. */
export class DockerStep implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #context: DockerStepContext;
  readonly #exec: Docker.Exec;
  readonly #stream: Duplex;
  readonly #output: StepOutput;
  #awaySince: number | undefined;
  #isWatching = false;
  /** True once the engine says that the step's process has ended. */
  #isOver = false;
  #isKilled = false;

  constructor(
    context: DockerStepContext,
    exec: Docker.Exec,
    stream: Duplex,
    sink: OutputSink,
    signal: AbortSignal,
  ) {
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
      if (!(error instanceof DeadlineError)) throw error;
      // The signal stays on its way; waiting longer would delay harsher ones.
      this.#context.logger(
        'warning',
        `${name} is not delivered yet: the container is slow, or has not started the step.`,
      );
    }
  }

  async #deliver(name: StopSignal): Promise<void> {
    const leader = await this.#output.report.begun;
    if (leader === undefined || this.#isOver) return;
    this.#isKilled ||= name === 'SIGKILL';
    this.#context.mainProcess.signal(name, leader);
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

    const { report } = this.#output;

    // A killed shell can't report its end. A main process that a job keeps from answering must not
    // delay a kill.
    const { mainProcess } = this.#context;
    const isAsked = report.end === undefined && !this.#isKilled;
    const state = isAsked ? await mainProcess.state(NEVER).catch(() => undefined) : report.end?.state;
    const code = await this.#exitCode(signal);

    this.#isOver = true;

    // The shell could not fork, or the engine not start it.
    if (report.leader === undefined) throw startFailure(report.unknown || `exit code ${code}`);

    const exit = { code, outOfMemory: this.#ranOutOfMemory(state) };
    return { ...exit, ...defined({ interruption: (await this.#context.ending())?.reason }) };
  }

  /**
   * The exit code, once the engine says that the step's process has ended: a job can forge every
   * report. Of a container that ended with its step, the engine knows nothing any more: then the
   * report counts.
   */
  async #exitCode(signal: AbortSignal): Promise<number> {
    const { mainProcess, silenceMs, logger } = this.#context;
    const { end } = this.#output.report;
    if (end === undefined && mainProcess.hasEnded) throw await this.#context.loss();

    const patienceMs = end === undefined ? silenceMs : AWAY * silenceMs;
    const from = performance.now();
    let isDoubtful = false;

    for (let ms = AGAIN_MS; ; ms = Math.min(2 * ms, silenceMs)) {
      try {
        const info = await this.#inspect(patienceMs);
        if (!info.Running) return info.ExitCode ?? 137;
      } catch (cause) {
        const isGone = mainProcess.hasEnded || mainProcess.isStopping || refusedWith(cause, 404, 409);
        if (isGone && end !== undefined) return end.code;
        if (isGone) throw await this.#context.loss();
        // An engine that is overloaded or restarts answers again.
        if (end === undefined || performance.now() - from >= patienceMs) throw cutOff(cause);
      }

      if (performance.now() - from >= patienceMs && !isDoubtful) {
        if (end === undefined) throw cutOff();
        isDoubtful = true;
        logger(
          'warning',
          'The step reports that it has ended, but the engine reports that it still runs: waiting for it.',
        );
      }

      await sleep(ms, undefined, { signal });
    }
  }

  /**
   * Called regularly: ends the wait for output that can't come, or only from a process that
   * outlived the step.
   */
  async #watch(): Promise<void> {
    if (this.#isWatching || !this.#output.isReading) return;

    this.#isWatching = true;

    const { silenceMs } = this.#context;
    const { idleMs, endedMs = 0 } = this.#output;

    if (idleMs >= silenceMs || (idleMs > 0 && endedMs > TOTAL * silenceMs)) {
      // A killed shell can't report its end, a job can forge one, and a network may drop
      // everything.
      try {
        const isOver = !(await this.#inspect(silenceMs)).Running;
        this.#awaySince = undefined;
        if (isOver && this.#output.endedMs !== undefined) this.#abandon();
        else if (isOver) this.#output.end();
      } catch {
        this.#awaySince ??= performance.now();
        if (performance.now() - this.#awaySince >= AWAY * silenceMs) this.#stream.destroy();
      }
    }

    this.#isWatching = false;
  }

  #abandon(): void {
    const text = 'A process that the step left behind holds its output open; further output is not read.';
    this.#context.logger('warning', text);
    this.#stream.destroy();
  }

  #inspect(ms: number): Promise<Docker.ExecInspectInfo> {
    return this.#context.engine.call((_, abortSignal) => this.#exec.inspect({ abortSignal }), {
      signal: NEVER,
      ms,
    });
  }

  /** Keeps the state. True if processes were killed for lack of memory since the last step. */
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
  const reason = `the connection that carries its output was cut${why}. Check the engine and the network to it.`;
  const message = `Failed to follow the step in its container: ${reason}`;
  return new ContainerLostError(message, { code: 'PRA-CONTAINER-04', cause, reason, fault: 'executor' });
}
