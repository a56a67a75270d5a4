import { type RunResult, runResultSchema } from '../../../src/record/schema.ts';
import type { PhaseResult } from '../../emulators/github/phase.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import { filesBelow } from '../e2e/stage.ts';
import type { FaultPlan, Plan } from './plan.ts';

/** A run directory, or the artifact made of it. */
export interface Directory {
  readonly path: string;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly result: RunResult | undefined;
}

/** Everything that a run left for the rules to look at. */
export interface Seen {
  readonly plan: Plan;
  /** The strike's moment came. */
  readonly struck: boolean;
  readonly hits: ReadonlySet<FaultPlan>;
  readonly deployment: Deployment;
  /** Of a lasting agent's second job. */
  readonly next: Deployment | undefined;
  /** Of several agents of one pool. */
  readonly queue?: readonly Deployment[];
  /** Milliseconds from their first claim to the end of the trouble. */
  readonly troubleMs?: number;
  readonly main: PhaseResult | undefined;
  readonly post: PhaseResult | undefined;
  readonly exits: readonly (number | null)[];
  /** Run directories, and the artifact. */
  readonly directories: readonly Directory[];
  readonly artifact: Directory | undefined;
  readonly marks: ReadonlyMap<string, number>;
  /** Processes, containers, networks and files that are left. */
  readonly left: readonly string[];
  /** What nobody may find a secret in, by place. */
  readonly texts: ReadonlyMap<string, string>;
  readonly tokens: readonly string[];
  /** What didn't end by itself. */
  readonly late: readonly string[];
  /** What the emulators refused. */
  readonly wrong: readonly string[];
  readonly seconds: number;
  /** Where files are kept if the run broke a rule. */
  readonly directory: string;
}

/** Reads a run directory. */
export async function directoryAt(path: string): Promise<Directory> {
  const files = await filesBelow(path);
  return { path, files, result: resultIn(files) };
}

/** The result among a run's files. Throws for one that breaks the schema. */
export function resultIn(files: ReadonlyMap<string, Buffer>): RunResult | undefined {
  const text = files.get('run.json');
  return text === undefined ? undefined : runResultSchema.parse(JSON.parse(String(text)));
}
