import { setTimeout as sleep } from 'node:timers/promises';
import { type ContainerState, readState } from '../shell/state-function.ts';
import {
  ContainerError,
  type OutputSink,
  type StepExit,
  type StepProcess,
  type StepSpec,
  type StopSignal,
} from '../target.ts';
import { Channel, type ChannelEnd } from './channel.ts';
import type { Cluster } from './cluster.ts';
import { type Control, ControlLostError } from './control.ts';
import { CONTROL_FOLDER } from './pod-scripts.ts';
import { REJOIN_SCRIPT, RUN_MISSING, RUN_STEP, RUN_STEP_IN_FULL } from './step-scripts.ts';
import { stepSettings } from './step-settings.ts';

/** Milliseconds between two tries to take a step's output up again. */
const RETRY_MS = 1_000;
/** Tries to start a step whose start was not answered, and that was kept from beginning. */
const STARTS = 5;
const CONTROL_CHARACTERS = 1_000;
const LOST = 'The pod is gone before all output of the step was taken over: its last lines are lost.';
const GONE = 'The step removed its output in the pod: lines that were not taken over yet are lost.';

/** What a step needs of its pod. */
export interface PodContext {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly container: string;
  readonly control: Control;
  readonly environmentFile: string;
  /** Variables that every step gets, over its own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly logger: (level: 'debug' | 'info' | 'warning', message: string) => void;
  /** Processes that the kernel had ended for want of memory when the last step ended. */
  oomKills: number;
  /** How the container stood when the last step ended; until it is used. */
  state: ContainerState | undefined;
  /** True while the pod is there and runs. */
  isAlive(): Promise<boolean>;
  /** True when the pod is gone, over, or about to be. */
  isDoomed(): Promise<boolean>;
  /** Why the pod went away: the error to end with. */
  loss(): Promise<Error>;
}

/**
 * One step in the pod. Its process does not depend on the stream that shows it: when that is cut, the output is taken up
 * again where it ended. The process is started at most once: a step whose start was not answered is forbidden before it is
 * tried again under another name.
 */
export class Step implements StepProcess {
  readonly exit: Promise<StepExit>;
  readonly #context: PodContext;
  #name: string;
  readonly #sink: OutputSink;
  readonly #signal: AbortSignal;
  /** The signal, and the pod's loss. */
  readonly #over: AbortSignal;
  readonly #leader = Promise.withResolvers<number | undefined>();
  #known: number | undefined;
  #starts = 0;
  #command = RUN_STEP;
  #end: { readonly code: number; readonly state: ContainerState | undefined; readonly bytes: number } | undefined;
  #bytes = 0;
  #taken = 0;
  #onWhole: () => void = () => undefined;
  #line = '';
  #complaint = '';
  #isOver = false;
  #channel: Channel | undefined;

  constructor(
    context: PodContext,
    { name, spec, sink, signal }: { name: string; spec: StepSpec; sink: OutputSink; signal: AbortSignal },
  ) {
    this.#context = context;
    this.#name = name;
    this.#sink = sink;
    this.#signal = signal;
    this.#over = AbortSignal.any([signal, context.control.lost]);
    this.exit = this.#run(spec);
    this.exit.catch(() => undefined);
  }

  async signal(name: StopSignal): Promise<void> {
    const leader = await this.#leader.promise;
    if (leader === undefined || this.#isOver) return;
    try {
      await this.#context.control.signal(name, leader);
    } catch (error) {
      if (!(error instanceof ControlLostError)) throw error;
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
      this.#isOver = true;
      this.#leader.resolve(undefined);
      this.#over.removeEventListener('abort', cut);
      forget();
      this.#channel?.close();
    }
  }

  /** Starts the step and shows its output to the end, over as many streams as it takes. */
  async #show(spec: StepSpec): Promise<void> {
    for (let told = false; ; told = true) {
      this.#signal.throwIfAborted();
      const before = this.#bytes;
      const end = await this.#once(spec);
      this.#signal.throwIfAborted();
      // What is missing in a stream that ended in order, and that a second one doesn't bring, isn't there any more.
      if (this.#isWhole() || (this.#end !== undefined && told && this.#bytes === before)) return;
      if ('exitCode' in end && this.#known === undefined && !this.#isMending(end)) throw this.#neverBegan(end);
      // A stream that ended in order without the last words: the step's shells were killed, and the rest is in the file.
      if (!(await this.#isAlive())) {
        if (this.#end === undefined) throw await this.#context.loss();
        this.#context.logger('warning', LOST);
        return;
      }
      if (!told && 'cut' in end) {
        this.#context.logger(
          'warning',
          'The stream of the step is cut; the step goes on, and its output is taken up again.',
        );
      }
      await sleep(RETRY_MS, undefined, { signal: this.#over }).catch(() => undefined);
    }
  }

  /** The step has ended, and the sink has had all its output. */
  #isWhole(): boolean {
    return this.#end !== undefined && this.#taken >= this.#end.bytes;
  }

  async #isAlive(): Promise<boolean> {
    const { control, isAlive } = this.#context;
    return !control.lost.aborted && (await isAlive().catch(() => true));
  }

  async #once(spec: StepSpec): Promise<ChannelEnd> {
    this.#line = '';
    const { control, environmentFile, variables } = this.#context;
    try {
      if (this.#known !== undefined || (this.#channel !== undefined && !(await control.forbid(this.#name)))) {
        const leader = this.#known === undefined ? [] : [String(this.#known)];
        return await this.#follow([REJOIN_SCRIPT, CONTROL_FOLDER, this.#name, String(this.#bytes), ...leader]);
      }
      if (this.#channel !== undefined) this.#rename();
      const settings = stepSettings({ ...spec, environment: { ...spec.environment, ...variables } });
      const bytes = Buffer.byteLength(settings);
      return await this.#follow([this.#command, CONTROL_FOLDER, this.#name, environmentFile, String(bytes)], settings);
    } catch (cause) {
      if (cause instanceof ContainerError) throw cause;
      return { cut: cause };
    }
  }

  async #follow(command: readonly string[], input?: string): Promise<ChannelEnd> {
    const { cluster, pod, container } = this.#context;
    const whole = Promise.withResolvers<ChannelEnd>();
    // What the step has left in the background may keep its stream open.
    this.#onWhole = () => whole.resolve({ exitCode: 0, message: '' });
    const channel = await Channel.open({
      cluster,
      pod,
      container,
      command: ['sh', '-c', ...command],
      onOutput: async (piece) => {
        this.#bytes += piece.length;
        await this.#sink(piece);
        this.#taken += piece.length;
        if (this.#isWhole()) this.#onWhole();
      },
      onError: (piece) => this.#hear(piece.toString('latin1')),
      signal: this.#over,
    });
    this.#channel = channel;
    if (this.#over.aborted) channel.close();
    if (input !== undefined) channel.write(input);
    return Promise.race([channel.end, whole.promise]);
  }

  /** What was forbidden under its old name may begin under a new one. */
  #rename(): void {
    this.#starts += 1;
    if (this.#starts >= STARTS) throw this.#unanswered();
    this.#channel = undefined;
    this.#name = `${this.#name.replace(/-.*/, '')}-${this.#starts}`;
  }

  /** True, once, where an earlier step has removed what steps are started by. */
  #isMending({ exitCode }: { exitCode: number }): boolean {
    if (exitCode !== RUN_MISSING || this.#command !== RUN_STEP) return false;
    this.#command = RUN_STEP_IN_FULL;
    this.#channel = undefined;
    return true;
  }

  #hear(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = (lines.pop() ?? '').slice(0, CONTROL_CHARACTERS);
    for (const line of lines) {
      const [, number, state, bytes = '0'] = /^(\d{1,9})(?: (.+?)(?: of (\d{1,15}))?)?$/.exec(line) ?? [];
      if (line === 'gone') this.#context.logger('warning', GONE);
      else if (number === undefined) this.#complaint = `${this.#complaint} ${line}`.trim().slice(0, CONTROL_CHARACTERS);
      else if (state !== undefined) {
        this.#end = { code: Number(number), state: readState(state), bytes: Number(bytes) };
        if (this.#isWhole()) this.#onWhole();
      } else if (this.#known === undefined) {
        this.#known = Number(number);
        this.#leader.resolve(this.#known);
      }
    }
  }

  async #result(): Promise<StepExit> {
    const { code = 137, state } = this.#end ?? {};
    const context = this.#context;
    // A pod that is taken away interrupts its step: that is why it failed.
    if (code !== 0 && !this.#signal.aborted && (await context.isDoomed().catch(() => false)))
      throw await context.loss();
    void context.control.forget(this.#name).catch(() => undefined);
    if (state === undefined) return { code, outOfMemory: false };
    const outOfMemory = state.oomKills > context.oomKills;
    context.oomKills = Math.max(context.oomKills, state.oomKills);
    context.state = state;
    return { code, outOfMemory };
  }

  #neverBegan({ exitCode, message }: { exitCode: number; message: string }): ContainerError {
    const why = this.#complaint || message || `exit code ${exitCode}`;
    return new ContainerError(
      `Failed to start the step for the job: ${why}. Use an image with a POSIX shell, head, cat, sleep and tail, and with the shell that the job names.`,
    );
  }

  #unanswered(): ContainerError {
    return new ContainerError(
      'Failed to start the step for the job: the cluster did not answer, and the step had not begun. Check the API server and the kubelet.',
    );
  }
}
