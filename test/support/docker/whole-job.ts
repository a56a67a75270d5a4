import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import type { JobContainer } from '../../../src/executor/executor.ts';
import { begin, NEVER, run } from './workbench.ts';

/** Checks a whole job: exit code, output complete and in order, environment file, an interrupt, the removal. */
export async function expectWholeJob(container: JobContainer, shell = 'sh'): Promise<void> {
  const script = 'echo "out $A"; echo err >&2; echo B=c >>/PULUMI_ENV; exit 3';
  expect(await run(container, script, { shell, environment: { A: 'ä b' } })).toEqual({
    ...{ code: 3, output: 'out ä b\nerr\n', outOfMemory: false },
  });
  expect(await container.readEnvironmentFile(NEVER)).toBe('B=c\n');
  const hash = createHash('sha256');
  const flood = await container.start(
    { shell, script: 'yes 0123456789abcde | head -c 50000000', environment: {} },
    (chunk) => void hash.update(chunk),
    NEVER,
  );
  expect(await flood.exit).toMatchObject({ code: 0 });
  const expected = createHash('sha256').update('0123456789abcde\n'.repeat(50_000_000 / 16));
  expect(hash.digest('hex')).toBe(expected.digest('hex'));
  const interrupted = 'trap "echo in order; exit 7" INT; echo ready; while :; do sleep 0.1; done';
  const step = await begin(container, interrupted, { shell });
  await step.shows('ready');
  await step.signal('SIGINT');
  expect(await step.exit).toMatchObject({ code: 7 });
  expect(step.output()).toBe('ready\nin order\n');
  await Promise.all([container.remove(), container.remove()]);
}
