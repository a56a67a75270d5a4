import { afterAll, describe, expect, it } from 'vitest';
import type { Executor } from '../../../src/executor/executor.ts';
import { trialOn } from '../../../src/executor/trial.ts';
import { configOf } from '../../support/agent/config-of.ts';
import { JOB_IMAGE, scratchImage } from '../../support/docker/images.ts';
import { NEVER, workbench } from '../../support/docker/workbench.ts';

const bench = workbench();
const trialIn = (executor: Executor) => trialOn(executor, configOf({ token: 'pul-1' }), bench.labels);
const CREATE = /^POST \S*\/containers\/create/;

afterAll(async () => {
  expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
});

describe('a trial container', () => {
  it('starts and is removed, with its network, where jobs can run; it pulls nothing', async () => {
    const asked: string[] = [];
    const { target } = await bench.behindProxy({ onRequest: (line) => asked.push(line) });
    expect(await trialIn(target)(JOB_IMAGE, NEVER)).toBe(true);
    expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
    // Without the API's version.
    const calls = asked.map((line) =>
      line.replace(/pulumi-runner-\w+|\w{64}/, 'NAME').replace(/\/v1\.\d+|\?.*/g, ''),
    );
    expect(calls).toEqual(
      expect.arrayContaining([
        'POST /containers/create',
        'POST /containers/NAME/start',
        'DELETE /containers/NAME',
      ]),
    );
    expect(asked.filter((line) => line.includes('/images/create'))).toEqual([]);
  });

  it('proves nothing without an image, or with one that has no shell', async () => {
    const trial = trialIn(bench.target);
    expect(await trial(undefined, NEVER)).toBe(false);
    expect(await trial('acme.example/none:1', NEVER)).toBe(false);
    const bare = bench.keepImage(await scratchImage([{ path: 'hello', mode: 0o755, content: 'hello' }]));
    expect(await trial(bare, NEVER)).toBe(false);
  });

  it('is made of another image where the engine refuses the deployment’s', async () => {
    const refused = await bench.derive(JOB_IMAGE, { changes: ['VOLUME /proc'] });
    await expect(trialIn(bench.target)(refused, NEVER)).rejects.toMatchObject({ fault: 'executor' });
    const config = configOf({ token: 'pul-1', prepull_images: JOB_IMAGE });
    expect(await trialOn(bench.target, config, bench.labels)(refused, NEVER)).toBe(true);
  });

  it.each([
    ['container', CREATE, 'PRA-CONTAINER-01'],
    ['network', /^POST \S*\/networks\/create/, 'PRA-CONTAINER-02'],
    ['start', /^POST \S*\/containers\/\w+\/start/, 'PRA-CONTAINER-01'],
  ])('shows that the engine refuses to make a %s, and leaves nothing', async (_, request, code) => {
    const { proxy, target } = await bench.behindProxy();
    const trial = trialIn(target);
    proxy.fail(request);
    await expect(trial(JOB_IMAGE, NEVER)).rejects.toMatchObject({
      ...{ code, fault: 'executor' },
      message: expect.stringContaining('no space left on device'),
    });
    proxy.recover();
    expect(await trial(JOB_IMAGE, NEVER)).toBe(true);
    expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
  });

  it('that can’t be removed is removed before the next one is made', async () => {
    const made: string[] = [];
    const { proxy, target } = await bench.behindProxy({
      onRequest: (line) => CREATE.test(line) && made.push(line),
    });
    const trial = trialIn(target);
    // No removal is tried again after such an answer.
    proxy.fail(/^DELETE /, { answer: { status: 400, message: 'not now' } });
    await expect(trial(JOB_IMAGE, NEVER)).rejects.toMatchObject({ fault: 'executor' });
    await expect(trial(JOB_IMAGE, NEVER)).rejects.toMatchObject({ fault: 'executor' });
    expect(made).toHaveLength(1);
    proxy.recover();
    expect(await trial(JOB_IMAGE, NEVER)).toBe(true);
    expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
  });

  it('is given up with its container when nothing more may be claimed', async () => {
    const drain = new AbortController();
    const { target } = await bench.behindProxy({
      onRequest: (line) => CREATE.test(line) && drain.abort(new Error('draining')),
    });
    const giving = trialIn(target)(JOB_IMAGE, drain.signal).catch((error: unknown) => error);
    expect(await giving).toMatchObject({ message: 'draining' });
    expect([await bench.containers(), await bench.networks()]).toEqual([[], []]);
  });
});
