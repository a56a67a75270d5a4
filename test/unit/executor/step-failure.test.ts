import { expect, it } from 'vitest';
import { startFailure } from '../../../src/executor/docker/step/step.ts';

it.each([
  ['sh: 82: Cannot fork', 'raise pids_limit'],
  ["sh: can't fork: Resource temporarily unavailable", 'raise pids_limit'],
  ['exec: "sh": argument list too long', 'shorter than 128 KiB'],
  ['exec: "sh": executable file not found in $PATH', 'the image has a POSIX shell'],
])('a step that could not begin because of "%s" says what to do', (text, advice) => {
  expect(startFailure(text).message).toContain(`: ${text}. `);
  expect(startFailure(text).message).toContain(advice);
});
