import { join } from 'node:path';
import { sharedSteady } from '../../../src/base/clock.ts';
import type { ActionPhase } from '../../../src/ci-step/hosts/github/host.ts';
import { inputVariable } from '../../emulators/github/action-manifest.ts';

export const CONTEXT: ActionPhase['context'] = {
  serverUrl: 'https://github.com',
  repo: { owner: 'acme', repo: 'infra' },
  runId: 77,
  job: 'deploy',
  workflow: 'Deploy',
  payload: {},
  runAttempt: 1,
};

/** A step of the action in `directory`, with inputs by name; its owner matches no real process. */
export function stepIn(
  directory: string,
  inputs: Readonly<Record<string, string>> = {},
  { environment = {}, ...over }: Partial<ActionPhase> = {},
): ActionPhase {
  const given = Object.entries(inputs).map(([name, value]) => [inputVariable(name), value]);
  return {
    owner: { host: 'elsewhere', pid: 1, started: 'x' },
    environment: {
      PATH: process.env['PATH'],
      HOME: join(directory, 'home'),
      GITHUB_STEP_SUMMARY: join(directory, 'STEP_SUMMARY'),
      ...environment,
      ...Object.fromEntries(given),
    },
    context: CONTEXT,
    cancelled: new AbortController().signal,
    stdout: process.stdout,
    checkoutDirectory: join(directory, 'checkout'),
    temporaryDirectory: join(directory, 'temp'),
    nodePath: process.execPath,
    agentScript: join(directory, 'agent/index.js'),
    now: Date.now,
    steady: sharedSteady,
    ...over,
  };
}
