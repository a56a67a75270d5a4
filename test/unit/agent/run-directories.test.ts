import { basename, dirname } from 'node:path';
import fc from 'fast-check';
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

describe('the name of a run directory', () => {
  const name = (time: Date) => time.toISOString().replaceAll(':', '-');
  const times = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });

  it('is every time', () => {
    fc.assert(fc.property(times, (time) => isRunDirectoryName(name(time))));
  });

  it('is nothing with one character more, less or another in it that makes it no time', () => {
    const spoiled = fc.tuple(times, fc.nat(24), fc.constantFrom('', 'x', '/', '.', ' ', '\n', '٣', '-1', 'Z'));
    fc.assert(
      fc.property(spoiled, ([time, at, text]) => {
        const whole = name(time);
        const other = `${whole.slice(0, at)}${text}${whole.slice(at + 1)}`;
        return other === whole || !isRunDirectoryName(other);
      }),
    );
    fc.assert(fc.property(times, fc.string({ minLength: 1 }), (time, more) => !isRunDirectoryName(name(time) + more)));
    fc.assert(fc.property(times, fc.string({ minLength: 1 }), (time, more) => !isRunDirectoryName(more + name(time))));
  });

  it.each(['', '.', '..', '2026-02-30T10-00-00.000Z', '2026-01-01T24-00-00.000Z', '2026-13-01T00-00-00.000Z'])(
    'is not %j',
    (other) => {
      expect(isRunDirectoryName(other)).toBe(false);
    },
  );
});
