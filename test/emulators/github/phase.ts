import {
  CommandFileError,
  type CommandFiles,
  createCommandFiles,
  parseKeyValueFile,
  readIfPresent,
  readSummary,
} from './command-files.ts';
import { ConsoleCapture, type RawOutput } from './console-capture.ts';
import type { SecretMasker } from './secret-masker.ts';
import {
  type StepExit,
  type StepProcess,
  type StepProcessOptions,
  startStepProcess,
} from './step-process.ts';
import type { Violation } from './violations.ts';
import type { Annotation, ConsoleReading } from './workflow-commands.ts';

export type Conclusion = 'success' | 'failure' | 'cancelled';

/** The result of one phase of a step. */
export interface PhaseResult extends Omit<StepExit, 'heldPipes'> {
  readonly phase: 'main' | 'post';
  readonly conclusion: Conclusion;
  /** From the command file, which takes precedence over `::set-output::`. */
  readonly outputs: Readonly<Record<string, string>>;
  readonly state: Readonly<Record<string, string>>;
  /** Masked; empty if there was none or GitHub dropped it. */
  readonly summary: string;
  readonly summaryDropped: boolean;
  readonly annotations: readonly Annotation[];
  /** The rendered console's lines. */
  readonly console: readonly string[];
  /** Everything read from the console: commands, masks, groups, forging attempts. */
  readonly reading: ConsoleReading;
  readonly raw: RawOutput;
}

/** A running phase; `cancel` follows GitHub's timetable and settles with the phase, `destroy` waits for its end. */
export interface PhaseHandle extends Pick<StepProcess, 'pid' | 'kill' | 'cancel' | 'destroy'> {
  readonly exited: Promise<PhaseResult>;
  /** When it was first cancelled, by `performance.now()`. */
  readonly cancelledAt: number | undefined;
  /** @throws if no rendered line matches within `timeoutMs` or before the end */
  waitForConsole(pattern: RegExp, timeoutMs: number): Promise<RegExpMatchArray>;
}

export interface PhaseOptions extends Omit<StepProcessOptions, 'onChunk'> {
  readonly name: 'main' | 'post';
  readonly tempDirectory: string;
  readonly masker: SecretMasker;
  readonly violations: Violation[];
  readonly debug: boolean;
  /** The runner's own warnings before the step. */
  readonly warnings: readonly string[];
}

/** GitHub's runner takes minutes to process a console line of this many characters. */
const LONG_LINE = 100_000;

/** Starts one phase of a JavaScript action and reads its command files when it has ended. */
export async function startPhase(options: PhaseOptions): Promise<PhaseHandle> {
  const { name, violations, masker } = options;
  const files = await createCommandFiles(options.tempDirectory);
  const capture = new ConsoleCapture({ masker, debug: options.debug });
  for (const warning of options.warnings) capture.interpreter.annotate('warning', warning);
  const step = await startStepProcess({
    ...options,
    env: { ...options.env, ...files.environment },
    onChunk: (chunk) => capture.accept(chunk),
  });
  let cancelledAt: number | undefined;
  const settled = step.settled.then(async (exit) => {
    if (exit.heldPipes !== undefined)
      violations.push({ rule: 'pipes-held-open', detail: `after ${name} had ended, by ${exit.heldPipes}` });
    for (const file of [files.env, files.path]) {
      // The action must change nothing for the steps after it.
      if ((await readIfPresent(file)) !== '') violations.push({ rule: 'environment-changed', detail: file });
    }
    const result = await gather(name, exit, cancelledAt !== undefined, files, capture, masker);
    if (result.reading.longestLine >= LONG_LINE) {
      violations.push({
        rule: 'long-console-line',
        detail: `${name} printed a line of ${result.reading.longestLine} characters`,
      });
    }
    return result;
  });
  const exited = settled.finally(() => capture.close());
  exited.catch(() => {}); // Callers that await it see the failure.
  return {
    pid: step.pid,
    exited,
    get cancelledAt() {
      return cancelledAt;
    },
    kill: (signal) => step.kill(signal),
    destroy: async () => {
      await step.destroy();
      await step.settled;
    },
    cancel: async () => {
      cancelledAt ??= performance.now();
      await step.cancel();
    },
    waitForConsole: (pattern, timeoutMs) => capture.waitFor(pattern, timeoutMs),
  };
}

async function gather(
  phase: 'main' | 'post',
  exit: StepExit,
  cancelled: boolean,
  files: CommandFiles,
  capture: ConsoleCapture,
  masker: SecretMasker,
): Promise<PhaseResult> {
  const { interpreter } = capture;
  let failed = false;
  capture.end();
  if (cancelled) interpreter.annotate('error', 'The operation was canceled.');

  const read = async (path: string, context: string): Promise<Map<string, string>> => {
    try {
      return parseKeyValueFile(await readIfPresent(path));
    } catch (error) {
      if (!(error instanceof CommandFileError)) throw error;
      failed = true;
      interpreter.annotate('error', `Unable to process file command '${context}' successfully.`);
      interpreter.annotate('error', error.message);
      return new Map();
    }
  };
  const summary = await readSummary(files.summary, masker);
  if (summary === undefined)
    interpreter.annotate(
      'error',
      '$GITHUB_STEP_SUMMARY upload aborted, supports content up to a size of 1024k.',
    );
  const state = await read(files.state, 'state');
  const output = await read(files.output, 'output');
  const reading = interpreter.read();
  const ended: Conclusion = exit.exitCode === 0 && !failed && !reading.failed ? 'success' : 'failure';
  const { heldPipes: _, ...left } = exit;
  return {
    ...left,
    phase,
    conclusion: cancelled ? 'cancelled' : ended,
    outputs: { ...reading.outputs, ...Object.fromEntries(output) },
    state: { ...reading.state, ...Object.fromEntries(state) },
    summary: summary ?? '',
    summaryDropped: summary === undefined,
    annotations: reading.annotations,
    console: reading.lines,
    reading,
    raw: capture.raw(),
  };
}
