import { expect, it } from 'vitest';
import { fastClock } from '../../support/job/fast-clock.ts';
import { claimed, jobOf } from './claimed-run.ts';

const clock = fastClock(100);

it('a machine that wakes up from half an hour to no answer from Pulumi Cloud stops its step, and says what it saw', async () => {
  let slept = 0;
  const run = await claimed({
    job: jobOf("trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done"),
    options: { clock: { ...clock, now: () => clock.now() + slept } },
  });
  const end = run.serve();
  await run.printed('ready');
  run.cloud.script({ method: 'POST', path: /heartbeat/, times: Infinity, answer: { status: 503 } });
  const began = clock.steady();
  slept = 30 * 60_000;
  const { outcome, message } = await end;
  expect(outcome).toBe('lease-lost');
  expect(message).toContain('this machine was suspended, or its clock set forward, by about 30 min');
  expect(clock.steady() - began).toBeGreaterThan(50_000);
});
