import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { folder, jobOf } from '../../support/agent/claimed-run.ts';
import { JOB_IMAGE, testImage } from '../../support/docker/images.ts';
import { ownAgentAsStandIn, programAsStandIn, pulumiRun } from '../../support/pulumi-agent/pulumi-run.ts';
import { gate, LIES, lie } from '../../support/pulumi-agent/stranger.ts';

beforeAll(() => testImage('job'));

const inContainer = (...scripts: string[]) => ({
  ...jobOf(...scripts),
  image: { reference: JOB_IMAGE },
  env: { PULUMI_SERVICE_URL: 'https://api.example.com' },
});

/** A run of our agent that waits for the test before it asks for work. */
async function waiting(given: Partial<Parameters<typeof pulumiRun>[0]> = {}) {
  const { code, relay, open } = gate(await folder());
  const programs = await ownAgentAsStandIn(join(await folder(), 'own'), code);
  const scene = await pulumiRun({ programs, ...given, config: { engine_record: 'true', ...given.config } });
  return { ...scene, relay, open };
}

describe('the calls of a stranger to the relay', () => {
  it.each(['container', 'program'] as const)(
    'from another %s are refused, and neither claim nor record anything',
    async (from) => {
      const { relay, open, ...scene } = await waiting();
      const deployment = scene.enqueue(inContainer('true'));
      const running = scene.run();
      const statuses = await lie(from, await relay(), LIES);
      await open();
      expect(await running).toBe(0);
      expect(statuses).toEqual(LIES.map(() => 401));
      expect(await scene.result()).toMatchObject({
        outcome: 'succeeded',
        jobId: deployment.jobId,
        notices: [],
      });
      expect(await scene.file('wire.ndjson')).not.toContain('false-1');
      expect(scene.cloud.requests.filter(({ path }) => path.includes('false-1'))).toEqual([]);
    },
  );

  it('make no word a secret, whatever they call', async () => {
    const { relay, open, ...scene } = await waiting();
    scene.cloud.allow(/there is no such call/);
    scene.enqueue(inContainer('echo "3 destroyed, 1 replaced"'));
    const running = scene.run();
    const announcement = { method: 'GET', path: '/api/background-activities/token', token: 'destroyed' };
    const unknown = { method: 'GET', path: '/api/of-a-later-version', token: 'replaced' };
    expect(await lie('container', await relay(), [announcement, unknown])).toEqual([401, 404]);
    await open();
    expect(await running).toBe(0);
    expect(await scene.file('steps/01-step-1.log')).toBe('3 destroyed, 1 replaced\n');
    expect(await scene.file('wire.ndjson')).not.toContain('later-version');
  });

  it('about another job never make its heartbeats uncounted, which would end the agent after 8 minutes', async () => {
    let skippedMs = 0;
    const later = (ms: number) => ms + skippedMs;
    const { sleep } = systemClock;
    const clock = { sleep, now: () => later(systemClock.now()), steady: () => later(systemClock.steady()) };
    const { code, relay, open } = gate(await folder());
    const scene = await pulumiRun({
      programs: await programAsStandIn('misbehaving-agent', 'beating', code),
      clock,
    });
    const deployment = scene.enqueue(jobOf('true'));
    const running = scene.run();
    await lie('program', await relay(), LIES);
    await open();
    for (let minutes = 0; minutes < 10; minutes += 1) {
      const beats = deployment.heartbeats.length;
      await scene.cloud.waitFor(() => deployment.heartbeats.length > beats + 1, 20_000);
      skippedMs += 60_000;
    }
    const beats = deployment.heartbeats.length;
    await scene.cloud.waitFor(() => deployment.heartbeats.length > beats + 5, 20_000);
    scene.interrupt();
    await running;
    expect((await scene.result()).outcome).toBe('interrupted');
  });

  it('that call themselves Pulumi’s CLI change neither the run’s end nor how the next one runs', async () => {
    const environment = { HOME: await folder(), XDG_CACHE_HOME: await folder() };
    const cli = {
      method: 'GET',
      path: '/api/user',
      token: 'pul-lie',
      agent: 'pulumi-cli/3.190.0 (v3; linux)',
    };
    const { relay, open, ...scene } = await waiting({ environment });
    scene.enqueue(inContainer('exit 3'));
    const running = scene.run();
    expect(await lie('container', await relay(), [cli])).toEqual([421]);
    await open();
    expect(await running).toBe(1);
    expect(await scene.result()).toMatchObject({ code: 'PRA-JOB-01', notices: [] });
    const next = await pulumiRun({
      programs: await programAsStandIn('misbehaving-agent', 'silent'),
      environment,
    });
    await next.run();
    expect((await next.result()).notices).toEqual([]);
  });
});
