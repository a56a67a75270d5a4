import { expect, it } from 'vitest';
import { begin, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();

/** Starts programs that end at once, as a build does, and needs a moment to save after its interrupt. */
const FORKING = `trap 'sleep 0.2; echo saved; exit 1' INT; echo up
while :; do sleep 0.001 & sleep 0.001 & sleep 0.001 & wait $!; done`;

// Most interrupts meet a program that is just ending.
it('an interrupt leaves every step its time, even when the step’s programs end while they are looked at', async () => {
  const container = await bench.prepare();
  for (let at = 0; at < 20; at += 1) {
    const step = await begin(container, FORKING);
    await step.shows('up');
    await step.signal('SIGINT');
    expect(await step.exit).toMatchObject({ code: 1 });
    expect(step.output()).toBe('up\nsaved\n');
  }
  expect((await run(container, 'echo next')).output).toBe('next\n');
});
