import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exposureWarning, stepSettings } from '../../../src/executor/kubernetes/step/step-script.ts';
import { runs } from '../../support/property-runs.ts';

/** The variables that a step sees after this code. `--norc`, as bash takes a socket as stdin for a remote login. */
function seen(interpreter: string, code: string): Record<string, string> {
  const output = execFileSync(
    interpreter,
    [...(interpreter === 'bash' ? ['--norc'] : []), '-c', 'eval "$(cat)"'],
    {
      input: code,
      env: { PATH: process.env['PATH'] },
    },
  );
  const lines = output
    .toString('utf8')
    .split('\0')
    .filter((line) => line !== '');
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

const value = fc
  .string({ unit: 'grapheme', maxLength: 40 })
  .map((text) => text.toWellFormed().replaceAll('\0', ''));
/** A name that no shell uses itself. */
const name = fc.stringMatching(/^V_[A-Z0-9_]{0,6}$/);

describe.each(['dash', 'bash'])('the settings of a step in %s', (interpreter) => {
  it('give every variable its value, to the last line break', () => {
    fc.assert(
      fc.property(fc.dictionary(name, value, { maxKeys: 6 }), (environment) => {
        const code = stepSettings({ shell: 'env', script: '', environment });
        // `env -c` doesn't exist: replaces it with a command that prints the environment.
        const found = seen(interpreter, code.replace(/exec (.*)'env' -c ''\n/, 'exec $1env -0\n'));
        expect(found).toMatchObject(environment);
      }),
      { numRuns: runs(40) },
    );
  });

  it('pass on names that a shell cannot export, and those that bash keeps to itself', () => {
    const environment = { 'a-b': "it's", 'c.d': '$(id)', UID: '77', PPID: '1', FINE: 'x' };
    const code = stepSettings({ shell: 'env', script: '', environment });
    expect(seen(interpreter, code.replace(/'env' -c ''\n/, 'env -0\n'))).toMatchObject(environment);
  });
});

it('a warning lists the names whose values appear on a command line, but no value', () => {
  const warning = exposureWarning({ FINE: 'one', UID: '7', 'a-b': 'two', 'c.d': 'three' });
  expect(warning).toMatch(/^No shell can export "a-b", "c\.d", so each value is briefly on a command line/);
  expect(warning).not.toMatch(/FINE|UID|one|two|three/);
  expect(exposureWarning({ FINE: 'one', PPID: '7' })).toBeUndefined();
});

it('a script is passed on unchanged, with a mark that it is complete', () => {
  fc.assert(
    fc.property(value, (script) => {
      const code = stepSettings({ shell: 'printf', script, environment: {} });
      expect(code.endsWith('\n# complete')).toBe(true);
      const output = execFileSync('sh', ['-c', 'eval "$(cat)"'], {
        input: code.replace("'printf' -c ", "printf '%s\\0' "),
        env: { PATH: process.env['PATH'] },
      });
      expect(output.toString('utf8')).toBe(`${script}\0`);
    }),
    { numRuns: runs(40) },
  );
});
