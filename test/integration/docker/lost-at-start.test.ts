import { afterEach, describe, expect, it } from 'vitest';
import { prepareWithRetries } from '../../../src/agent/job/container.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { trialOn } from '../../../src/executor/trial.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { JOB_IMAGE, scratchImage } from '../../support/docker/images.ts';
import { NEVER, run, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
const START = /^POST \S*\/containers\/\w+\/start/;

afterEach(async () => {
  expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
});

/** An engine behind a proxy that cuts the main process's stream, `times` times, before the start passes. */
async function cutting(times: number) {
  let left = times;
  const { proxy, target } = await bench.behindProxy({
    before: (line) => {
      if (left === 0 || !START.test(line)) return undefined;
      left -= 1;
      proxy.cutOnly(/\/attach/);
      return Promise.resolve();
    },
  });
  return target;
}

describe('a main process that is lost before it is ready', () => {
  it('is followed by another, as its stream was cut', async () => {
    const lines: string[] = [];
    const container = await prepareWithRetries({
      executor: await cutting(1),
      spec: bench.spec(),
      progress: async (line) => void lines.push(line),
      clock: systemClock,
      say: () => undefined,
      signal: NEVER,
    });
    expect(lines.filter((line) => line.endsWith('preparing the container again.'))).toEqual([
      expect.stringContaining('the connection to the container was cut'),
    ]);
    expect(await run(container, 'echo well')).toMatchObject({ code: 0, output: 'well\n' });
    await container.remove();
  });

  it('fails a trial with an image of the runner’s own; with a deployment’s alone, it proves nothing', async () => {
    const target = await cutting(Number.POSITIVE_INFINITY);
    const trial = (image: string) => trialOn(target, configOf({ token: 'pul-1', image }), bench.labels);
    expect(await trial('acme.example/none:1')(JOB_IMAGE, NEVER)).toBe(false);
    await expect(trial(JOB_IMAGE)(undefined, NEVER)).rejects.toMatchObject({
      ...{ code: 'PRA-CONTAINER-01', fault: 'executor' },
      message: expect.stringContaining('the connection to the container was cut'),
    });
  });

  it('is of an image whose shell no machine can run, which proves nothing in a trial', async () => {
    const image = bench.keepImage(
      await scratchImage([{ path: 'bin/sh', mode: 0o755, content: 'no program' }]),
    );
    await expect(bench.prepare({ image })).rejects.toMatchObject({
      ...{ code: 'PRA-CONTAINER-01', fault: 'deployment', mayPass: false },
      message: expect.stringMatching(/exec format error/i),
    });
    const trial = trialOn(bench.target, configOf({ token: 'pul-1', image }), bench.labels);
    expect(await trial(undefined, NEVER)).toBe(false);
    expect(await trial(JOB_IMAGE, NEVER)).toBe(true);
  });
});

it.each(['/etc/passwd/x', '/etc/hosts', `/tmp/${'long'.repeat(80)}`])(
  'a path for the environment file that no container has is the deployment’s fault: %s',
  async (path) => {
    const refused = (isNamed: boolean) =>
      bench.prepare({ files: [{ path, mode: 0o600, content: '', isNamed }], environmentFile: path });
    await expect(refused(true)).rejects.toMatchObject({
      ...{ code: 'PRA-CONTAINER-01', fault: 'deployment', mayPass: false },
      message: expect.stringContaining(`the engine can't put PULUMI_ENV_FILE at ${path}: `),
    });
    await expect(refused(false)).rejects.toMatchObject({ fault: 'executor' });
  },
);
