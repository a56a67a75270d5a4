/** How a program is started. */
export interface EngineCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** The folder it runs in. */
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * What claims and runs jobs, and leaves a run directory (src/record/schema.ts) for each run. It runs as a process of its own: SIGINT
 * asks it to stop, SIGTERM to drop what isn't reported and end. It claims nothing more when its standard input ends.
 */
export interface Engine {
  /** What becomes of a job whose engine is dead, and how to find what it left, for readers where no sweep could look. */
  readonly leftovers: string;
  /** Waits for one deployment and runs it; its record goes to the run directory, its log to its output. */
  run(runDirectory: string): EngineCommand;
  /** Checks the set-up; prints a report that `doctorReportSchema` reads. */
  doctor(runDirectory: string): EngineCommand;
  /** Counts the queue; prints a report that `planReportSchema` reads. */
  plan(): EngineCommand;
  /** Removes what a dead engine left once `graceMs` milliseconds are over; prints a sentence for each object. */
  sweep(runDirectory: string, graceMs: number): EngineCommand;
}
