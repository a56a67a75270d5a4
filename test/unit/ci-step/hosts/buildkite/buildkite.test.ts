import { describe, expect, it } from 'vitest';
import { annotationOf, buildkite } from '../../../../../src/ci-step/hosts/buildkite/buildkite.ts';

describe('a job of Buildkite', () => {
  it.each([
    [{ BUILDKITE: 'true', BUILDKITE_JOB_ID: 'a' }, true],
    [{ BUILDKITE: 'true' }, false],
    [{ BUILDKITE_JOB_ID: 'a' }, false],
    [{}, false],
  ])('is recognized by its variables: %j %s', (environment, is) => {
    expect(buildkite.detects(environment)).toBe(is);
  });

  it.each([
    ['9', 7_000],
    ['90', 88_000],
    ['2', 1_000],
    [undefined, 7_000],
    ['-1', 7_000],
    ['soon', 7_000],
  ])('with %j seconds between SIGTERM and SIGKILL has a window of %d ms', (grace, ms) => {
    const { cancelWindow } = buildkite.job({ BUILDKITE_SIGNAL_GRACE_PERIOD_SECONDS: grace });
    expect(cancelWindow).toEqual({ mode: 'stay', jobMs: ms, mainMs: ms });
  });
});

describe('an annotation', () => {
  it('has every summary in full', () => {
    expect(annotationOf(['# a', '# b'])).toBe('# a\n# b');
  });

  it('of more than 1 MiB is cut between lines, and says where the rest is', () => {
    const line = `${'é'.repeat(500)}\n`;
    const text = annotationOf([line.repeat(2_000)]);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(1024 * 1024);
    const [kept = '', rest] = text.split('\n\n');
    expect(new Set(kept.split('\n'))).toEqual(new Set([line.trim()]));
    expect(rest).toContain('report.html');
  });
});
