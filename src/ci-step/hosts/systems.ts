import type { Environment } from '../../base/environment.ts';
import { azure } from './azure/azure.ts';
import { buildkite } from './buildkite/buildkite.ts';
import type { CiSystem } from './ci-system.ts';
import { gitlab } from './gitlab/gitlab.ts';
import { jenkins } from './jenkins/jenkins.ts';
import { terminal } from './terminal/terminal.ts';

/** The CI systems that `ci` knows; the last one is any other. */
const SYSTEMS: readonly CiSystem[] = [gitlab, buildkite, azure, jenkins];

/** The CI system of this process, by its variables. */
export function detectSystem(environment: Environment): CiSystem {
  return SYSTEMS.find((system) => system.detects(environment)) ?? terminal;
}
