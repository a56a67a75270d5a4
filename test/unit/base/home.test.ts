import { expect, it, vi } from 'vitest';
import { homeOf } from '../../../src/base/environment.ts';

const system = vi.hoisted(() => ({ homedir: () => '/home/known' }));
vi.mock('node:os', () => system);

it('a user’s home is HOME, else what the system says, and the root folder for a user that the system does not know', () => {
  expect(homeOf({ HOME: '/home/named' })).toBe('/home/named');
  expect(homeOf({})).toBe('/home/known');
  // As Node does for a user ID without an entry in /etc/passwd.
  system.homedir = () => {
    throw new Error('A system error occurred: uv_os_homedir returned ENOENT');
  };
  expect(homeOf({})).toBe('/');
});
