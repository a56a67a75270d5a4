import { CI_IDENTITIES } from '../../../base/ci-identities.ts';
import type { CiSystem } from '../ci-system.ts';
import { consoleLine, consoleText } from '../github/workflow-commands.ts';

/** The time that a plain shell has after a signal: as long as at GitHub. */
const WINDOW_MS = 285_000;

/**
 * Any other CI system, and a person's shell: plain lines. Under GitHub's runner, which `ci` does not
 * need, the lines are no commands to it either.
 */
export const terminal: CiSystem = {
  name: 'a shell',
  detects: () => true,
  job: () => ({
    id: 'shell',
    cancelWindow: { mode: 'stay', jobMs: WINDOW_MS, mainMs: WINDOW_MS },
    credentials: CI_IDENTITIES.others,
    labels: {},
  }),
  dialect: ({ environment: { GITHUB_ACTIONS } }) =>
    GITHUB_ACTIONS === undefined ? {} : { consoleLine, consoleText },
};
