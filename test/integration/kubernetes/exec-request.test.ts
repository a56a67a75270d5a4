import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { execPath, scriptInput } from '../../../src/executor/kubernetes/exec/exec-stream.ts';
import { CONTROL_SCRIPT } from '../../../src/executor/kubernetes/pod/pod-scripts.ts';
import {
  fileSettings,
  readSettings,
  STEP_SCRIPT,
  stepSettings,
} from '../../../src/executor/kubernetes/step/step-script.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';
import { programPath } from '../../support/script.ts';

/** Stands for every value of a job. */
const VALUE = 'canary-5e0d93b7a2';
const SHELLS = ['dash', 'bash'] as const;
/** The longest names that Kubernetes allows. */
const [NAMESPACE, POD] = ['n'.repeat(63), 'p'.repeat(253)];
/** The command as the kubelet starts it: the words of the request and nothing else. */
const [, ...COMMAND] = new URL(execPath(NAMESPACE, POD), 'https://api').searchParams.getAll('command');

/** Runs the request's shell on this input; --norc, as bash takes a socket on its stdin for a remote login. */
function run(shell: (typeof SHELLS)[number], input: string | Buffer, before: readonly string[] = []) {
  const [program = '', ...words] = [...before, shell, ...(shell === 'bash' ? ['--norc'] : []), ...COMMAND];
  const { status, stdout, stderr } = spawnSync(program, words, { input, env: { PATH: process.env['PATH'] } });
  return { status, stdout: String(stdout), stderr: String(stderr) };
}

it('an exec request stays under 2 KiB, even with the longest names allowed', () => {
  expect(execPath(NAMESPACE, POD).length).toBeLessThan(2_048 - 'GET  HTTP/1.1\r\n'.length);
});

it.each(SHELLS)(
  'an exec request has %s run a script with its arguments, and leaves it the rest of stdin',
  (shell) => {
    const words = ["it's", 'a b', '$(id)', '', 'line\nbreak', '*', 'é'];
    const code = 'for word; do printf "<%s>" "$word"; done; read -r line; echo " $line"; cat; env; exit 7';
    const ended = run(shell, `${scriptInput({ code, words })}first\nsecond\\n  third`);
    expect(ended).toMatchObject({ status: 7, stderr: '' });
    const said = "<it's><a b><$(id)><><line\nbreak><*><é> first\nsecond\\n  third";
    expect(ended.stdout.startsWith(said)).toBe(true);
    expect(ended.stdout).not.toContain('for word');
  },
);

it.each(SHELLS)(
  'an exec request has %s run nothing of a script that is cut, wherever the cut is',
  (shell) => {
    const whole = scriptInput({ code: 'echo one\necho two', words: ['a'] });
    for (let bytes = 0; bytes < whole.length - 1; bytes += 1)
      expect(run(shell, whole.slice(0, bytes)), whole.slice(0, bytes)).toEqual({
        status: 125,
        stdout: '',
        stderr: '',
      });
    expect(run(shell, whole)).toEqual({ status: 0, stdout: 'one\ntwo\n', stderr: '' });
  },
);

it('an exec request takes the agent’s own scripts whole', () => {
  for (const code of [CONTROL_SCRIPT, STEP_SCRIPT]) {
    for (const shell of SHELLS)
      expect(run(shell, scriptInput({ code: `exit 9\n${code}`, words: [] }))).toMatchObject({ status: 9 });
  }
});

it.each(SHELLS)(
  'an exec request has %s start no program with a job’s value on its command line',
  async (shell) => {
    const strace = await programPath('strace');
    const folder = await temporaryDirectory();
    const [file, trace] = [join(folder, 'pulumi.oidc'), join(folder, 'programs')];
    const environment = {
      SECRET: VALUE,
      QUOTED: `it's "${VALUE}"\n$(echo ${VALUE})`,
      LONG: VALUE.repeat(4_000),
    };
    const script = `test "$SECRET" = "$(/bin/cat ${file})" && test \${#LONG} = ${environment.LONG.length} && echo same`;
    const steps = {
      files: fileSettings([{ path: file, mode: 0o600, content: VALUE }]),
      step: stepSettings({ shell, script, workingDirectory: folder, environment }),
      environment: readSettings(file, 100),
    };
    const said = Object.entries(steps).map(([name, settings]) => {
      const words = [folder, name, join(folder, 'environment'), String(Buffer.byteLength(settings)), '', ''];
      const traced = [strace, '-f', '-A', '-s', '1000000', '-e', 'trace=execve', '-o', trace];
      return run(shell, scriptInput({ code: STEP_SCRIPT, words }) + settings, traced).stdout;
    });
    expect(said).toEqual(['', 'same\n', VALUE]);
    const started = await readFile(trace, 'utf8');
    // The trace covers the step and what it starts.
    expect(started).toContain(`"/bin/cat", "${file}"`);
    expect(started).not.toContain(VALUE);
  },
);
