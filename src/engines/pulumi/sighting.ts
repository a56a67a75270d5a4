import type { Clock } from '../../clock.ts';
import type { AgentConfig } from '../../config/agent-config.ts';
import type { Engine } from '../../executor/docker/engine/engine.ts';
import type { Redactor, SecretScope } from '../../log/redactor.ts';
import type { RunEnd, RunRecord } from '../../record/run-record.ts';
import type { AgentExit } from './agent-process.ts';
import type { JobContainer } from './job-containers.ts';
import type { ObservedClaim } from './relay/observed-run.ts';
import type { Facts } from './verdict.ts';
import type { Sight } from './watch.ts';

/** Takes one line of this program's own log. */
export type Log = (level: 'debug' | 'info' | 'warning' | 'error', message: string) => void;

/** What seeing a run takes. */
export interface SightingOptions {
  readonly config: AgentConfig;
  readonly clock: Clock;
  readonly log: Log;
  readonly redactor: Redactor;
  /** Takes what the job holds as secrets. */
  readonly secrets: Pick<SecretScope, 'add'>;
  readonly record: RunRecord;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The Docker engine that jobs run on; undefined where they run elsewhere. */
  readonly engine: Engine | undefined;
  /** The folder that the run's agent mounts from, and nobody else. */
  readonly shared: string;
  readonly runDirectory: string;
  readonly onClaim: (claim: ObservedClaim) => void;
  /** Aborts when nothing is watched any more. */
  readonly signal: AbortSignal;
}

/** What a run's end shows. */
export type Seen = Pick<Facts, 'run' | 'lastPoll' | 'refusedCli'> & {
  /** When the work was claimed, and seconds until then, as far as that is known. */
  readonly known: Pick<RunEnd, 'steps' | 'waitSeconds'> & Partial<Pick<RunEnd, 'image' | 'claimedAt' | 'runSeconds'>>;
};

/** One run of Pulumi's agent as it is seen from outside. Its owner closes it. */
export interface Sighting {
  /** What the agent is to take for Pulumi Cloud. */
  readonly serviceUrl: string;
  /** All of the agent's conversation goes through the relay. */
  readonly isRelayed: boolean;
  see(): Sight;
  /** For /healthz: `waiting`, `running`. */
  readonly state: string;
  /** A line that the agent printed. No more is read until the promise resolves. */
  printed(line: string): Promise<void> | void;
  /** No work is given any more; resolves when no claim can be under way. */
  giveNoWork(): Promise<void>;
  /** Ends the containers that the agent left. Returns a sentence for each. Never rejects. */
  endContainers(graceMs: number, hurry: AbortSignal): Promise<string[]>;
  /** The agent has ended, and its containers too. Never rejects. */
  close(exit: AgentExit): Promise<Seen>;
}

/** A container of the run, for people. */
export function containerSentence({ name, id, image }: JobContainer): string {
  return `Pulumi's agent started container ${name} (${id.slice(0, 12)}) of ${image}.`;
}
