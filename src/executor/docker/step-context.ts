import type { ContainerState } from '../container/state-function.ts';
import type { ContainerLostError } from '../executor.ts';
import type { Engine } from './engine.ts';
import type { Keeper } from './keeper.ts';

/** Where the target tells what isn't an error. */
export type Logger = (level: 'debug' | 'info' | 'warning', message: string) => void;

/** Milliseconds that a step's silence may last. */
export interface SilenceLimits {
  /** After the step's end, until the rest of its output is given up; before it, until the engine is asked how it stands. */
  readonly idleMs: number;
  /** After the step's end in all, whatever still comes. */
  readonly totalMs: number;
  /** For how long a silent step's engine may be out of reach before the step counts as lost. */
  readonly awayMs: number;
}

/** What a step needs of its container. */
export interface StepContext {
  readonly engine: Engine;
  readonly container: string;
  readonly environmentFile: string;
  readonly keeper: Keeper;
  readonly silence: SilenceLimits;
  readonly logger: Logger;
  /** Processes that the kernel had ended for want of memory when the last step ended. */
  oomKills: number;
  /** How the container stood when the last step ended; until it is used. */
  state: ContainerState | undefined;
  /** Why the container went away. */
  loss(): Promise<ContainerLostError>;
}
