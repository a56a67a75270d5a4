import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatDuration } from '../../base/config/duration.ts';
import { type Environment, isWithheld } from '../../base/environment.ts';
import { messageOf } from '../../base/outcome.ts';
import { unfitProgram } from './trusted-program.ts';

/** Time from SIGTERM to SIGKILL. */
const TERM_MS = 5_000;

/**
 * Time to read on after the program's end: what it left behind can hold its output open.
 */
const DRAIN_MS = 200;

/** Characters kept of the output: its beginning and its end. */
const MOST_CHARACTERS = 32_000;

export interface HookOptions {
  /** Absolute. */
  readonly program: string;
  /**
   * The agent's own environment, whose `PULUMI_RUNNER_…` can be those of an earlier deployment: GitLab
   * sets a dotenv report's in later jobs. They are left out.
   */
  readonly environment: Environment;
  readonly variables: Environment;
  /** Text for its standard input, which it need not read. */
  readonly input: string;
  readonly timeoutMs: number;
  /** Ends it, with its process group. */
  readonly signal: AbortSignal;
}

export interface HookEnd {
  /** A clause on how it failed; undefined if it succeeded. */
  readonly failure: string | undefined;
  /** Absent if it has not ended by itself. */
  readonly exitCode?: number;
  /** Both streams in order as they came, in the middle without the lines for which there is no room. Not redacted. */
  readonly output: string;
}

/** Runs a hook in a new process group, and kills the group's rest at its end. Never rejects. */
export async function runHook({
  program,
  environment,
  variables,
  input,
  timeoutMs,
  signal,
}: HookOptions): Promise<HookEnd> {
  // Checked before the first claim too; it can have been replaced since.
  const unfit = unfitProgram(program, process.getuid?.() ?? 0);
  if (unfit !== undefined) return { failure: unfit, output: '' };
  if (signal.aborted) return { failure: 'it was not started', output: '' };

  const own = Object.entries(environment).filter(
    ([name]) => !isWithheld(name, environment) && !name.startsWith('PULUMI_RUNNER_'),
  );
  const env = { ...Object.fromEntries(own), ...variables };
  const notStarted = (error: unknown): HookEnd => ({
    failure: `it could not be started: ${messageOf(error)}`,
    output: '',
  });

  let child: ChildProcessWithoutNullStreams;
  try {
    child = spawn(program, [], { cwd: '/', env, detached: true, stdio: 'pipe' });
  } catch (error) {
    // Node throws what it can't report later: variables that are too long, a program being written.
    return notStarted(error);
  }

  // Without a free file descriptor it has no streams either.
  if (child.pid === undefined) {
    const error = await new Promise((resolve) => child.once('error', resolve));
    for (const stream of child.stdio ?? []) stream?.destroy();
    return notStarted(error);
  }

  const output = new OutputEnds();

  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => output.add(text));

  // It need not read.
  child.stdin.on('error', () => undefined).end(input);

  const ended = Promise.withResolvers<string | undefined>();
  child.on('error', (error) => ended.resolve(messageOf(error)));

  child.on('exit', (code, name) =>
    ended.resolve(
      code === 0 ? undefined : name === null ? `it ended with exit code ${code}` : `it was ended by ${name}`,
    ),
  );

  let exitCode: number | null = null;
  child.on('exit', (code) => {
    exitCode = code;
  });

  const kill = (name: 'SIGTERM' | 'SIGKILL'): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name);
    } catch {
      // Nothing of the group is left.
    }
  };

  let stopped: string | undefined;
  let force: NodeJS.Timeout | undefined;

  const stop = (why: string): void => {
    if (stopped !== undefined) return;
    stopped = why;
    kill('SIGTERM');
    force = setTimeout(() => kill('SIGKILL'), TERM_MS);
  };

  const timer = setTimeout(
    () => stop(`it took longer than hook_timeout (${formatDuration(timeoutMs)})`),
    timeoutMs,
  );

  const onAbort = (): void => stop('the job was stopped');

  signal.addEventListener('abort', onAbort, { once: true });

  const how = await ended.promise;
  clearTimeout(timer);
  clearTimeout(force);
  signal.removeEventListener('abort', onAbort);
  kill('SIGKILL');
  await sleep(DRAIN_MS);
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();

  const code = stopped === undefined && exitCode !== null ? { exitCode } : {};
  return { failure: stopped ?? how, output: output.text, ...code };
}

/** The beginning and the end of a text, in whole lines: a part of one can hold a part of a secret. */
class OutputEnds {
  #begin = '';
  #end = '';
  #dropped = 0;

  add(text: string): void {
    const room = MOST_CHARACTERS - this.#begin.length;
    this.#begin += text.slice(0, room);
    const end = this.#end + text.slice(room);
    this.#dropped += Math.max(0, end.length - MOST_CHARACTERS);
    this.#end = end.slice(-MOST_CHARACTERS);
  }

  get text(): string {
    if (this.#dropped === 0) return `${this.#begin}${this.#end}`;
    const begin = this.#begin.slice(0, this.#begin.lastIndexOf('\n') + 1);
    const end = this.#end.slice(this.#end.indexOf('\n') + 1 || this.#end.length);
    const omitted = this.#dropped + this.#begin.length - begin.length + this.#end.length - end.length;
    return `${begin}… ${omitted} characters are omitted …\n${end}`;
  }
}
