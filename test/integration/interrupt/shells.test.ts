import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import type { JobContainer } from '../../../src/executor/executor.ts';
import { runStep } from '../../../src/job/step.ts';
import { StopSource } from '../../../src/job/stop.ts';
import { Redactor } from '../../../src/log/redactor.ts';
import { StepLog } from '../../../src/log/step-log.ts';
import { scriptOutput } from '../../images/script.ts';
import { begin, run, workbench } from '../../support/docker/workbench.ts';
import { ASH_IMAGE, AT_WORK, aftermathOf, orderly, SHAPES, SHELLS_IMAGE, type Shape, workOf } from './tofu.ts';

const bench = workbench();
/** Keeps nothing: what the steps say is watched. */
const NO_FILE = { write: () => undefined, end: () => Promise.resolve() };
const ALL = Object.keys(SHAPES) as Shape[];
beforeAll(async () => {
  await scriptOutput('shells-image', []);
}, 600_000);

/** The container, with word of when its one step has said `text`. */
function watched(container: JobContainer, text: string) {
  const said = Promise.withResolvers<void>();
  let output = '';
  const start: JobContainer['start'] = (spec, sink, signal) =>
    container.start(
      spec,
      (chunk) => {
        output += String(chunk);
        if (output.includes(text)) said.resolve();
        return sink(chunk);
      },
      signal,
    );
  const { id, imageDigest } = container;
  const rest = { readEnvironmentFile: () => Promise.resolve(''), remove: () => Promise.resolve() };
  return { container: { id, imageDigest, start, ...rest }, said: said.promise, output: () => output };
}

const SHELLS = [
  ['dash', SHELLS_IMAGE, 'sh'],
  ['bash', SHELLS_IMAGE, 'bash'],
  ['zsh', SHELLS_IMAGE, 'zsh-static'],
  ['ksh93', SHELLS_IMAGE, 'ksh93'],
  ['mksh', SHELLS_IMAGE, 'mksh'],
  ['busybox ash', ASH_IMAGE, 'sh'],
] as const;

describe.each(SHELLS)('an interrupt in mid-update, in %s,', (_, image, shell) => {
  it('leaves state and lock in order, be the engine child, grandchild, behind a pipe or exec’d', async () => {
    const container = await bench.prepare({ image });
    const stop = new StopSource();
    const steps = ALL.map((shape) => {
      const watch = watched(container, AT_WORK);
      const end = runStep({
        container: watch.container,
        spec: { shell, script: workOf(shape, shell), environment: {} },
        log: new StepLog({ redactor: new Redactor(), file: NO_FILE, now: Date.now }),
        stop,
        clock: systemClock,
        graceMs: 60_000,
      });
      const early = end.then(() => Promise.reject(new Error(`${shape} ended early: ${watch.output()}`)));
      early.catch(() => undefined);
      return { end, atWork: Promise.race([watch.said, early]) };
    });
    await Promise.all(steps.map(({ atWork }) => atWork));
    stop.request({ by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
    await Promise.all(steps.map(({ end }) => end));
    expect((await run(container, aftermathOf(ALL), { shell: 'sh' })).output).toBe(orderly(ALL));
    await container.remove();
  });

  it('waits for what ends its work, though the shell dies of it and nothing is printed for long', async () => {
    // A silence as long as this one counts as the end of the output of a step that is over.
    const container = await bench.prepare({ image }, bench.newExecutor({ silenceMs: 400 }));
    const engine = 'trap "sleep 1; echo state written; exit 1" INT; echo up; while :; do sleep 0.05; done';
    const step = await begin(container, `sh -c '${engine}'; exit $?`, { shell });
    await step.shows('up');
    await step.signal('SIGINT');
    await step.exit;
    expect(step.output()).toBe('up\nstate written\n');
    await container.remove();
  });
});
