import { setTimeout as sleep } from 'node:timers/promises';
import { type ContainerState, StepReport } from '../../container/step-report.ts';
import {
  ContainerError,
  type Logger,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StepSpec,
  type StopSignal,
} from '../../executor.ts';
import type { Cluster } from '../cluster.ts';
import type { ControlChannel } from '../exec/control-channel.ts';
import { ExecStream, type PodScript, type StreamEnd } from '../exec/exec-stream.ts';
import { CONTROL_FOLDER } from '../pod/pod-scripts.ts';
import { isAlive, isEnding } from '../pod/status.ts';
import { REJOIN_SCRIPT, STEP_SCRIPT, stepSettings } from './step-script.ts';

/** Tries to start a step whose start was not answered, and that was kept from beginning. */
const STARTS = 5;
/** Milliseconds between two tries to take a step's output up again. */
const RETRY_MS = 1_000;
/** Milliseconds for the rest of an ended step's output, from its last byte on: longer than a pod runs without its agent. */
const REST_MS = 300_000;
/** The exit code of a step that was stopped before it began, as if SIGINT had ended it. */
const WITHHELD = 130;
const ignore = () => undefined;

/** What a step needs of its pod. */
export interface StepContext {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly control: ControlChannel;
  readonly environmentFile: string;
  /** Variables that every step gets, over its own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly logger: Logger;
  /** Processes that the kernel had ended, short of memory, when the last step ended. */
  oomKills: number;
  /** How the container stood when the last step ended; until it is used. */
  state: ContainerState | undefined;
  /** Why the pod went away: the error to end with. */
  loss(): Promise<Error>;
}

/** One step in the pod, started at most once: one whose start was not answered is forbidden before another try. Output goes on where a cut stream ended. */
export class Step implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #context: StepContext;
  readonly #sink: OutputSink;
  readonly #signal: AbortSignal;
  /** The signal, the pod's loss, and the step's own end. */
  readonly #over: AbortSignal;
  readonly #ended = new AbortController();
  readonly #report = new StepReport();
  /** The step's name in the pod, and how often one was forbidden. */
  #name: string;
  #renames = 0;
  /** Bytes that the sink has taken. */
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  #onWhole: () => void = ignore;
  #isStopping = false;
  #isWithheld = false;
  #isKilled = false;
  #stream: ExecStream | undefined;

  constructor(
    context: StepContext,
    { name, spec, sink, signal }: { name: string; spec: StepSpec; sink: OutputSink; signal: AbortSignal },
  ) {
    this.#context = context;
    this.#name = name;
    this.#sink = sink;
    this.#signal = signal;
    this.#over = AbortSignal.any([signal, context.control.lost, this.#ended.signal]);
    this.exit = this.#run(spec);
    this.exit.catch(ignore);
  }

  /** True while the step may run and wasn't killed: its pod, when it is ended, must interrupt it first. */
  get needsInterrupt(): boolean {
    return this.#report.end === undefined && !this.#isWithheld && !this.#isKilled;
  }

  async signal(name: StopSignal): Promise<void> {
    this.#isStopping = true;
    const leader = await this.#report.begun;
    if (leader === undefined || this.#over.aborted) return;
    // What has ended needs no signal, but time for the rest of its output.
    if (this.#report.end !== undefined) return this.exit.then(ignore, ignore);
    try {
      await this.#context.control.signal(name, leader, this.#over);
      if (name === 'SIGKILL') this.#isKilled = true;
    } catch (error) {
      if (!this.#over.aborted) throw error;
    }
  }

  async #run(spec: StepSpec): Promise<StepExit> {
    const cut = () => this.#stream?.close();
    this.#over.addEventListener('abort', cut, { once: true });
    this.#context.control.onSilence = cut;
    try {
      await this.#show(spec);
      return await this.#result();
    } finally {
      this.#report.close();
      this.#ended.abort();
      this.#context.control.onSilence = undefined;
    }
  }

  /** Starts the step and shows its output to the end, over as many streams as it takes. */
  async #show(spec: StepSpec): Promise<void> {
    const report = this.#report;
    const { control, cluster, pod } = this.#context;
    let isTold = false;
    for (let movedAt = performance.now(); ; ) {
      this.#signal.throwIfAborted();
      const before = this.#bytes;
      const isTakenUp = report.leader !== undefined;
      const end = await this.#once(spec);
      this.#signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isWithheld || this.#isWhole()) return;
      if ('exitCode' in end && report.leader === undefined)
        throw this.#notBegun(report.unknown || end.message || `exit code ${end.exitCode}`);
      if (this.#bytes !== before || report.end === undefined) movedAt = performance.now();
      else if (isTakenUp && 'exitCode' in end && end.exitCode === 0)
        return this.#warn('The pod has less output of the step than the step printed: its last lines are lost.');
      else if (performance.now() - movedAt > REST_MS)
        return this.#warn("The rest of the step's output could not be read: its last lines are lost.");
      // A stream that ended by itself without the step's end: the step's shells were killed, and the rest is in the file.
      if (control.lost.aborted || !(await isAlive(cluster, pod).catch(() => true))) {
        if (report.end === undefined) throw await this.#context.loss();
        return this.#warn('The pod is gone before all output of the step was read: its last lines are lost.');
      }
      if (!isTold && 'cut' in end) {
        isTold = true;
        const goesOn = report.end === undefined ? 'the step goes on, and ' : '';
        this.#warn(`The stream of the step is cut; ${goesOn}its output is taken up again.`);
      }
      await sleep(RETRY_MS, undefined, { signal: this.#over }).catch(ignore);
    }
  }

  #warn(text: string): void {
    this.#context.logger('warning', text);
  }

  /** The step has ended, and the sink has had all its output. */
  #isWhole(): boolean {
    return this.#report.end !== undefined && this.#bytes >= this.#report.end.bytes;
  }

  /** Follows the step over one stream, which starts it unless it has begun. */
  async #once(spec: StepSpec): Promise<StreamEnd> {
    this.#report.startAnew();
    const { control, environmentFile, variables } = this.#context;
    const { leader } = this.#report;
    // Nothing was ever asked of the pod while there was no stream.
    const isFirst = this.#stream === undefined;
    try {
      if (leader !== undefined || (!isFirst && !(await control.forbid(this.#name, this.#over)))) {
        const known = leader === undefined ? [] : [String(leader)];
        const words = [CONTROL_FOLDER, this.#name, String(this.#bytes), ...known];
        return await this.#follow({ code: REJOIN_SCRIPT, words });
      }
      if (this.#isStopping) {
        this.#isWithheld = true;
        return { exitCode: WITHHELD, message: '' };
      }
      if (!isFirst) this.#rename();
      const settings = stepSettings({ ...spec, environment: { ...spec.environment, ...variables } });
      const words = [CONTROL_FOLDER, this.#name, environmentFile, String(Buffer.byteLength(settings))];
      return await this.#follow({ code: STEP_SCRIPT, words }, settings);
    } catch (cause) {
      if (cause instanceof ContainerError) throw cause;
      return { cut: cause };
    }
  }

  /** What was forbidden under its old name may begin under a new one. */
  #rename(): void {
    this.#renames += 1;
    if (this.#renames >= STARTS) throw this.#notBegun('the cluster did not answer, and the step had not begun');
    this.#name = `${this.#name.replace(/-.*/, '')}-${this.#renames}`;
  }

  #notBegun(why: string): ContainerError {
    return new ContainerError(
      `Failed to start the step for the job: ${why}. Use an image with a POSIX shell, head, cat, sleep and tail, and with the shell that the job names; have steps leave room in /mnt/pulumi-runner; check the API server and the kubelet.`,
      { code: 'PRA-K8S-21' },
    );
  }

  async #follow(script: PodScript, input?: string): Promise<StreamEnd> {
    const { cluster, pod } = this.#context;
    const whole = Promise.withResolvers<StreamEnd>();
    // What the step has left in the background may keep its stream open.
    this.#onWhole = () => whole.resolve({ exitCode: 0, message: '' });
    const stream = await ExecStream.open({
      cluster,
      pod,
      script,
      onOutput: (piece) => this.#take(piece),
      onError: (piece) => {
        this.#report.read(piece.toString('latin1'));
        if (this.#isWhole()) this.#onWhole();
      },
      signal: this.#over,
    });
    this.#stream = stream;
    if (this.#over.aborted || this.#failure !== undefined) stream.close();
    if (input !== undefined) stream.write(input);
    return Promise.race([stream.end, whole.promise]);
  }

  async #take(piece: Buffer): Promise<void> {
    try {
      await this.#sink(piece);
    } catch (error) {
      this.#failure ??= { error };
      this.#stream?.close();
      throw error;
    }
    this.#bytes += piece.length;
    if (this.#isWhole()) this.#onWhole();
  }

  async #result(): Promise<StepExit> {
    if (this.#isWithheld) return { code: WITHHELD, outOfMemory: false };
    const { code = 137, state } = this.#report.end ?? {};
    const context = this.#context;
    // A pod that is taken away interrupts its step: that is why it failed.
    if (code !== 0 && !this.#signal.aborted && (await isEnding(context.cluster, context.pod).catch(() => false)))
      throw await context.loss();
    if (state === undefined) return { code, outOfMemory: false };
    const outOfMemory = state.oomKills > context.oomKills;
    context.oomKills = Math.max(context.oomKills, state.oomKills);
    context.state = state;
    return { code, outOfMemory };
  }
}
