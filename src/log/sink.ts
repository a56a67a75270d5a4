/** Redacted lines of a step's log that came together, or a part of a very long one. */
export interface LogBlock {
  /** When they were complete: RFC 3339 with milliseconds, in UTC. Never runs backwards within a step. */
  readonly t: string;
  /** UTF-8, well-formed. Each line ends in `\n`, but for the parts of a long line before its last one, and a log's last line if the output ended without. */
  readonly bytes: Buffer;
  /** The line goes on in the next block: there is one, and it carries no `\n`. */
  readonly partial?: boolean;
}

/** Where a step's lines go. */
export interface LineSink {
  /**
   * Takes lines in the order of the calls; their bytes stay as they are until it returns, and no longer. A promise means: write no
   * more until it resolves. Throws or rejects when the sink is broken.
   */
  write(blocks: readonly LogBlock[]): Promise<void> | void;
  /** Whoever writes has to come to its end: from now on, and wherever it waits already, nobody is asked to wait. */
  release?(): void;
  /** No more lines come. Resolves when everything is where it belongs and the sink's resources are freed; the signal cuts waiting short. */
  end(signal?: AbortSignal): Promise<unknown>;
}
