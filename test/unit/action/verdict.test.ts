import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { setArtifactOutputs, setRunOutputs } from '../../../src/action/publish/outputs.ts';
import type { RunReport } from '../../../src/action/report.ts';
import { conclude, isRed, refuse } from '../../../src/action/verdict.ts';
import { OUTCOME_NAMES, type Outcome, OutcomeError } from '../../../src/outcome.ts';
import { parseKeyValueFile } from '../../emulators/github/command-files.ts';
import { captureStdout } from './captured-stdout.ts';
import { temporaryDirectory } from './temporary-directory.ts';

let output: string;
let summary: string;
beforeEach(async () => {
  const directory = await temporaryDirectory();
  output = join(directory, 'output');
  summary = join(directory, 'summary');
  for (const path of [output, summary]) await writeFile(path, '');
  vi.stubEnv('GITHUB_OUTPUT', output);
  return () => {
    vi.unstubAllEnvs();
    process.exitCode = undefined;
  };
});

const outputs = async () => Object.fromEntries(parseKeyValueFile(await readFile(output, 'utf8')));

function report(outcome: Outcome, over: Partial<RunReport> = {}): RunReport {
  return { outcome, message: `It is ${outcome}.`, forwarded: [], notices: [], steps: [], ...over };
}

describe('conclude', () => {
  test('is green for success alone, and by choice for no work', () => {
    captureStdout();
    for (const outcome of OUTCOME_NAMES) {
      const green = outcome === 'succeeded' || outcome === 'no-work';
      expect(conclude(report(outcome), 'succeed'), outcome).toBe(green ? 0 : 1);
      expect(isRed(report(outcome), 'warn')).toBe(!green);
    }
    expect(conclude(report('no-work'), 'fail')).toBe(1);
    expect(conclude(report('succeeded'), 'fail')).toBe(0);
  });

  test.each([
    ['no-work', 'succeed', []],
    ['no-work', 'warn', ['warning']],
    ['no-work', 'fail', ['error']],
    ['cancelled', 'succeed', ['error']],
    ['succeeded', 'warn', []],
  ] as const)('says %s once, with on-no-work %s', (outcome, onNoWork, levels) => {
    const stdout = captureStdout();
    conclude(report(outcome), onNoWork);
    const { annotations, lines } = stdout.read();
    expect(annotations.map(({ level }) => level)).toEqual(levels);
    expect(lines.join()).toContain(`It is ${outcome}.`);
  });

  test('keeps the lines of a message and lets none of them be a command', () => {
    const stdout = captureStdout();
    conclude(report('failed', { message: '::error::x\r\n  ##[error]y' }), 'succeed');
    const { annotations, commands } = stdout.read();
    expect(commands).toHaveLength(1);
    expect(annotations[0]?.message).toBe(': :error::x\n  ## [error]y');
    conclude(report('succeeded', { message: 'fine\n::set-output name=a::b' }), 'succeed');
    expect(stdout.read().commands).toHaveLength(1);
  });
});

describe('refuse', () => {
  test('sets outcome and run directory, writes the summary and turns the step red', async () => {
    const stdout = captureStdout();
    expect(
      await refuse(new OutcomeError('auth-error', 'No permission.'), '/run', { GITHUB_STEP_SUMMARY: summary }),
    ).toBe(1);
    expect(await outputs()).toMatchObject({ outcome: 'auth-error', 'run-directory': '/run', 'artifact-id': '' });
    expect(await readFile(summary, 'utf8')).toContain('<p>No permission.</p>');
    expect(stdout.read().annotations.map(({ message }) => message)).toEqual(['No permission.']);
  });

  test('still says its sentence when GitHub’s files are missing', async () => {
    const stdout = captureStdout();
    vi.stubEnv('GITHUB_OUTPUT', '/no/such/file');
    expect(await refuse(new TypeError('x is undefined'), '', {})).toBe(1);
    const { annotations } = stdout.read();
    expect(annotations.map(({ level }) => level)).toEqual(['warning', 'error']);
    expect(annotations[1]?.message).toMatch(
      /^Failed to run the action for this job: x is undefined\. See \S+#failed-to-run--for-this-job$/,
    );
  });
});

test('the outputs are those that action.yml declares', async () => {
  setRunOutputs(
    report('failed', {
      deploymentId: 'd\nx=y',
      runId: 'r',
      jobId: 'j',
      reported: false,
      consoleUrl: 'all',
      deploymentUrl: 'c',
      healthUrl: 'h',
      waitSeconds: 1.26,
    }),
    '/run',
  );
  setArtifactOutputs({ id: '5', url: 'u', name: 'n' });
  const set = await outputs();
  expect(set).toEqual({
    outcome: 'failed',
    'deployment-id': 'd\nx=y',
    'run-id': 'r',
    'job-id': 'j',
    reported: 'false',
    'console-url': 'c',
    'health-url': 'h',
    'wait-seconds': '1.3',
    'run-seconds': '',
    'run-directory': '/run',
    'artifact-id': '5',
    'artifact-url': 'u',
  });
  const manifest = await readFile(new URL('../../../action.yml', import.meta.url), 'utf8');
  for (const name of Object.keys(set)) expect(manifest).toContain(`\n  ${name}:\n`);
});
