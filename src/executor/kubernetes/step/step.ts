import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../../base/outcome.ts';
import { type LastReport, ShellReport } from '../../container/step-report.ts';
import {
  ContainerError,
  type Logger,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StopSignal,
} from '../../executor.ts';
import { oneLine } from '../../foreign-text.ts';
import type { Cluster } from '../cluster.ts';
import type { ControlChannel } from '../exec/control-channel.ts';
import { ExecStream, type StreamEnd } from '../exec/exec-stream.ts';
import { CONTROL_FOLDER } from '../pod/pod-scripts.ts';
import { isAlive, isEnding } from '../pod/status.ts';
import { complete, STEP_SCRIPT } from './step-script.ts';

/** Between attempts to resume a step's output. */
const RETRY_MS = 1_000;

/** For a step to begin: longer than a pod runs without its agent. */
const START_MS = 300_000;

/** Since its last byte, for the rest of an ended step's output; as long for the same reason. */
const REST_MS = 300_000;

/** Runs instead of a step that was stopped before it began: ends as if by SIGINT. */
const WITHHELD = complete('exit 130');
const LINES_LOST = "The rest of the step's output can no longer be read: its last lines are lost.";
const ignore = () => undefined;

/** The pod of a step, as the step sees it. */
export interface StepPod {
  readonly cluster: Cluster;
  readonly name: string;
  readonly control: ControlChannel;
  readonly environmentFile: string;
  readonly logger: Logger;
  readonly lastReport: LastReport;
  /** The error for a pod that went away. */
  loss(): Promise<Error>;
}

interface StepCode {
  /** Unique in the pod. */
  readonly name: string;
  /** Its shell code, as returned by `complete`. */
  readonly settings: string;
  readonly signal: AbortSignal;
}

/**
 * One step in the pod, which begins at most once (STEP_SCRIPT). Its output resumes where a cut
 * stream ended.
 */
export class PodStep implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #pod: StepPod;
  readonly #code: StepCode;
  readonly #sink: OutputSink;
  /** Aborts with the step's signal, when the pod is lost, and when the step has ended. */
  readonly #over: AbortSignal;
  readonly #ended = new AbortController();
  readonly #report = new ShellReport();
  /** Bytes delivered to the sink. */
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  #isStopping = false;
  #isKilled = false;
  #stream: ExecStream | undefined;

  constructor(pod: StepPod, code: StepCode, sink: OutputSink) {
    this.#pod = pod;
    this.#code = code;
    this.#sink = sink;
    this.#over = AbortSignal.any([code.signal, pod.control.lost, this.#ended.signal]);
    this.exit = this.#run();
    this.exit.catch(ignore);
  }

  /**
   * True while the step can be running and wasn't killed: a pod that is removed must interrupt it
   * first.
   */
  get needsInterrupt(): boolean {
    return this.#report.end === undefined && !this.#isKilled;
  }

  async signal(name: StopSignal): Promise<void> {
    this.#isStopping = true;
    const leader = await this.#report.begun;
    if (leader === undefined || this.#over.aborted) return;

    // A step that has ended needs no signal, only time for the rest of its output.
    if (this.#report.end !== undefined) return this.exit.then(ignore, ignore);

    try {
      await this.#pod.control.signal(name, leader, this.#over);
      if (name === 'SIGKILL') this.#isKilled = true;
    } catch (error) {
      if (!this.#over.aborted) throw error;
    }
  }

  async #run(): Promise<StepExit> {
    const cut = () => this.#stream?.close();
    this.#over.addEventListener('abort', cut, { once: true });
    this.#pod.control.onSilence = cut;

    try {
      await this.#show();
      return await this.#result();
    } finally {
      this.#report.close();
      this.#ended.abort();
      this.#pod.control.onSilence = undefined;
    }
  }

  /** Starts the step and delivers all its output, over as many streams as it takes. */
  async #show(): Promise<void> {
    const report = this.#report;
    const { control, cluster, name } = this.#pod;
    let isReported = false;
    const begunAt = performance.now();

    for (let movedAt = begunAt; ; ) {
      this.#code.signal.throwIfAborted();

      const before = this.#bytes;
      const isTakenUp = report.leader !== undefined;
      const end = await this.#once();

      this.#code.signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isWhole()) return;

      const isComplete = 'exitCode' in end && end.exitCode === 0;
      // Without a count, only a stream that ended by itself has had all the output.
      if (isComplete && report.end !== undefined && report.end.bytes === undefined) return;

      if ('exitCode' in end && report.leader === undefined)
        throw notBegun(report.unknown || end.message || `exit code ${end.exitCode}`);

      if (this.#bytes !== before || report.end === undefined) movedAt = performance.now();
      else if ((isTakenUp && isComplete) || performance.now() - movedAt > REST_MS)
        return this.#warn(LINES_LOST);

      // A stream that ended by itself before the step: the step's shells were killed, and the rest
      // is in the file.
      if (control.lost.aborted || !(await isAlive(cluster, name).catch(() => true))) {
        if (report.end === undefined) throw await this.#pod.loss();
        return this.#warn(LINES_LOST);
      }

      if ('cut' in end && report.leader === undefined && performance.now() - begunAt > START_MS)
        throw notBegun(
          `the cluster has not answered for ${START_MS / 1000} s (${oneLine(messageOf(end.cut))})`,
        );

      if (!isReported && 'cut' in end) {
        isReported = true;
        const goesOn = report.end === undefined ? 'the step continues, and ' : '';
        this.#warn(`The step's stream was cut; ${goesOn}its output will resume.`);
      }

      await sleep(RETRY_MS, undefined, { signal: this.#over }).catch(ignore);
    }
  }

  #warn(text: string): void {
    this.#pod.logger('warning', text);
  }

  /** True if the step has ended and the sink is known to have had all its output. */
  #isWhole(): boolean {
    const { bytes } = this.#report.end ?? {};
    return bytes !== undefined && this.#bytes >= bytes;
  }

  /** Follows the step over one stream, which starts it unless it has begun. */
  async #once(): Promise<StreamEnd> {
    this.#report.startAnew();

    const { cluster, name, environmentFile } = this.#pod;
    const { leader } = this.#report;
    const settings = leader !== undefined ? '' : this.#isStopping ? WITHHELD : this.#code.settings;

    // Empty until a stream has opened: the step can't have begun before.
    const delivered = this.#stream === undefined ? '' : String(this.#bytes);
    const size = String(Buffer.byteLength(settings));
    const words = [CONTROL_FOLDER, this.#code.name, environmentFile, size, delivered, String(leader ?? '')];

    try {
      const stream = await ExecStream.open({
        cluster,
        pod: name,
        script: { code: STEP_SCRIPT, words },
        onOutput: (piece) => this.#take(piece),
        onError: (piece) => {
          this.#report.read(piece.toString('latin1'));
          this.#closeWhole();
        },
        signal: this.#over,
      });

      this.#stream = stream;
      if (this.#over.aborted || this.#failure !== undefined) stream.close();
      stream.write(settings);

      return await stream.end;
    } catch (cause) {
      return { cut: cause };
    }
  }

  async #take(piece: Buffer): Promise<void> {
    if (this.#failure !== undefined) return;

    try {
      await this.#sink(piece);
    } catch (error) {
      this.#failure = { error };
      this.#stream?.close();
      return;
    }

    this.#bytes += piece.length;
    this.#closeWhole();
  }

  /** Background processes of the step can hold its stream open. */
  #closeWhole(): void {
    if (this.#isWhole()) this.#stream?.close();
  }

  async #result(): Promise<StepExit> {
    const { code = 137, state } = this.#report.end ?? {};
    const { cluster, name, lastReport } = this.#pod;

    // A pod that is ending interrupts its step; then that is why the step failed.
    if (code !== 0 && !this.#code.signal.aborted && (await isEnding(cluster, name).catch(() => false)))
      throw await this.#pod.loss();

    return { code, outOfMemory: state !== undefined && lastReport.note(state) };
  }
}

function notBegun(why: string): ContainerError {
  return new ContainerError(
    `Failed to start the step for the job: ${why}. Use an image with a POSIX shell, head, cat, sleep and tail, and with the shell that the job names; make sure that steps leave room in /mnt/pulumi-runner; check the API server and the kubelet.`,
    { code: 'PRA-K8S-21', fault: 'deployment' },
  );
}

/**
 * Runs the agent's own shell code as a step and collects its output. Throws as a step's `exit`
 * does.
 */
export async function runCode(
  pod: StepPod,
  code: StepCode,
): Promise<{ readonly code: number; readonly output: Buffer }> {
  const pieces: Buffer[] = [];
  const exit = await new PodStep(pod, code, (piece) => void pieces.push(piece)).exit;
  return { code: exit.code, output: Buffer.concat(pieces) };
}
