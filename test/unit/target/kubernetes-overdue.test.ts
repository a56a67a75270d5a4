import { expect, it } from 'vitest';
import { isOverdue } from '../../../src/target/kubernetes/start.ts';

const NOW = Date.parse('2026-01-01T00:01:00Z');
const pod = (deletionTimestamp?: string) =>
  ({ metadata: deletionTimestamp === undefined ? {} : { deletionTimestamp } }) as unknown as Parameters<
    typeof isOverdue
  >[0];

it('a pod is overdue a while after the moment by which its deletion should be over', () => {
  expect(isOverdue(pod(), NOW)).toBe(false);
  expect(isOverdue(pod('2026-01-01T00:01:00Z'), NOW)).toBe(false);
  expect(isOverdue(pod('2026-01-01T00:00:46Z'), NOW)).toBe(false);
  expect(isOverdue(pod('2026-01-01T00:00:44Z'), NOW)).toBe(true);
});
