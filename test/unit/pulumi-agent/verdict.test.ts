import { describe, expect, it } from 'vitest';
import { type Facts, verdictOf } from '../../../src/pulumi-agent/verdict.ts';

const claim = { jobId: 'j', runId: 'r', deploymentId: 'd' };
const RUN = {
  claim,
  verdict: 'unfinished',
  failedStep: undefined,
  cancelled: undefined,
  knowsSteps: true,
  isUnseen: false,
} as const;
const FACTS: Facts = {
  run: RUN,
  lastPoll: { status: 200, reason: '' },
  exit: { code: 0, signal: null },
  ending: undefined,
  lastOutput: 'panic: oops\ngoroutine 1',
  refusedCli: undefined,
  version: '2.2.0',
  waited: { runnerPoolId: 'pool-1', organizationName: 'acme', maxWaitMs: 90_000 },
};
const step = { index: 1, name: 'pulumi update' } as const;
const failed = { ...RUN, verdict: 'failed', failedStep: step } as const;
const nothing = { ...RUN, claim: undefined };

describe('a run of Pulumi’s agent', () => {
  it.each<[string, Partial<Facts>, string, RegExp]>([
    [
      'has succeeded if its steps have, whatever its process did',
      { run: { ...RUN, verdict: 'succeeded' }, exit: { code: 1, signal: null } },
      'succeeded',
      /Every step/,
    ],
    [
      'has failed if it broke off between unknown steps',
      { run: { ...RUN, verdict: 'succeeded', knowsSteps: false }, exit: { code: 1, signal: null } },
      'failed',
      /exit code 1 before/,
    ],
    [
      'was interrupted between unknown steps',
      {
        run: { ...RUN, verdict: 'succeeded', knowsSteps: false },
        ending: { by: 'signal', reason: 'SIGINT' },
      },
      'interrupted',
      /SIGINT/,
    ],
    [
      'is judged by its exit code if its work cannot be observed',
      { run: { ...nothing, isUnseen: true } },
      'succeeded',
      /exit code 0; nothing more is known of work of this kind/,
    ],
    [
      'has failed with its exit code if its work cannot be observed',
      { run: { ...RUN, isUnseen: true }, exit: { code: 4, signal: null } },
      'failed',
      /exit code 4/,
    ],
    [
      'lost its lease, even if its work cannot be observed',
      { run: { ...RUN, isUnseen: true }, ending: { by: 'lease', reason: 'no heartbeat' } },
      'lease-lost',
      /no heartbeat/,
    ],
    ['has failed if a step has', { run: failed }, 'failed', /step 1 "pulumi update"/],
    [
      'was cancelled if Pulumi Cloud said so',
      { run: { ...failed, cancelled: 'it was cancelled' } },
      'cancelled',
      /it was cancelled\. The stack/,
    ],
    [
      'was cancelled if Pulumi Cloud said so, even if its steps have succeeded',
      { run: { ...RUN, verdict: 'succeeded', cancelled: 'it was cancelled' } },
      'cancelled',
      /it was cancelled\. The stack/,
    ],
    [
      'was interrupted if it was asked to end',
      { run: failed, ending: { by: 'signal', reason: 'SIGINT' } },
      'interrupted',
      /SIGINT/,
    ],
    ['lost its lease', { ending: { by: 'lease', reason: 'no heartbeat' } }, 'lease-lost', /no heartbeat/],
    [
      'has failed if it crashed, with the end of its log',
      { exit: { code: 2, signal: null } },
      'failed',
      /exit code 2 before.*panic: oops \| goroutine 1/,
    ],
    [
      'got no work in time',
      { run: nothing, lastPoll: { status: 204, reason: '' }, ending: { by: 'wait', reason: '' } },
      'no-work',
      /^No deployment was queued for pool pool-1 of acme within 90 seconds\.$/,
    ],
    [
      'was refused, though it kept asking',
      { run: nothing, lastPoll: { status: 403, reason: 'no' }, ending: { by: 'wait', reason: '' } },
      'auth-error',
      /HTTP 403 \(no\)/,
    ],
    [
      'could not reach Pulumi Cloud',
      {
        run: nothing,
        lastPoll: { status: undefined, reason: 'ECONNREFUSED' },
        exit: { code: 1, signal: null },
      },
      'cloud-unreachable',
      /ECONNREFUSED/,
    ],
    [
      'never began to ask for work',
      { run: nothing, lastPoll: undefined, ending: { by: 'start', reason: 'it did not ask' } },
      'failed',
      /it did not ask, and nothing/,
    ],
    [
      'has failed if the CLI was given the relay’s address',
      { run: failed, refusedCli: '/api/user' },
      'failed',
      /2\.2\.0: Pulumi's CLI.*\/api\/user/,
    ],
    [
      'is judged by its exit code without the relay',
      { run: undefined, exit: { code: 3, signal: null } },
      'failed',
      /exit code 3/,
    ],
  ])('%s', (_, facts, outcome, message) => {
    const verdict = verdictOf({ ...FACTS, ...facts });
    expect(verdict).toMatchObject({ outcome, message: expect.stringMatching(message) });
  });
});
