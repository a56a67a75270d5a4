import { describe, expect, it } from 'vitest';
import { checkDeployment, checkLogs, checkPrinted, checkSecrets, checkState } from '../../../demo/checks.ts';
import { PROGRAMS } from '../../../demo/job.ts';
import type { RunResult } from '../../../src/record/schema.ts';
import type { Deployment } from '../../emulators/pulumi-cloud/deployment.ts';
import type { LogCall, Step, StepStatus } from '../../emulators/pulumi-cloud/step.ts';

const T = '2026-01-01T00:00:00.000Z';

function step(index: number, lines: readonly string[], changes: Partial<Step> = {}): Step {
  const logCalls: LogCall[] = lines.length === 0 ? [] : [{ offset: 0, count: lines.length }];
  const history = (['running', 'succeeded'] as StepStatus[]).map((status, at) => ({ status, at: 10 * index + at }));
  return {
    index,
    name: `step ${index}`,
    status: 'succeeded',
    statusHistory: history,
    lines: lines.map((l) => ({ t: T, l })),
    logCalls,
    duplicates: 0,
    statusDuplicates: 0,
    ...changes,
  };
}

describe('the logs of artifact and Pulumi Cloud', () => {
  const result = { steps: [{ log: 'steps/00.log' }, { log: 'steps/01.log' }] } as RunResult;
  const files = (first: string, second: string) =>
    new Map([
      ['steps/00.log', Buffer.from(first)],
      ['steps/01.log', Buffer.from(second)],
    ]);

  it('are the same, a last line without its line feed included', () => {
    const check = checkLogs(result, files('a\n\nb\n', 'c'), [step(0, ['a\n', '\n', 'b\n']), step(1, ['c'])]);
    expect(check).toEqual({ title: expect.stringContaining('All 4 log lines'), problems: [] });
  });

  it.each([
    [
      'a line is missing in the cloud',
      'a\nb\n',
      ['a\n'],
      'has 2 lines, Pulumi Cloud 1; the first difference is in line 2',
    ],
    ['a line is missing in the artifact', 'a\n', ['a\n', 'b\n'], 'has 1 lines, Pulumi Cloud 2; .* line 2'],
    ['lines changed places', 'a\nb\n', ['b\n', 'a\n'], 'line 1: "a.n" in the artifact, "b.n" in Pulumi Cloud'],
  ])('differ when %s', (_what, kept, stored, problem) => {
    const { problems } = checkLogs(result, files(kept, ''), [step(0, stored), step(1, [])]);
    expect(problems).toEqual([expect.stringMatching(problem)]);
  });

  it('differ when a step has no file, or an offset leaves a gap', () => {
    const gap = step(0, ['a\n', 'b\n'], {
      logCalls: [
        { offset: 0, count: 1 },
        { offset: 2, count: 1 },
      ],
    });
    const withoutSecond = new Map([['steps/00.log', Buffer.from('a\nb\n')]]);
    expect(checkLogs(result, withoutSecond, [gap, step(1, [])]).problems).toEqual([
      'a log call of step 0 has offset 2 instead of 1',
      'the artifact has no log of step 1 "step 1"',
    ]);
  });
});

describe('the deployment', () => {
  const deployment = (changes: Partial<Deployment>): Deployment =>
    ({
      status: 'succeeded',
      endReason: 'steps',
      steps: [step(0, []), step(1, [])],
      heartbeats: [1],
      acknowledged: true,
      ...changes,
    }) as Deployment;

  it.each<[string, Partial<Deployment>, string]>([
    ['was cancelled', { status: 'failed', endReason: 'cancelled' }, 'the deployment is failed (cancelled)'],
    ['had no heartbeat', { heartbeats: [] }, 'no heartbeat came'],
    ['was not acknowledged', { acknowledged: false }, 'the claim was not acknowledged'],
    [
      'has a step that never began',
      { steps: [step(0, []), step(1, [], { statusHistory: [] })] },
      'step 1 "step 1" was reported as: nothing',
    ],
    [
      'has steps that overlap',
      { steps: [step(1, []), step(0, [])] },
      'step 0 "step 0" began before the one before it ended',
    ],
  ])('is not when it %s', (_what, changes, problem) => {
    expect(checkDeployment(deployment(changes)).problems).toEqual([problem]);
  });
});

it('tells secrets that were found, and where, but not which', () => {
  const places = [
    { name: 'one', text: 'a canary-1 b' },
    { name: 'two', text: 'nothing' },
  ];
  const { title, problems } = checkSecrets(['canary-1', 'canary-2', 'canary-2'], places);
  expect(title).toBe('None of 2 secret values is in any of 2 places');
  expect(problems).toEqual(['one holds a secret of 8 characters']);
});

it('wants the printed secrets as ***, a log of step 0, and nothing of its script', () => {
  const right = [step(0, ['Image x.\n']), step(1, ['key ***\n'])];
  expect(checkPrinted(right, ['key ***'], 'executed').problems).toEqual([]);
  const wrong = [step(0, []), step(1, ['key 1234\n', 'step 0 was executed\n'])];
  expect(checkPrinted(wrong, ['key ***'], 'executed').problems).toEqual([
    'no line has "key ***"',
    "step 0's script ran: step 0 was executed",
    'step 0 has no log',
  ]);
});

it('wants all resources in the state and its lock free', () => {
  const { shell } = PROGRAMS;
  expect(checkState(JSON.stringify({ resources: shell.expected }), undefined, shell).problems).toEqual([]);
  expect(checkState(JSON.stringify({ resources: shell.expected.slice(1) }), { ID: '1' }, shell).problems).toEqual([
    'network is not in the state',
    'the lock is held: {"ID":"1"}',
  ]);
  expect(checkState(undefined, undefined, shell).problems).toHaveLength(shell.expected.length);
  expect(checkState('no JSON', undefined, shell).problems).toHaveLength(shell.expected.length);
});
