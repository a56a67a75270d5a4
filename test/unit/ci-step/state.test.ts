import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RunState, saveRunState } from '../../../src/ci-step/state.ts';
import { temporaryDirectory } from '../../support/run/temporary-directory.ts';

test('a run’s state takes at its first save all the room that it needs, whatever its certificates', async () => {
  const directory = await temporaryDirectory();
  const tokenFile = { path: '/private/id-token', audience: 'x', caCertificate: 'MIIB\n'.repeat(800) };
  const first: RunState = {
    runDirectory: '/run',
    tokenFile,
    position: { events: 0 },
    ended: false,
    died: false,
  };
  const later: RunState = {
    ...first,
    owner: { host: 'runner', pid: 4_194_304, started: '1234567', space: 'pid:[4026531836]' },
    artifact: { id: '1', url: `https://github.com/${'a'.repeat(300)}`, name: 'b'.repeat(100) },
    cancelledAt: 1_790_000_000_000,
  };
  const sizes = [first, later].map((state) => {
    saveRunState(state, join(directory, 'private'));
    return statSync(join(directory, 'state.json')).size;
  });
  expect(sizes[1]).toBe(sizes[0]);
});
