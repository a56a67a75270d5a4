import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { NEVER, settledBefore } from '../../../base/clock.ts';
import { DeadlineError, within } from '../../../base/deadline.ts';
import { byteCount, duration } from '../../../base/quantity.ts';
import type { LastReport, ShellEnd, ShellReport } from '../../container/step-report.ts';
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

/** For a signal's wait for the step's beginning. */
const DELIVERY_MS = 10_000;

/** Until a step's shell is ready to handle signals, once the main process knows the step. */
const READY_MS = 1_000;

/** Until the engine is first asked again whether an ended step still runs. */
const AGAIN_MS = 10;

/** Multiples of `silenceMs` to wait for all output after a step's end. */
const TOTAL = 6;

/** The same for an engine that is away: between steps, or while its main process doesn't answer either. */
export const AWAY = 12;

/**
 * The exit code that an engine shows for an exec to whose stream it couldn't write, whatever its
 * own is, and even if it still runs (moby, ContainerExecStart; seen with Docker 20.10).
 */
const UNWRITABLE = 126;

const PROXY =
  'Look for a proxy between this runner and the Docker engine that limits or restarts connections.';

/** The container of a step, as the step sees it. */
export interface StepContainer {
  readonly engine: DockerEngine;
  readonly id: string;
  readonly environmentFile: string;
  readonly mainProcess: MainProcess;
  /** Silence until an ended step's output is abandoned or the engine is asked whether the step runs. */
  readonly silenceMs: number;
  /** Time between bytes on a step's stream: proxies cut idle ones. */
  readonly keepAliveMs: number;
  readonly logger: Logger;
  readonly lastReport: LastReport;
  /** Notes that a step whose start was not answered is given up: it can have begun since. */
  noteUnansweredStart(): void;
  /** Why the container ends, as far as the engine says so; undefined if it doesn't. */
  ending(): Promise<ContainerLostError | undefined>;
  /** Why the container went away. */
  loss(): Promise<ContainerLostError>;
}

/** The engine's process of a started step. */
interface StartedExec {
  readonly exec: Docker.Exec;
  readonly stream: Duplex;
  /** Its reports through the main process, which outlive the stream. */
  readonly report: ShellReport;
}

/** A started step, followed to its end. */
export class DockerStep implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #container: StepContainer;
  readonly #exec: Docker.Exec;
  readonly #stream: Duplex;
  readonly #output: StepOutput;
  readonly #report: ShellReport;
  #awaySince: number | undefined;
  /** When the step was found running without its stream, which ended then. */
  #cutAt: number | undefined;
  #isWatching = false;
  /** True once the engine says that the step's process has ended. */
  #isOver = false;
  #isKilled = false;

  constructor(
    container: StepContainer,
    { exec, stream, report }: StartedExec,
    sink: OutputSink,
    signal: AbortSignal,
  ) {
    this.#container = container;
    this.#exec = exec;
    this.#stream = stream;
    this.#report = report;

    // Errors can come between reads and after them; the reader sees them as the stream's end.
    stream.on('error', () => undefined);
    this.#output = new StepOutput(stream, sink);
    this.exit = this.#run(signal);

    // The removal of the container doesn't wait for the step.
    this.exit.catch(() => undefined);
  }

  /**
   * True while the step can be running and wasn't killed: a container that is removed must interrupt
   * it first.
   */
  get needsInterrupt(): boolean {
    const hasBegun = this.#leader !== undefined || !this.#output.isReading;
    return hasBegun && this.#end === undefined && !this.#isOver && !this.#isKilled;
  }

  get #leader(): number | undefined {
    return this.#output.report.leader ?? this.#report.leader;
  }

  get #end(): ShellEnd | undefined {
    return this.#output.report.end ?? this.#report.end;
  }

  async signal(name: StopSignal): Promise<void> {
    try {
      await within(DELIVERY_MS, NEVER, () => this.#deliver(name));
    } catch (error) {
      if (!(error instanceof DeadlineError)) throw error;
      // The signal stays on its way; waiting longer would delay harsher ones.
      this.#container.logger(
        'warning',
        `${name} is not delivered yet: the container is slow, or has not started the step.`,
      );
    }
  }

  async #deliver(name: StopSignal): Promise<void> {
    const { begun } = this.#output.report;
    // The main process knows a step before its shell handles signals: a report through the stream counts, unless a
    // network that drops everything holds it up.
    const ready = this.#report.begun.then(
      (leader) => new Promise<number | undefined>((resolve) => setTimeout(resolve, READY_MS, leader)),
    );
    if ((await Promise.race([begun, ready])) === undefined) await Promise.all([begun, ready]);
    const leader = this.#leader;
    if (leader === undefined || this.#isOver) return;
    this.#isKilled ||= name === 'SIGKILL';
    this.#container.mainProcess.signal(name, leader);
  }

  async #run(signal: AbortSignal): Promise<StepExit> {
    const { silenceMs, keepAliveMs } = this.#container;
    const timer = setInterval(() => void this.#watch(), silenceMs);
    const keepAlive = setInterval(() => this.#output.keepAlive(), keepAliveMs);
    try {
      return await settledBefore(this.#finish(signal), signal);
    } finally {
      clearInterval(timer);
      clearInterval(keepAlive);
      this.#report.close();
      // An unread stream makes the engine hang for the container: it must be cut.
      this.#stream.destroy();
    }
  }

  async #finish(signal: AbortSignal): Promise<StepExit> {
    await this.#output.read();
    signal.throwIfAborted();
    const readTo = performance.now();

    const code = await this.#exitCode(signal);

    this.#isOver = true;

    // A killed shell can't report its end. A main process that a job keeps from answering must not
    // delay a kill.
    const { mainProcess } = this.#container;
    const lacksReport = this.#end === undefined && !this.#isKilled;
    const state = lacksReport ? await mainProcess.state(NEVER).catch(() => undefined) : this.#end?.state;

    // Killed with its container: the engine says that of the step first.
    if (lacksReport && mainProcess.hasEnded) throw await this.#container.loss();

    // Its last report came, but not through the stream; or the engine couldn't write to that.
    const { report } = this.#output;
    const isUnwritable = this.#leader !== undefined && code === UNWRITABLE;
    if (report.end === undefined && (this.#report.end !== undefined || isUnwritable)) this.#cutAt ??= readTo;

    // The shell could not fork, or the engine not start it.
    if (this.#leader === undefined && this.#cutAt === undefined)
      throw startFailure(report.unknown || `exit code ${code}`);

    const outOfMemory = state !== undefined && this.#container.lastReport.note(state);
    const interruption = (await this.#container.ending())?.reason;
    return { code, outOfMemory, interruption, lostOutput: this.#lostOutput(code) };
  }

  /**
   * The exit code, once the engine says that the step's process has ended: a job can forge every
   * report. A report counts where the engine knows nothing: of a container that ended with its step,
   * and after a cut stream. Throws ContainerLostError for a step that does not begin in time.
   */
  async #exitCode(signal: AbortSignal): Promise<number> {
    const { engine, mainProcess, silenceMs, logger } = this.#container;
    const { end } = this.#output.report;
    const patienceMs = end === undefined ? silenceMs : AWAY * silenceMs;
    const from = performance.now();
    let unbegunSince: number | undefined;
    let isDoubtful = false;

    this.#awaySince = undefined;

    for (let ms = AGAIN_MS; ; ms = Math.min(2 * ms, silenceMs)) {
      if (end === undefined && mainProcess.hasEnded) throw await this.#container.loss();

      try {
        const info = await inspectExec(engine, this.#exec, patienceMs);
        const { Running: isRunning, ExitCode: code } = info;
        this.#awaySince = undefined;
        unbegunSince = hasNotBegun(info) ? (unbegunSince ?? performance.now()) : undefined;
        if (!isRunning && code !== null && code !== UNWRITABLE) return code;
        // Asked first: the step's report is read before the answer.
        if (!isRunning && code !== null && !(await this.#stillRuns()))
          return this.#end?.code ?? (this.#isKilled ? 137 : UNWRITABLE);
      } catch (cause) {
        const isGone = mainProcess.hasEnded || mainProcess.isStopping || refusedWith(cause, 404, 409);
        if (isGone && end !== undefined) return end.code;
        if (isGone) throw await this.#container.loss();
        // An engine that is overloaded or restarts answers again.
        if (this.#isAway()) throw cutOff(cause);
        unbegunSince = undefined;
      }

      // Its start was not answered; it can still begin, so its container isn't removed by force.
      if (unbegunSince !== undefined && performance.now() - unbegunSince >= patienceMs)
        throw cutOff(new Error('the engine says that the step has not begun'));

      if (performance.now() - from >= patienceMs && !isDoubtful) {
        isDoubtful = true;
        if (end === undefined) this.#cutAt = from;
        logger(
          'warning',
          end === undefined
            ? `The connection that carries the step's output was cut; the step goes on, and its output is no longer read. ${PROXY}`
            : 'The step reports that it has ended, but the engine reports that it still runs: waiting for it.',
        );
      }

      await sleep(ms, undefined, { signal });
    }
  }

  /** Whether a step whose end the engine can't tell runs, by the container's main process. */
  async #stillRuns(): Promise<boolean> {
    const leader = this.#leader;
    if (this.#end !== undefined || leader === undefined || this.#isKilled) return false;
    return this.#container.mainProcess.runs(leader, NEVER);
  }

  /** Call it when the engine didn't answer. True once its main process too has been silent for long. */
  #isAway(): boolean {
    const { mainProcess, silenceMs } = this.#container;
    this.#awaySince ??= performance.now();
    return Math.min(performance.now() - this.#awaySince, mainProcess.silentMs) >= AWAY * silenceMs;
  }

  /** What the user has to know of a step whose stream was cut. */
  #lostOutput(code: number): string | undefined {
    if (this.#cutAt === undefined) return undefined;
    const { bytes, missing } = this.#output;
    const before = duration((performance.now() - this.#cutAt) / 1000);
    const atLeast = missing === 0 ? '' : `, at least ${byteCount(missing)}`;
    const isUnknown = code === UNWRITABLE && this.#end === undefined;
    const unknown = isUnknown ? ' The engine does not know its exit code: check the stack.' : '';
    return `The connection that carries the step's output was cut ${before} before its end, after ${byteCount(bytes)}; what it printed then is lost${atLeast}.${unknown} ${PROXY}`;
  }

  /**
   * Called regularly: ends the wait for output that can't come, or only from a process that
   * outlived the step.
   */
  async #watch(): Promise<void> {
    if (this.#isWatching || !this.#output.isReading) return;

    this.#isWatching = true;

    const { silenceMs } = this.#container;
    const { idleMs, endedMs = 0 } = this.#output;

    if (idleMs >= silenceMs || (idleMs > 0 && endedMs > TOTAL * silenceMs)) {
      // A killed shell can't report its end, a job can forge one, and a network can drop
      // everything.
      try {
        const isOver = !(await inspectExec(this.#container.engine, this.#exec, silenceMs)).Running;
        this.#awaySince = undefined;
        if (isOver && this.#output.endedMs !== undefined) this.#abandon();
        else if (isOver) this.#output.end();
      } catch {
        if (this.#isAway()) this.#stream.destroy();
      }
    }

    this.#isWatching = false;
  }

  #abandon(): void {
    const text = 'A process that the step left behind holds its output open; further output is not read.';
    this.#container.logger('warning', text);
    this.#stream.destroy();
  }
}

/** The step can still run, but its output can't be followed any more. */
function cutOff(cause: unknown): ContainerLostError {
  const reason = `the connection that carries its output was cut (${textOf(cause)}). Check the engine and the network to it.`;
  const message = `Failed to follow the step in its container: ${reason}`;
  return new ContainerLostError(message, { code: 'PRA-CONTAINER-04', cause, reason, fault: 'executor' });
}

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
