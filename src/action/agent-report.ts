import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { OutcomeError } from '../outcome.ts';
import { requireProgram } from './agent-process.ts';
import { plainText } from './console-text.ts';
import type { Job } from './job.ts';

/** Milliseconds from SIGINT until a cancelled step leaves it alone. */
const LEAVE_MS = 1_000;
/** Characters of its report that are kept. */
const MAX_OUTPUT = 1024 * 1024;
/** Characters of its log that a message quotes, the last ones: a crash says its cause there, and where it was. */
const MAX_QUOTED = 2_000;

export interface ReportCommand<T> {
  readonly job: Job;
  /** What is run, for messages: `the doctor`. */
  readonly name: string;
  /** The agent's arguments. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Milliseconds after which it is killed. */
  readonly deadlineMs: number;
  /** Reads what it printed; throws for what is no report. */
  readonly read: (json: unknown) => T;
  /** Told each line of its own log. */
  readonly onLogLine?: (line: string) => void;
}

/**
 * Runs a command of the agent that prints a report as JSON; undefined when the CI job was cancelled meanwhile, which interrupts it.
 * Throws OutcomeError `failed` when there is no report.
 */
export async function agentReport<T>(command: ReportCommand<T>): Promise<T | undefined> {
  const { job, args, environment, deadlineMs, onLogLine } = command;
  const { nodePath, agentScript: script, cancelled } = job;
  await requireProgram(script);
  const child = spawn(nodePath, [script, ...args], {
    cwd: dirname(script),
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment,
  });
  let [printed, said] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed = `${printed}${text}`.slice(0, MAX_OUTPUT);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-MAX_QUOTED);
  });
  if (onLogLine !== undefined) onLines(child.stderr, onLogLine);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (cause) => reject(unreported(command, `it could not be started: ${cause.message}`, cause)));
    child.once('close', resolve);
  });
  const { promise: left, resolve: leave } = Promise.withResolvers<null>();
  const onCancel = () => {
    child.kill('SIGINT');
    setTimeout(() => leave(null), LEAVE_MS);
  };
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  cancelled.addEventListener('abort', onCancel, { once: true });
  if (cancelled.aborted) onCancel();
  try {
    const code = await Promise.race([ended, left]);
    if (cancelled.aborted) return undefined;
    const otherwise = `it ended with ${code ?? 'a signal'} and said: ${said}`;
    try {
      return command.read(JSON.parse(printed));
    } catch (cause) {
      throw unreported(command, otherwise, cause);
    }
  } finally {
    clearTimeout(timer);
    cancelled.removeEventListener('abort', onCancel);
  }
}

function unreported({ name }: { readonly name: string }, reason: string, cause: unknown): OutcomeError {
  const shown = plainText(reason, MAX_QUOTED + 100);
  return new OutcomeError('failed', `Failed to run ${name} for this job: ${shown}.`, { cause });
}

/** Hands on whole lines as they come, the last one at the end. */
function onLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = '';
  stream.on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = (lines.pop() ?? '').slice(0, MAX_OUTPUT);
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
