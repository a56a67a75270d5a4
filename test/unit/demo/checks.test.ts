import { describe, expect, it } from 'vitest';
import { checkDeployment, checkLogs, checkPrinted, checkSecrets, checkState } from '../../../demo/checks.ts';
import { PROGRAMS } from '../../../demo/job.ts';
import type { RunResult } from '../../../src/record/schema.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { Step } from '../../emulators/pulumi-cloud/step.ts';

/** A step that succeeded after the previous one, with its lines sent in one call. */
function step(index: number, lines: readonly string[], changes: Partial<Step> = {}): Step {
  return {
    ...{ index, name: `step ${index}`, status: 'succeeded', duplicates: 0, statusDuplicates: 0 },
    statusHistory: (['running', 'succeeded'] as const).map((status, at) => ({ status, at: 10 * index + at })),
    lines: lines.map((l) => ({ t: '', l })),
    logCalls: lines.length === 0 ? [] : [{ offset: 0, count: lines.length }],
    ...changes,
  };
}

describe('the logs in the artifact and in Pulumi Cloud', () => {
  const result = { steps: [{ log: 'steps/00.log' }, { log: 'steps/01.log' }] } as RunResult;
  const check = (files: readonly string[], ...steps: Step[]) =>
    checkLogs(result, new Map(files.map((text, index) => [`steps/0${index}.log`, Buffer.from(text)])), steps);

  it('match, even with a last line that has no line feed', () => {
    const { title, problems } = check(['a\n\nb\n', 'c'], step(0, ['a\n', '\n', 'b\n']), step(1, ['c']));
    expect({ title, problems }).toEqual({ title: expect.stringContaining('All 4 log lines'), problems: [] });
  });

  it.each([
    [
      'the cloud lacks a line',
      'a\nb\n',
      ['a\n'],
      'has 2 lines, Pulumi Cloud 1; the first difference is in line 2',
    ],
    ['the artifact lacks a line', 'a\n', ['a\n', 'b\n'], 'has 1 lines, Pulumi Cloud 2; .* line 2'],
    [
      'lines changed places',
      'a\nb\n',
      ['b\n', 'a\n'],
      'line 1: "a.n" in the artifact, "b.n" in Pulumi Cloud',
    ],
  ])('differ when %s', (_what, kept, stored, problem) => {
    expect(check([kept, ''], step(0, stored), step(1, [])).problems).toEqual([
      expect.stringMatching(problem),
    ]);
  });

  it('differ when a step has no file, or an offset leaves a gap', () => {
    const logCalls = [0, 2].map((offset) => ({ offset, count: 1 }));
    expect(check(['a\nb\n'], step(0, ['a\n', 'b\n'], { logCalls }), step(1, [])).problems).toEqual([
      'a log call of step 0 has offset 2 instead of 1',
      'the artifact has no log of step 1 "step 1"',
    ]);
  });
});

describe('the deployment', () => {
  const right = { status: 'succeeded', endReason: 'steps', heartbeats: [1], acknowledged: true };
  const begunNever = step(1, [], { statusHistory: [] });

  it.each<[string, Partial<Deployment>, string]>([
    ['was cancelled', { status: 'failed', endReason: 'cancelled' }, 'the deployment is failed (cancelled)'],
    ['had no heartbeat', { heartbeats: [] }, 'no heartbeat came'],
    ['was not acknowledged', { acknowledged: false }, 'the claim was not acknowledged'],
    ['has a step that never began', { steps: [begunNever] }, 'step 1 "step 1" was reported as: nothing'],
    [
      'has steps that overlap',
      { steps: [step(1, []), step(0, [])] },
      'step 0 "step 0" began before the one before it ended',
    ],
  ])('fails the check when it %s', (_what, changes, problem) => {
    const deployment = { ...right, steps: [step(0, []), step(1, [])], ...changes } as Deployment;
    expect(checkDeployment(deployment).problems).toEqual([problem]);
  });
});

it('the check for secrets says that one was found and where, but not which', () => {
  const places = [
    { name: 'one', text: 'a canary-1 b' },
    { name: 'two', text: 'nothing' },
  ];
  const { title, problems } = checkSecrets(['canary-1', 'canary-2', 'canary-2'], places);
  expect(title).toBe('None of 2 secret values is in any of 2 places');
  expect(problems).toEqual(['one holds a secret of 8 characters']);
});

it('the check of the output wants printed secrets as ***, a log of step 0, and no trace of its script', () => {
  const right = [step(0, ['Image x.\n']), step(1, ['key ***\n'])];
  expect(checkPrinted(right, ['key ***'], 'executed').problems).toEqual([]);
  const wrong = [step(0, []), step(1, ['key 1234\n', 'step 0 was executed\n'])];
  expect(checkPrinted(wrong, ['key ***'], 'executed').problems).toEqual([
    'no line has "key ***"',
    "step 0's script ran: step 0 was executed",
    'step 0 has no log',
  ]);
});

it('the check of the state wants all resources in it and its lock free', () => {
  const { shell } = PROGRAMS;
  expect(checkState(JSON.stringify({ resources: shell.expected }), undefined, shell).problems).toEqual([]);
  expect(
    checkState(JSON.stringify({ resources: shell.expected.slice(1) }), { ID: '1' }, shell).problems,
  ).toEqual(['network is not in the state', 'the lock is held: {"ID":"1"}']);
  expect(checkState(undefined, undefined, shell).problems).toHaveLength(shell.expected.length);
  expect(checkState('no JSON', undefined, shell).problems).toHaveLength(shell.expected.length);
});
