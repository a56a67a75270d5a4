import { dirname } from 'node:path';
import type { Command } from '../base/process.ts';

/**
 * Claims and runs jobs, leaving a run directory (src/record/schema.ts) for each run. It runs as its
 * own process: SIGINT asks it to stop, SIGTERM to drop unsent reports and end. Once its standard input
 * ends, it claims nothing more.
 */
export interface Engine {
  /** Says how a dead engine's job ends and how to find its remains, for when no sweep could run. */
  readonly leftovers: string;

  /**
   * Waits for one deployment and runs it; its record goes to the run directory, its log to its
   * output, and the outputs of its stacks to `stackOutputsFile`, if that is given.
   */
  run(runDirectory: string, stackOutputsFile?: string): Command;

  /** Checks the setup; prints a report that `doctorReportSchema` reads. */
  doctor(runDirectory: string): Command;
  /** Counts the queue; prints a report that `planReportSchema` reads. */
  plan(): Command;

  /** Removes the remains of a dead engine, after `graceMs`; prints a sentence each. */
  sweep(runDirectory: string, graceMs: number): Command;
}

/** The program that a step starts as the agent. */
export interface AgentProgram {
  /** The executable: Node.js, or the agent as a single file. */
  readonly nodePath: string;
  /** Path of the agent's entry; undefined for a single file. */
  readonly script: string | undefined;
  /** The folder that the agent starts in. */
  readonly directory: string;
}

/**
 * Limits all threads to two heaps, which saves 15 MB in an agent whose job prints 200 MB
 * (bench/memory.ts).
 */
const FEW_HEAPS = { MALLOC_ARENA_MAX: '2' };

/** Holds for every executor. */
const LEFTOVERS =
  "A job's container or pod ends by itself within 5 minutes of its agent; it carries the label pulumi-runner.owner-host.";

/** The project's own agent, src/agent. */
export function ownEngine({
  nodePath,
  script,
  directory: folder = dirname(script ?? nodePath),
  configFile,
  defaults = {},
  labels = {},
  environment,
  interruptedBySigterm = false,
}: {
  readonly nodePath: string;
  readonly script?: string | undefined;
  /** The agent's own folder when absent. */
  readonly directory?: string | undefined;
  /** The only configuration file; the agent searches for none. */
  readonly configFile?: string | undefined;
  /** Settings by key; the file overrides them. */
  readonly defaults?: Readonly<Record<string, string>> | undefined;
  /** Added to every object that it creates. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly environment: Readonly<Record<string, string>>;
  /** SIGTERM interrupts the agent at once: the CI system sends it to every process of a cancelled job. */
  readonly interruptedBySigterm?: boolean | undefined;
}): Engine {
  const flags = interruptedBySigterm ? ['--interrupt-on-sigterm'] : [];
  const config = configFile === undefined ? ['--no-search'] : ['--config', configFile];
  const settings = [...config, ...pairs('--default', defaults), ...pairs('--label', labels)];

  const command = (...args: readonly string[]): Command => ({
    program: nodePath,
    args: [...(script === undefined ? [] : [script]), ...args],
    directory: folder,
    environment: { ...FEW_HEAPS, ...environment },
  });

  return {
    leftovers: LEFTOVERS,
    run: (directory, stackOutputsFile) =>
      command(
        'run',
        '--drain-on-stdin-end',
        '--no-export-trace',
        ...flags,
        '--run-directory',
        directory,
        ...(stackOutputsFile === undefined ? [] : ['--stack-outputs', stackOutputsFile]),
        ...settings,
      ),
    doctor: (directory) => command('doctor', '--json', '--run-directory', directory, ...settings),
    plan: () => command('plan', ...config),
    sweep: (directory, graceMs) =>
      command('sweep', '--run-directory', directory, '--grace', `${graceMs}ms`, ...config),
  };
}

function pairs(flag: string, values: Readonly<Record<string, string>>): string[] {
  return Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
}
