import { setTimeout as sleep } from 'node:timers/promises';
import {
  ContainerError,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StepSpec,
  type StopSignal,
} from '../executor.ts';
import { Channel, type ChannelEnd } from './channel.ts';
import type { PodScript } from './exec-request.ts';
import { CONTROL_FOLDER } from './pod-scripts.ts';
import type { PodContext } from './step-context.ts';
import { REJOIN_SCRIPT, STEP_SCRIPT } from './step-scripts.ts';
import { stepSettings } from './step-settings.ts';
import { neverBegan, StepStart } from './step-start.ts';
import { StepWords } from './step-words.ts';

/** Milliseconds between two tries to take a step's output up again. */
const RETRY_MS = 1_000;
/** Milliseconds for the rest of an ended step's output, from its last byte on: longer than a pod runs without its agent. */
const REST_MS = 300_000;
/** The exit code of a step that was stopped before it began, as if SIGINT had ended it. */
const WITHHELD = 130;
const ignore = () => undefined;
const LOST = 'The pod is gone before all output of the step was taken over: its last lines are lost.';
const GONE = 'The step removed its output in the pod: lines that were not taken over yet are lost.';
const CUT_SHORT = 'The pod has less output of the step than the step printed: the lines that are missing are lost.';
const OUT_OF_REACH =
  'The rest of the step’s output could not be taken over, though its pod still runs: its last lines are lost.';

/**
 * One step in the pod. Its process does not depend on the stream that shows it: when that is cut, the output is taken up
 * again where it ended. The process is started at most once: a step whose start was not answered is forbidden before it is
 * tried again under another name.
 */
export class Step implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #context: PodContext;
  readonly #start: StepStart;
  readonly #sink: OutputSink;
  readonly #signal: AbortSignal;
  /** The signal, the pod's loss, and the step's own end. */
  readonly #over: AbortSignal;
  readonly #ended = new AbortController();
  readonly #words: StepWords;
  /** Bytes that the sink has taken. */
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;
  #onWhole: () => void = () => undefined;
  #isStopping = false;
  #isWithheld = false;
  #isKilled = false;
  #channel: Channel | undefined;

  constructor(
    context: PodContext,
    { name, spec, sink, signal }: { name: string; spec: StepSpec; sink: OutputSink; signal: AbortSignal },
  ) {
    this.#context = context;
    this.#start = new StepStart(name);
    this.#sink = sink;
    this.#signal = signal;
    this.#over = AbortSignal.any([signal, context.control.lost, this.#ended.signal]);
    this.#words = new StepWords(() => context.logger('warning', GONE));
    this.exit = this.#run(spec);
    this.exit.catch(() => undefined);
  }

  /** True while the step may run and wasn't killed: whoever ends its pod must let the pod interrupt it. */
  get needsInterrupt(): boolean {
    return this.#words.last === undefined && !this.#isWithheld && !this.#isKilled;
  }

  async signal(name: StopSignal): Promise<void> {
    this.#isStopping = true;
    const leader = await this.#words.begun;
    if (leader === undefined || this.#over.aborted) return;
    // What has ended needs no signal, but time for the rest of its output.
    if (this.#words.last !== undefined) return this.exit.then(ignore, ignore);
    try {
      await this.#context.control.signal(name, leader, this.#over);
      if (name === 'SIGKILL') this.#isKilled = true;
    } catch (error) {
      if (!this.#over.aborted) throw error;
    }
  }

  async #run(spec: StepSpec): Promise<StepExit> {
    const { control } = this.#context;
    const cut = () => this.#channel?.close();
    this.#over.addEventListener('abort', cut, { once: true });
    const forget = control.onSilence(cut);
    try {
      await this.#show(spec);
      return await this.#result();
    } finally {
      this.#words.close();
      this.#ended.abort();
      forget();
    }
  }

  /** Starts the step and shows its output to the end, over as many streams as it takes. */
  async #show(spec: StepSpec): Promise<void> {
    let isTold = false;
    for (let movedAt = performance.now(); ; ) {
      this.#signal.throwIfAborted();
      const before = this.#bytes;
      const isTakenUp = this.#words.leader !== undefined;
      const end = await this.#once(spec);
      this.#signal.throwIfAborted();
      if (this.#failure !== undefined) throw this.#failure.error;
      if (this.#isWithheld || this.#isWhole()) return;
      if ('exitCode' in end && this.#words.leader === undefined) {
        if (!this.#start.mayBegin(end)) throw neverBegan(end, this.#words.complaint);
        this.#channel = undefined;
      }
      if (this.#bytes !== before || this.#words.last === undefined) movedAt = performance.now();
      else if (isTakenUp && 'exitCode' in end && end.exitCode === 0) return this.#warn(CUT_SHORT);
      else if (performance.now() - movedAt > REST_MS) return this.#warn(OUT_OF_REACH);
      // A stream that ended in order without the last words: the step's shells were killed, and the rest is in the file.
      if (!(await this.#isAlive())) {
        if (this.#words.last === undefined) throw await this.#context.loss();
        return this.#warn(LOST);
      }
      if (!isTold && 'cut' in end) {
        isTold = true;
        const goesOn = this.#words.last === undefined ? 'the step goes on, and ' : '';
        this.#warn(`The stream of the step is cut; ${goesOn}its output is taken up again.`);
      }
      await sleep(RETRY_MS, undefined, { signal: this.#over }).catch(() => undefined);
    }
  }

  #warn(text: string): void {
    this.#context.logger('warning', text);
  }

  /** The step has ended, and the sink has had all its output. */
  #isWhole(): boolean {
    return this.#words.last !== undefined && this.#bytes >= this.#words.last.bytes;
  }

  async #isAlive(): Promise<boolean> {
    const { control, isAlive } = this.#context;
    return !control.lost.aborted && (await isAlive().catch(() => true));
  }

  async #once(spec: StepSpec): Promise<ChannelEnd> {
    this.#words.startAnew();
    const { control, environmentFile, variables } = this.#context;
    const { leader } = this.#words;
    try {
      if (
        leader !== undefined ||
        (this.#channel !== undefined && !(await control.forbid(this.#start.name, this.#over)))
      ) {
        const known = leader === undefined ? [] : [String(leader)];
        const words = [CONTROL_FOLDER, this.#start.name, String(this.#bytes), ...known];
        return await this.#follow({ code: REJOIN_SCRIPT, words });
      }
      if (this.#isStopping) {
        this.#isWithheld = true;
        return { exitCode: WITHHELD, message: '' };
      }
      if (this.#channel !== undefined) this.#start.rename();
      const settings = stepSettings({ ...spec, environment: { ...spec.environment, ...variables } });
      const words = [CONTROL_FOLDER, this.#start.name, environmentFile, String(Buffer.byteLength(settings))];
      return await this.#follow({ code: STEP_SCRIPT, words }, settings);
    } catch (cause) {
      if (cause instanceof ContainerError) throw cause;
      return { cut: cause };
    }
  }

  async #follow(script: PodScript, input?: string): Promise<ChannelEnd> {
    const { cluster, pod, container } = this.#context;
    const whole = Promise.withResolvers<ChannelEnd>();
    // What the step has left in the background may keep its stream open.
    this.#onWhole = () => whole.resolve({ exitCode: 0, message: '' });
    const channel = await Channel.open({
      cluster,
      pod,
      container,
      script,
      onOutput: (piece) => this.#take(piece),
      onError: (piece) => {
        this.#words.hear(piece.toString('latin1'));
        if (this.#isWhole()) this.#onWhole();
      },
      signal: this.#over,
    });
    this.#channel = channel;
    if (this.#over.aborted || this.#failure !== undefined) channel.close();
    if (input !== undefined) channel.write(input);
    return Promise.race([channel.end, whole.promise]);
  }

  async #take(piece: Buffer): Promise<void> {
    try {
      await this.#sink(piece);
    } catch (error) {
      this.#failure ??= { error };
      this.#channel?.close();
      throw error;
    }
    this.#bytes += piece.length;
    if (this.#isWhole()) this.#onWhole();
  }

  async #result(): Promise<StepExit> {
    if (this.#isWithheld) return { code: WITHHELD, outOfMemory: false };
    const { code = 137, state } = this.#words.last ?? {};
    const context = this.#context;
    // A pod that is taken away interrupts its step: that is why it failed.
    if (code !== 0 && !this.#signal.aborted && (await context.isDoomed().catch(() => false)))
      throw await context.loss();
    void context.control.forget(this.#start.name).catch(() => undefined);
    if (state === undefined) return { code, outOfMemory: false };
    const outOfMemory = state.oomKills > context.oomKills;
    context.oomKills = Math.max(context.oomKills, state.oomKills);
    context.state = state;
    return { code, outOfMemory };
  }
}
