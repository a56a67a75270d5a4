/** How a program is started. */
export interface EngineCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** How a program's process ended, as its parent sees it. */
export interface ProcessExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Claims and runs jobs, leaving a run directory (src/record/schema.ts) for each run. It runs as its
 * own process: SIGINT asks it to stop, SIGTERM to drop what isn't reported and end. Once its
 * standard input ends, it claims nothing more.
 */
export interface Engine {
  /**
   * Says what becomes of a dead engine's job and how to find what it left, for when no sweep could
   * run.
   */
  readonly leftovers: string;

  /**
   * Waits for one deployment and runs it; its record goes to the run directory, its log to its
   * output, and the outputs of its stacks to the file `stackOutputs`,
   * if there is one.
   */
  run(runDirectory: string, stackOutputs?: string): EngineCommand;

  /** Checks the setup; prints a report that `doctorReportSchema` reads. */
  doctor(runDirectory: string): EngineCommand;
  /** Counts the queue; prints a report that `planReportSchema` reads. */
  plan(): EngineCommand;

  /** Removes what a dead engine left, after `graceMs` milliseconds; prints a sentence each. */
  sweep(runDirectory: string, graceMs: number): EngineCommand;
}
