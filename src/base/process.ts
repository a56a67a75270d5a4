/** How a program is started. */
export interface Command {
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
