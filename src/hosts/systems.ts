import type { Environment } from '../environment.ts';
import type { CiSystem } from './ci-system.ts';
import { terminal } from './terminal/system.ts';

/** The CI systems that `ci` knows; the last one is any other. */
const SYSTEMS: readonly CiSystem[] = [];

/** The CI system of this process, by its variables. */
export function detectSystem(environment: Environment): CiSystem {
  return SYSTEMS.find((system) => system.detects(environment)) ?? terminal;
}
