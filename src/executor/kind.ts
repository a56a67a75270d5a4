import type { AgentConfig } from '../config/agent-config.ts';
import type { Environment } from '../environment.ts';
import type { Place } from '../record/schema.ts';
import type { Executor, Logger } from './executor.ts';

export interface ExecutorSources {
  /** The agent's own environment, for the variables that the place's own programs read. */
  readonly environment: Environment;
  readonly logger?: Logger;
  /** Added to every object that is created. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Called with every secret that the executor finds by itself. */
  readonly onSecret?: (secret: string) => void;
}

export interface ExecutorKind<P extends Place> {
  /** An executor for the place that the configuration describes. */
  create(config: AgentConfig, sources: ExecutorSources): Executor;
  /** How a later sweep finds that place. Throws if that is unknown. */
  place(config: AgentConfig, environment: ExecutorSources['environment']): Promise<P>;

  /**
   * An executor to sweep `place`. Throws ExecutorUnavailableError if its configuration leads
   * elsewhere or nowhere.
   */
  at(place: P, sources: ExecutorSources): Promise<Executor>;
}

export interface DoctorChecks {
  /** The check's title; in lower case, its ID. */
  readonly title: string;
  /** The name of a job's container there. */
  readonly container: string;
  /** Milliseconds to check whether jobs can run there. */
  readonly checkMs: number;
  /** Milliseconds for a container, from its pull to its removal. */
  containerMs(config: AgentConfig, isPulled: boolean): number;

  /**
   * Configuration for a trial container that leaves nothing behind, and pulls nothing unless the
   * image `isNamed`.
   */
  trialOf(config: AgentConfig, isNamed: boolean): AgentConfig;
}
