import { getDefaultAutoSelectFamilyAttemptTimeout, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { allowSlowHandshakes } from '../../../../src/base/network/handshakes.ts';

const nodes = getDefaultAutoSelectFamilyAttemptTimeout();
afterEach(() => setDefaultAutoSelectFamilyAttemptTimeout(nodes));

it('a handshake gets more time than Node gives it, and keeps a longer one', () => {
  allowSlowHandshakes();
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(1_500);
  setDefaultAutoSelectFamilyAttemptTimeout(4_000);
  allowSlowHandshakes();
  expect(getDefaultAutoSelectFamilyAttemptTimeout()).toBe(4_000);
});
