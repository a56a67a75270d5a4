import type { ContainerState } from '../container/state-function.ts';
import type { Cluster } from './cluster.ts';
import type { Control } from './control.ts';

/** What a step needs of its pod. */
export interface PodContext {
  readonly cluster: Cluster;
  readonly pod: string;
  readonly container: string;
  readonly control: Control;
  readonly environmentFile: string;
  /** Variables that every step gets, over its own. */
  readonly variables: Readonly<Record<string, string>>;
  readonly logger: (level: 'debug' | 'info' | 'warning', message: string) => void;
  /** Processes that the kernel had ended for want of memory when the last step ended. */
  oomKills: number;
  /** How the container stood when the last step ended; until it is used. */
  state: ContainerState | undefined;
  /** True while the pod is there and runs. */
  isAlive(): Promise<boolean>;
  /** True when the pod is gone, over, or about to be. */
  isDoomed(): Promise<boolean>;
  /** Why the pod went away: the error to end with. */
  loss(): Promise<Error>;
}
