import { beforeAll, describe, expect, it } from 'vitest';
import { runStep } from '../../../src/agent/job/steps.ts';
import { StopSource } from '../../../src/agent/job/stop.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { Redactor } from '../../../src/base/log/redactor.ts';
import { StepLog } from '../../../src/base/log/step-log.ts';
import { LIBRARY } from '../../../src/executor/container/shell.ts';
import { begin, run, workbench } from '../../support/docker/workbench.ts';
import { scriptOutput } from '../../support/script.ts';
import {
  ASH_IMAGE,
  AT_WORK,
  aftermathOf,
  orderly,
  SHAPES,
  SHELLS_IMAGE,
  type Shape,
  workOf,
} from './tofu.ts';

const bench = workbench();
const ALL = Object.keys(SHAPES) as Shape[];
beforeAll(async () => {
  await scriptOutput('shells-image', []);
}, 600_000);

/** A log kept in memory; `said` resolves once it holds `text`. */
function watchedLog(text: string) {
  const said = Promise.withResolvers<void>();
  let output = '';
  const write = (bytes: Buffer) => {
    output += String(bytes);
    if (output.includes(text)) said.resolve();
    return undefined;
  };
  const file = { write, end: () => Promise.resolve() };
  return {
    log: new StepLog({ redactor: new Redactor(), file, now: Date.now }),
    said: said.promise,
    output: () => output,
  };
}

const SHELLS = [
  ['dash', SHELLS_IMAGE, 'sh'],
  ['bash', SHELLS_IMAGE, 'bash'],
  ['zsh', SHELLS_IMAGE, 'zsh-static'],
  ['ksh93', SHELLS_IMAGE, 'ksh93'],
  ['mksh', SHELLS_IMAGE, 'mksh'],
  ['busybox ash', ASH_IMAGE, 'sh'],
] as const;

describe.each(SHELLS)('an interrupt mid-update, in %s,', (_, image, shell) => {
  it('leaves state and lock intact, whether the engine is a child, a grandchild, behind a pipe or exec’d', async () => {
    const container = await bench.prepare({ image });
    const stop = new StopSource();
    const steps = ALL.map((shape) => {
      const { log, said, output } = watchedLog(AT_WORK);
      const spec = { shell, script: workOf(shape, shell), environment: {} };
      const end = runStep({ container, spec, log, stop, clock: systemClock, graceMs: 60_000 });
      const early = end.then(() => Promise.reject(new Error(`${shape} ended early: ${output()}`)));
      early.catch(() => undefined);
      return { end, output, atWork: Promise.race([said, early]) };
    });
    await Promise.all(steps.map(({ atWork }) => atWork));
    stop.request({ by: 'cloud', reason: 'the deployment was cancelled in Pulumi Cloud' });
    const ends = await Promise.all(steps.map(({ end }) => end));
    const { output } = await run(container, aftermathOf(ALL), { shell: 'sh' });
    // Failures are rare and can't be looked into afterwards, so the message holds all there is to know.
    const told = steps.map(
      (step, index) => `${ALL[index]} ${JSON.stringify(ends[index])}:\n${step.output()}`,
    );
    expect(output, `${output}\n${told.join('\n')}`).toBe(orderly(ALL));
    await container.remove();
  });

  it('waits for what ends its work, even when the shell dies of it and nothing is printed for a while', async () => {
    // After this long a silence, the output of a step that is over counts as complete.
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

it('the shell that waits for a step’s processes is interrupted before them, whatever their numbers', async () => {
  const container = await bench.prepare({ image: ASH_IMAGE });
  // In a new container, the first process has a one-digit number and its child a two-digit one: by name it comes last.
  const step = await begin(container, "sh -c 'trap exit INT; while :; do echo up; sleep 0.05; done' | cat", {
    shell: 'sh',
  });
  await step.shows('up');
  const { output } = await run(
    container,
    `exec 2>/dev/null # A process that the glob found may be gone.
for stat in /proc/[0-9]*/stat; do
  read -r line <"$stat" || continue
  case $line in *' (cat) '*) set -- \${line##*)}; leader=$3 ;; esac
done
${LIBRARY}
parent() { read -r line <"/proc/$1/stat"; set -- \${line##*)}; echo "$2"; }
kill() { [ "$1" = -0 ] || echo "$2 $(parent "$2")"; } # Signal 0 only asks whether there is such a group.
interrupt "$leader"`,
    { shell: 'sh' },
  );
  const pairs = output
    .trim()
    .split('\n')
    .map((line) => line.split(' '));
  const order = pairs.map(([pid]) => pid);
  const [leader] = pairs.find(([, parent]) => parent === '0') ?? [];
  const children = pairs.filter(([, parent]) => parent === leader).map(([pid]) => pid);
  expect(children).not.toEqual([]);
  expect(order.slice(0, 1 + children.length)).toEqual([leader, ...children]);
  await step.signal('SIGINT');
  await step.exit;
  await container.remove();
});
