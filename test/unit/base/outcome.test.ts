import { describe, expect, it } from 'vitest';
import { exitCodeOf, OUTCOME_NAMES, OUTCOMES, OutcomeError } from '../../../src/base/outcome.ts';

describe('the outcomes', () => {
  it('have these names and exit codes', () => {
    expect(Object.fromEntries(OUTCOME_NAMES.map((name) => [name, exitCodeOf(name)]))).toEqual({
      succeeded: 0,
      'no-work': 0,
      skipped: 0,
      failed: 1,
      'config-error': 2,
      'auth-error': 3,
      'cloud-unreachable': 4,
      'target-error': 5,
      cancelled: 6,
      interrupted: 7,
      'lease-lost': 8,
      unreported: 9,
      refused: 10,
    });
  });

  it('have a configurable exit code only when there was no work', () => {
    for (const name of OUTCOME_NAMES) {
      expect(exitCodeOf(name, { failOnNoWork: true })).toBe(
        name === 'no-work' ? 75 : OUTCOMES[name].exitCode,
      );
    }
  });

  it('each have a sentence', () => {
    for (const name of OUTCOME_NAMES) expect(OUTCOMES[name].sentence).toMatch(/^[A-Z][^.]+\.$/);
  });

  it('come with an error that says what it is', () => {
    const error = new OutcomeError('target-error', 'Failed to x for y: why.', { code: 'PRA-DOCKER-01' });
    expect(String(error)).toBe('OutcomeError: Failed to x for y: why.');
  });
});
