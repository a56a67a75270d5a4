import type { Clock } from '../../base/clock.ts';
import type { AgentConfig } from '../../base/config/agent-config.ts';
import type { Environment } from '../../base/environment.ts';
import type { Log } from '../../base/log/level.ts';
import type { Redactor, SecretSink } from '../../base/log/redactor.ts';
import type { ProcessExit } from '../../base/process.ts';
import type { DeploymentIds } from '../../cloud/job-wire.ts';
import type { ServerClock } from '../../cloud/server-clock.ts';
import type { DockerEngine } from '../../executor/docker/engine/engine.ts';
import type { RunEnd, RunRecord } from '../../record/run-record.ts';
import type { FoundContainer } from '../job-containers.ts';
import type { Facts } from '../verdict.ts';
import type { Observation } from '../watch.ts';

/** The parts of a run of Pulumi's agent that exist before it is observed. */
export interface PulumiRunParts {
  readonly config: AgentConfig;
  readonly clock: Clock;
  /** Told the dates of answers that are seen. */
  readonly serverClock: ServerClock;
  readonly log: Log;
  readonly redactor: Redactor;
  readonly record: RunRecord;
  readonly environment: Environment;
  readonly runDirectory: string;
  readonly onClaim: (claim: DeploymentIds) => void;
}

export interface ObserverOptions extends PulumiRunParts {
  readonly secrets: SecretSink;
  /** The Docker engine that jobs run on; undefined where they run elsewhere. */
  readonly engine: DockerEngine | undefined;
  /** The folder that only this run's agent mounts. */
  readonly shared: string;
  /** Aborts when watching should end. */
  readonly signal: AbortSignal;
}

/** The observations of a run, at its end. */
export interface Seen {
  readonly run: Facts['run'];
  readonly lastPoll: Facts['lastPoll'];
  readonly refusedCli: Facts['refusedCli'];
  readonly known: SeenEnd;
}

/** The parts of a run's end that were observed. */
export interface SeenEnd extends Partial<RunEnd> {
  readonly steps: RunEnd['steps'];
  readonly waitSeconds: number;
}

/** One run of Pulumi's agent, observed from outside. Its owner closes it. */
export interface RunObserver {
  /** The URL that the agent uses as Pulumi Cloud's. */
  readonly serviceUrl: string;
  /** True if all of the agent's calls go through the relay. */
  readonly isRelayed: boolean;
  readonly see: () => Observation;
  /** Called with each line that the agent prints. No more is read until the promise resolves. */
  printed(line: string): Promise<void> | void;
  /** Stops giving out work; resolves when no claim can be under way. */
  readonly giveNoWork: () => Promise<void>;

  /**
   * Ends the agent's remaining containers after `graceMs` milliseconds of grace. Returns a sentence
   * each. Never rejects.
   */
  endContainers(graceMs: number, skipGrace: AbortSignal): Promise<string[]>;

  /** Called once the agent and its containers have ended. Never rejects. */
  close(exit: ProcessExit): Promise<Seen>;
}

/** Records and logs a container of the run. Returns the log's sentence. */
export function recordContainer(
  { record, log }: ObserverOptions,
  { name, id, image }: FoundContainer,
): string {
  const sentence = `Pulumi's agent started container ${name} (${id.slice(0, 12)}) of ${image}.`;
  record.event({ type: 'container', id, name });
  log('info', sentence);
  return sentence;
}
