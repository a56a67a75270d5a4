import { Changes } from '../changes.ts';
import { LineReader } from './line-reader.ts';
import type { OutputChunk } from './step-process.ts';
import { type InterpreterOptions, WorkflowCommandInterpreter } from './workflow-commands.ts';

/** A phase's output as it arrived. */
export interface RawOutput {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Keeps a phase's output, interprets it as it arrives, and lets tests wait for a rendered line. */
export class ConsoleCapture {
  readonly interpreter: WorkflowCommandInterpreter;
  readonly #readers = { stdout: new LineReader(), stderr: new LineReader() };
  readonly #chunks: OutputChunk[] = [];
  readonly #changes = new Changes();

  constructor(options: InterpreterOptions) {
    this.interpreter = new WorkflowCommandInterpreter({ ...options, onLine: () => this.#changes.notify() });
  }

  accept(chunk: OutputChunk): void {
    this.#chunks.push(chunk);
    for (const line of this.#readers[chunk.stream].push(chunk.bytes)) this.interpreter.interpret(line);
  }

  /** Ends both streams; an unterminated last line counts. */
  end(): void {
    for (const stream of ['stderr', 'stdout'] as const) {
      for (const line of this.#readers[stream].end()) this.interpreter.interpret(line);
    }
  }

  /** Rejects pending waits: no further line will come. */
  close(): void {
    this.#changes.stop();
  }

  /** The output so far, byte for byte. */
  raw(): RawOutput {
    const join = (stream: OutputChunk['stream']): Buffer =>
      Buffer.concat(this.#chunks.filter((chunk) => chunk.stream === stream).map(({ bytes }) => bytes));
    return { stdout: join('stdout'), stderr: join('stderr') };
  }

  /** Waits for a matching rendered line, old or new. Throws with the console's tail after `timeoutMs` or at the end. */
  waitFor(pattern: RegExp, timeoutMs: number): Promise<RegExpMatchArray> {
    const tail = (): string =>
      `No line matches ${pattern}. The console ended with:\n${this.interpreter.lines.slice(-20).join('\n')}`;
    let seen = 0;
    const found = (): RegExpMatchArray | undefined => {
      const from = seen;
      seen = this.interpreter.lines.length;
      for (const line of this.interpreter.lines.slice(from)) {
        const match = line.match(pattern);
        if (match !== null) return match;
      }
      return undefined;
    };
    return this.#changes.waitFor(found, timeoutMs, tail);
  }
}
