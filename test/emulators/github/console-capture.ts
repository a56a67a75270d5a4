import { LineReader } from './line-reader.ts';
import type { OutputChunk } from './step-process.ts';
import { type InterpreterOptions, WorkflowCommandInterpreter } from './workflow-commands.ts';

/** A phase's output as it came. */
export interface RawOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Keeps a phase's output, interprets it while it comes, and lets tests wait for a rendered line. */
export class ConsoleCapture {
  readonly interpreter: WorkflowCommandInterpreter;
  readonly #readers = { stdout: new LineReader(), stderr: new LineReader() };
  readonly #chunks: OutputChunk[] = [];
  readonly #lines: string[] = [];
  readonly #watchers = new Set<{ readonly pattern: RegExp; readonly resolve: (match: RegExpExecArray) => void }>();

  constructor(options: InterpreterOptions) {
    this.interpreter = new WorkflowCommandInterpreter({ ...options, onLine: (line) => this.#seen(line) });
  }

  accept(chunk: OutputChunk): void {
    this.#chunks.push(chunk);
    for (const line of this.#readers[chunk.stream].push(chunk.bytes)) this.interpreter.interpret(line);
  }

  /** Ends both streams, whose unended last lines count. */
  end(): void {
    for (const stream of ['stderr', 'stdout'] as const) {
      for (const line of this.#readers[stream].end()) this.interpreter.interpret(line);
    }
  }

  /** The output so far, byte for byte. */
  raw(): RawOutput {
    const join = (stream: OutputChunk['stream']): Buffer =>
      Buffer.concat(this.#chunks.filter((chunk) => chunk.stream === stream).map(({ bytes }) => bytes));
    return { stdout: join('stdout'), stderr: join('stderr') };
  }

  /** Waits for a rendered line that matches, also one from before. Throws with the console's tail after `timeoutMs`, or once `ended` settles. */
  async waitFor(pattern: RegExp, timeoutMs: number, ended: Promise<unknown>): Promise<RegExpExecArray> {
    for (const line of this.#lines) {
      const match = matchOf(pattern, line);
      if (match !== null) return match;
    }
    const { promise, resolve, reject } = Promise.withResolvers<RegExpExecArray>();
    const watcher = { pattern, resolve };
    const fail = (why: string): void => {
      const tail = this.#lines.slice(-20).join('\n');
      reject(new Error(`Failed to see ${pattern} on the console: ${why}. The console ended with:\n${tail}`));
    };
    const timer = setTimeout(() => fail(`not within ${timeoutMs} ms`), timeoutMs);
    const onEnd = (): void => fail('the step ended');
    ended.then(onEnd, onEnd);
    this.#watchers.add(watcher);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(watcher);
    }
  }

  #seen(line: string): void {
    this.#lines.push(line);
    for (const watcher of this.#watchers) {
      const match = matchOf(watcher.pattern, line);
      if (match !== null) watcher.resolve(match);
    }
  }
}

/** A match from the line's start, whatever state a global or sticky pattern was left in. */
function matchOf(pattern: RegExp, line: string): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(line);
}
