import { expect, it } from 'vitest';
import { LIBRARY } from '../../../src/executor/container/shell.ts';
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

it.each(['dash', 'bash'])(
  'an interrupt by %s reaches what begins after a command of timeout, while it looks',
  async (shell) => {
    const container = await bench.prepare();
    const waits = "timeout 30 sh -c 'until [ -e /tmp/go ]; do sleep 0.02; done'";
    const step = await begin(container, `echo "leader $PPID"; ${waits}; sleep 20; echo went on`);
    await step.shows('\n');
    const [, leader = ''] = /^leader (\d+)\n$/.exec(step.output()) ?? [];
    // Between the look and the first signal, one program ends and the next one begins.
    const late = 'kill() { [ -n "$slept" ] || { slept=1; touch /tmp/go; sleep 0.5; }; command kill "$@"; }';
    await run(container, `${LIBRARY}\n${late}\ninterrupt ${leader}`, { shell });
    await step.exit;
    expect(step.output()).toBe(`leader ${leader}\n`);
  },
);

it('an interrupt leaves alone a command of timeout that the step’s handler begins', async () => {
  const container = await bench.prepare();
  const saves = "trap 'timeout 5 sleep 0.5 && echo saved; exit 4' INT";
  const step = await begin(container, `${saves}; echo up; while :; do timeout 5 sleep 0.05; done`);
  await step.shows('up');
  await step.signal('SIGINT');
  expect(await step.exit).toMatchObject({ code: 4 });
  expect(step.output()).toBe('up\nsaved\n');
});
