import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR_WINDOW, errorIn, failedStepSentence } from '../../../../src/record/output/error.ts';
import { runs } from '../../../support/property-runs.ts';

// Outputs of Pulumi's CLI 3.274.1 with YAML 1.25.0 and the tests' provider.
const PROVIDER = `Updating (prod)

 +  tempo:index:Work other creating (0s) error: other failed, as its inputs say
 +  tempo:index:Work other **creating failed** error: other failed, as its inputs say
@ Updating....
 +  pulumi:pulumi:Stack network-prod creating (1s) error: update failed
Diagnostics:
  pulumi:pulumi:Stack (network-prod):
    error: update failed

  tempo:index:Work (other):
    error: other failed, as its inputs say

Resources:
    + 2 created
    3 errored

Duration: 2s

`;
const HOST = `    pulumi:pulumi:Stack network-prod running \u001b[31mError\u001b[0m: tempo:index:Work is not assignable
\u001b[38;5;13m\u001b[1mDiagnostics:\u001b[0m
  \u001b[38;5;12mpulumi:pulumi:Stack (network-prod):\u001b[0m
    \u001b[0m\u001b[31mError\u001b[0m: tempo:index:Work is not assignable from {seconds: string}
    \u001b[0m\u001b[0m  on Pulumi.yaml line 11:

\u001b[38;5;13m\u001b[1mOutputs:\u001b[0m
    text: "
    error: no diagnostic
"
`;
const DIFF = `\u001b[0m    + tempo:index:Work: (create)
\u001b[0m\u001b[38;5;2m        says     : "error: forged"
\u001b[38;5;1merror: \u001b[0m\u001b[0mother failed, as its inputs say\u001b[0m
\u001b[38;5;1merror: \u001b[0m\u001b[0mupdate failed\u001b[0m
`;
const CONFLICT = `Updating (prod)

error: [409] Conflict: Another update is currently in progress.
To learn more about possible reasons and resolution, visit https://www.pulumi.com/docs/
`;

describe('the first error of a program', () => {
  it.each([
    ['a provider’s, before that the update failed', PROVIDER, 'other failed, as its inputs say'],
    ['a language host’s, in colour', HOST, 'tempo:index:Work is not assignable from {seconds: string}'],
    ['with --diff, in colour', DIFF, 'other failed, as its inputs say'],
    ['a conflict', CONFLICT, '[409] Conflict: Another update is currently in progress.'],
    ['of the last diagnostics', `${HOST}${PROVIDER}`, 'other failed, as its inputs say'],
    [
      'of earlier ones, if the last have none',
      `${PROVIDER}Diagnostics:\n  a:b:C (d):\n    warning: old\n`,
      'other failed, as its inputs say',
    ],
    ['that alone', 'Diagnostics:\n  a (b):\n    error: update failed\n', 'update failed'],
    [
      'with the line that a colon announces',
      'Diagnostics:\n  a (b):\n    error: 1 error occurred:\n    \t* creating the bucket: AccessDenied\n',
      '1 error occurred: creating the bucket: AccessDenied',
    ],
    ['with CRLF', 'error: broken\r\n', 'broken'],
    ['with what is a line break elsewhere', 'error: broken\u2028here\u0085\n', 'broken here'],
  ])('is %s', (_, output, error) => {
    expect(errorIn(output)).toBe(error);
  });

  it.each(['', 'warning: x\n', 'an error: x\n', '  error: x\n', 'error:\n', 'Diagnostics:\nerrors\n'])(
    'is none in %j',
    (output) => {
      expect(errorIn(output)).toBeUndefined();
    },
  );

  it('is one line of at most 1,000 characters, whatever a job prints', () => {
    const long = errorIn(`error: ${'x'.repeat(100_000)}\n`);
    expect(long).toHaveLength(1_000);
    expect(errorIn('error: a\u001b]0;title\u0007b\u0000\u202ec\td\n')).toBe('abc d');
  });

  it.each([
    ['diagnostics without an error', 'Diagnostics:\n  a (b):\n    warning: x\n', undefined],
    ['errors', 'error: a\n', 'a'],
    ['errors that say nothing', 'error: update failed\n', 'update failed'],
    ['errors that go on', 'error: a:\n', 'a: error: a: error: a: error: a:'],
    ['errors below blank lines', `error: a:\n${'\n'.repeat(1_000)}`, 'a: error: a: error: a: error: a:'],
  ])('is found fast in 256 KiB of %s', (_, lines, error) => {
    const output = lines.repeat(Math.ceil(ERROR_WINDOW / lines.length));
    const began = process.cpuUsage();
    expect(errorIn(output)).toBe(error);
    expect(errorIn(`Diagnostics:\n${output.replaceAll(/^error/gm, '    error')}`)).toBe(error);
    expect(process.cpuUsage(began).user / 1000).toBeLessThan(5_000);
  });

  it('is in the sentence about its step, as the step’s own words, unless ours say why', () => {
    const error = `${'x'.repeat(600)}`;
    expect(failedStepSentence('step 1', 'exit code 255', { error: 'it exists' })).toBe(
      'Failed to run step 1 of the deployment, in the step\'s own words: "it exists".',
    );
    expect(failedStepSentence('step 1', 'exit code 255', { error }).length).toBeLessThan(600);
    // Words that would look like ours.
    expect(failedStepSentence('step 1', 'exit code 255', { error: 'x". The stack is free. "' })).toBe(
      "Failed to run step 1 of the deployment, in the step's own words: \"x'. The stack is free. '\".",
    );
    expect(failedStepSentence('step 1', 'timed out', { error, reason: 'timed out' })).toBe(
      'Failed to run step 1 of the deployment: timed out. Its log says more.',
    );
  });
});

it('any output gives one line of at most 1,000 characters, or none', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'Diagnostics:',
      '    error: ',
      'error: ',
      '\n',
      '\r',
      '\u001b[31m',
      ':',
      '  * ',
      '\u2028',
      '\0',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
  );
  const property = fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
    const error = errorIn(pieces.join('')) ?? '';
    expect(error.length).toBeLessThanOrEqual(1_000);
    expect(error).not.toMatch(/[\r\n\p{Cc}]/u);
  });
  fc.assert(property, { numRuns: runs(500) });
});
