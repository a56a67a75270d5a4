import type { AgentConfig } from '../base/config/agent-config.ts';
import type { Environment } from '../base/environment.ts';
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

export type DeployTarget = AgentConfig['deployTarget'];

/** The place of jobs, for one `deploy_target`. */
export type PlaceAt<T extends DeployTarget> = Extract<Place, { readonly target: T }>;

/** How the executors of one `deploy_target` are made: for jobs, and for a later sweep. */
export interface ExecutorKind<T extends DeployTarget> {
  /** An executor for the place that the configuration describes. */
  create(config: AgentConfig, sources: ExecutorSources): Executor;
  /** How a later sweep finds that place. Throws if that is unknown. */
  place(config: AgentConfig, environment: Environment): Promise<PlaceAt<T>>;

  /**
   * An executor to sweep `place`. Throws ExecutorUnavailableError if its configuration leads
   * elsewhere or nowhere.
   */
  at(place: PlaceAt<T>, sources: ExecutorSources): Promise<Executor>;
}
