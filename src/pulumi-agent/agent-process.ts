import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { NEVER, settledBefore } from '../base/clock.ts';
import { stripControl } from '../base/log/plain-text.ts';
import type { Redactor } from '../base/log/redactor.ts';
import { messageOf, OutcomeError } from '../base/outcome.ts';
import type { Command, ProcessExit } from '../base/process.ts';
import { shellText } from '../base/shell-text.ts';

/** Characters kept from the end of the output, where a crash states its cause. */
const MAX_LAST_OUTPUT = 2_000;

/** Characters of a line; a longer one is split. */
const LONGEST_LINE = 16 * 1024;

/**
 * To finish reading the agent's output after its exit; a process outside its group may hold the
 * pipe.
 */
const LAST_OUTPUT_MS = 5_000;

/** From SIGTERM to SIGKILL. */
const TERMINATE_MS = 10_000;

/** Seconds that an orphaned group gets from SIGINT to SIGTERM, and from there to SIGKILL. */
const ORPHANED_SECONDS = ['60', '10'];

/**
 * Execs into the agent, so the child's exit status is the agent's. A watcher in the background
 * reads a pipe that closes when our process dies, however it dies: it then interrupts and
 * terminates the group, removes the folder and kills the group. The watcher ignores the signals
 * that stop the others.
 */
const LAUNCHER = shellText('./launcher.sh', import.meta.url);

export interface AgentOutput {
  readonly redactor: Redactor;
  /** Called with each line of its output, redacted. No more is read until the promise resolves. */
  readonly onLine: (line: string) => Promise<void> | void;
}

/** Pulumi's agent as a process in its own process group. */
export class AgentProcess {
  readonly pid: number;
  /** Resolves once the process has exited and all of its output was delivered. Never rejects. */
  readonly exited: Promise<ProcessExit>;
  #lastOutput = '';
  #hasExited = false;

  private constructor(pid: number, exited: Promise<ProcessExit>) {
    this.pid = pid;
    this.exited = exited;
  }

  /**
   * Starts it. Its working directory belongs to this run alone. Throws OutcomeError `failed` when it
   * can't be started.
   */
  static async start(command: Command, output: AgentOutput): Promise<AgentProcess> {
    const child = await launch(command);

    child.stdin.on('error', () => undefined);

    const { promise: exited, resolve } = Promise.withResolvers<ProcessExit>();
    const agent = new AgentProcess(child.pid ?? 0, exited);
    const outputs = [child.stdout, child.stderr].map((stream) => agent.#read(stream, output));

    child.once('exit', (code, signal) => {
      agent.#hasExited = true;

      // No process of the group may outlive the agent: it could keep the pipes open, or flood them.
      agent.signal('SIGKILL');

      const late = setTimeout(
        () => [child.stdout, child.stderr].map((stream) => stream.destroy()),
        LAST_OUTPUT_MS,
      );

      void Promise.all(outputs).then(() => {
        clearTimeout(late);
        resolve({ code, signal });
      });
    });

    return agent;
  }

  /** The end of the output, without what is invisible. */
  get lastOutput(): string {
    return this.#lastOutput.trim();
  }

  /** Sends a signal to the whole group. */
  signal(signal: NodeJS.Signals): void {
    if (this.#hasExited && signal !== 'SIGKILL') return;
    try {
      process.kill(-this.pid, signal);
    } catch {
      // The whole group has exited.
    }
  }

  /** Never rejects. */
  async #read(stream: Readable, { redactor, onLine }: AgentOutput): Promise<void> {
    const redaction = redactor.stream();
    const decoder = new StringDecoder('utf8');
    let rest = '';

    const deliver = async (line: string): Promise<void> => {
      this.#lastOutput = `${this.#lastOutput}${stripControl(line)}\n`.slice(-MAX_LAST_OUTPUT);
      await onLine(line);
    };

    const take = async (bytes: Buffer): Promise<void> => {
      const lines = `${rest}${decoder.write(bytes)}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) await deliver(line);

      while (rest.length > LONGEST_LINE) {
        // No character of two code units is split.
        const end = rest.slice(0, LONGEST_LINE).isWellFormed() ? LONGEST_LINE : LONGEST_LINE - 1;
        await deliver(rest.slice(0, end));
        rest = rest.slice(end);
      }
    };

    try {
      for await (const chunk of stream) await take(redaction.push(chunk as Buffer));
    } catch {
      // A broken pipe counts as ended.
    }

    await take(redaction.end());
    if (rest !== '') await deliver(rest);
  }
}

/** Throws OutcomeError `failed`. */
async function launch({
  program,
  args,
  directory,
  environment,
}: Command): Promise<ChildProcessWithoutNullStreams> {
  try {
    // Some failures it throws, such as a variable that is too long; others are events.
    const child = spawn('/bin/sh', ['-c', LAUNCHER, 'sh', directory, ...ORPHANED_SECONDS, program, ...args], {
      cwd: directory,
      env: environment,
      detached: true,
      stdio: 'pipe',
    });
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    const message = `Failed to start Pulumi's agent with ${program}: ${messageOf(cause)}. Check the folder of the engine, and /bin/sh.`;
    throw new OutcomeError('failed', message, { code: 'PRA-ENGINE-06', cause });
  }
}

/**
 * Ends a process group: SIGINT, the grace period, which ends at once when `skipGrace` aborts, SIGTERM,
 * SIGKILL. Resolves when the agent has exited. Never rejects.
 */
export async function endAgent(agent: AgentProcess, graceMs: number, skipGrace: AbortSignal): Promise<void> {
  const endsWithin = (ms: number, signal = NEVER): Promise<boolean> =>
    settledBefore(agent.exited, AbortSignal.any([AbortSignal.timeout(Math.ceil(ms)), signal])).then(
      () => true,
      () => false,
    );

  agent.signal('SIGINT');

  if (!(await endsWithin(graceMs, skipGrace))) {
    agent.signal('SIGTERM');
    if (!(await endsWithin(TERMINATE_MS))) agent.signal('SIGKILL');
  }

  await agent.exited;
}
