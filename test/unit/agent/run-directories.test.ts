import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isRunDirectoryName, runDirectories, runsFolder } from '../../../src/agent/run-directories.ts';

describe('run directories', () => {
  it.each([
    [{ runDirectory: '/runs' }, { HOME: '/home/me' }, '/runs'],
    [{}, { HOME: '/home/me' }, '/home/me/.local/state/pulumi-runner-agent/runs'],
    [{}, { HOME: '/home/me', XDG_STATE_HOME: '/state' }, '/state/pulumi-runner-agent/runs'],
  ])('of a lasting agent with %j and %j lie in one folder, under names that are known again', (config, env, folder) => {
    const made = runDirectories({ ...config, singleRun: false }, env)();
    expect(dirname(made)).toBe(folder);
    expect(runsFolder(config, env)).toBe(folder);
    expect(basename(made)).toSatisfy(isRunDirectoryName);
  });

  it('of a single run are the one that was given', () => {
    expect(runDirectories({ runDirectory: '/run', singleRun: true }, {})()).toBe('/run');
  });
});

it.each(['', '.', '..', '2026-01-01T10:00:00.000Z', '2026-01-01T10-00-00Z', '2026-01-01T10-00-00.000Z.bak'])(
  '%j is not the name of a run directory',
  (other) => {
    expect(isRunDirectoryName(other)).toBe(false);
  },
);
