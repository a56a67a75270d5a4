import type { AgentConfig } from '../config/agent-config.ts';
import type { Place } from '../record/schema.ts';
import type { Executor, Logger } from './executor.ts';

export interface ExecutorSources {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly logger?: Logger;
  /** What every object that is made carries besides what its claim says. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Takes every secret that the executor learns of by itself. */
  readonly onSecret?: (secret: string) => void;
}

/** A kind of place for jobs. */
export interface ExecutorKind<P extends Place> {
  /** The place that the configuration describes. */
  create(config: AgentConfig, sources: ExecutorSources): Executor;
  /** What a later sweep finds that place by. Throws where that isn't known. */
  place(config: AgentConfig, environment: ExecutorSources['environment']): Promise<P>;
  /** The place itself, to sweep there. Throws ExecutorUnavailableError when what led there leads elsewhere now, or nowhere. */
  at(place: P, sources: ExecutorSources): Promise<Executor>;
}

/** How doctor checks a kind of place. */
export interface DoctorChecks {
  /** What answers there; also the check's id, in lower case. */
  readonly title: string;
  /** What a job's container is called there. */
  readonly container: string;
  /** Milliseconds that the executor may take to say whether jobs can run there. */
  readonly checkMs: number;
  /** Milliseconds that a container may take from its pull to its removal. */
  containerMs(config: AgentConfig, isPulled: boolean): number;
  /** The configuration for a container after which nothing stays, and for which nothing is pulled unless the image `isNamed`. */
  trialOf(config: AgentConfig, isNamed: boolean): AgentConfig;
}
