import type { Environment } from '../environment.ts';
import { azure } from './azure/system.ts';
import { buildkite } from './buildkite/system.ts';
import type { CiSystem } from './ci-system.ts';
import { gitlab } from './gitlab/system.ts';
import { jenkins } from './jenkins/system.ts';
import { terminal } from './terminal/system.ts';

/** The CI systems that `ci` knows; the last one is any other. */
const SYSTEMS: readonly CiSystem[] = [gitlab, buildkite, azure, jenkins];

/** The CI system of this process, by its variables. */
export function detectSystem(environment: Environment): CiSystem {
  return SYSTEMS.find((system) => system.detects(environment)) ?? terminal;
}
