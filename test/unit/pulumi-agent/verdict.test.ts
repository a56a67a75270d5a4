import { describe, expect, it } from 'vitest';
import { type RunFacts, verdictOf } from '../../../src/pulumi-agent/verdict.ts';

const claim = { jobId: 'j', runId: 'r', deploymentId: 'd' };
const JOB = {
  claim,
  result: 'unfinished',
  failedStep: undefined,
  cancellation: undefined,
  knowsSteps: true,
  isUnknownWork: false,
} as const;
const FACTS: RunFacts = {
  job: JOB,
  lastPoll: { status: 200, reason: '' },
  exit: { code: 0, signal: null },
  stop: undefined,
  lastOutput: 'panic: oops\ngoroutine 1',
  refusedCli: undefined,
  version: '2.2.0',
  waited: { runnerPoolId: 'pool-1', organizationName: 'acme', maxWaitMs: 90_000 },
};
const step = { index: 1, name: 'pulumi update' } as const;
const failed = { ...JOB, result: 'failed', failedStep: step } as const;
const nothing = { ...JOB, claim: undefined };

describe('a run of Pulumi’s agent', () => {
  it.each<[string, Partial<RunFacts>, string, RegExp]>([
    [
      'has succeeded if its steps have, whatever its process did',
      { job: { ...JOB, result: 'succeeded' }, exit: { code: 1, signal: null } },
      'succeeded',
      /Every step/,
    ],
    [
      'has failed if it broke off between unknown steps',
      { job: { ...JOB, result: 'succeeded', knowsSteps: false }, exit: { code: 1, signal: null } },
      'failed',
      /exit code 1 before/,
    ],
    [
      'was interrupted between unknown steps',
      {
        job: { ...JOB, result: 'succeeded', knowsSteps: false },
        stop: { by: 'signal', reason: 'SIGINT' },
      },
      'interrupted',
      /SIGINT/,
    ],
    [
      'is judged by its exit code if its work cannot be observed',
      { job: { ...nothing, isUnknownWork: true } },
      'succeeded',
      /exit code 0; nothing more is known of work of this kind/,
    ],
    [
      'has failed with its exit code if its work cannot be observed',
      { job: { ...JOB, isUnknownWork: true }, exit: { code: 4, signal: null } },
      'failed',
      /exit code 4/,
    ],
    [
      'lost its lease, even if its work cannot be observed',
      { job: { ...JOB, isUnknownWork: true }, stop: { by: 'lease', reason: 'no heartbeat' } },
      'lease-lost',
      /no heartbeat/,
    ],
    ['has failed if a step has', { job: failed }, 'failed', /step 1 "pulumi update"/],
    [
      'was cancelled if Pulumi Cloud said so',
      { job: { ...failed, cancellation: 'it was cancelled' } },
      'cancelled',
      /it was cancelled\. The stack/,
    ],
    [
      'was cancelled if Pulumi Cloud said so, even if its steps have succeeded',
      { job: { ...JOB, result: 'succeeded', cancellation: 'it was cancelled' } },
      'cancelled',
      /it was cancelled\. The stack/,
    ],
    [
      'was interrupted if it was asked to end',
      { job: failed, stop: { by: 'signal', reason: 'SIGINT' } },
      'interrupted',
      /SIGINT/,
    ],
    ['lost its lease', { stop: { by: 'lease', reason: 'no heartbeat' } }, 'lease-lost', /no heartbeat/],
    [
      'has failed if it crashed, with the end of its log',
      { exit: { code: 2, signal: null } },
      'failed',
      /exit code 2 before.*panic: oops \| goroutine 1/,
    ],
    [
      'got no work in time',
      { job: nothing, lastPoll: { status: 204, reason: '' }, stop: { by: 'wait', reason: '' } },
      'no-work',
      /^No deployment was queued for pool pool-1 of acme within 90 seconds\.$/,
    ],
    [
      'was refused, though it kept asking',
      { job: nothing, lastPoll: { status: 403, reason: 'no' }, stop: { by: 'wait', reason: '' } },
      'auth-error',
      /HTTP 403 \(no\)/,
    ],
    [
      'could not reach Pulumi Cloud',
      {
        job: nothing,
        lastPoll: { status: undefined, reason: 'ECONNREFUSED' },
        exit: { code: 1, signal: null },
      },
      'cloud-unreachable',
      /ECONNREFUSED/,
    ],
    [
      'never began to ask for work',
      { job: nothing, lastPoll: undefined, stop: { by: 'start', reason: 'it did not ask' } },
      'failed',
      /it did not ask, and nothing/,
    ],
    [
      'has failed if the CLI was given the relay’s address',
      { job: failed, refusedCli: '/api/user' },
      'failed',
      /2\.2\.0: Pulumi's CLI.*\/api\/user/,
    ],
    [
      'is judged by its exit code without the relay',
      { job: undefined, exit: { code: 3, signal: null } },
      'failed',
      /exit code 3/,
    ],
  ])('%s', (_, facts, outcome, message) => {
    const verdict = verdictOf({ ...FACTS, ...facts });
    expect(verdict).toMatchObject({ outcome, message: expect.stringMatching(message) });
  });
});
