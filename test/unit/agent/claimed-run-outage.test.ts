import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { fastClock } from '../job/fast-clock.ts';
import { type ClaimedRun, claimed, jobOf } from './claimed-run.ts';

/** Prints more than waits for Pulumi Cloud, and ends in order when it is interrupted: it says so, and saves its state. */
const BUSY = `trap 'echo interrupted; echo state saved; exit 130' INT
  i=0; while :; do printf "%01000d\\n" $i; i=$((i+1)); done`;

/** Resolves when the step can't print any more: its lines wait for Pulumi Cloud. */
async function heldBack(run: ClaimedRun): Promise<void> {
  const size = async () => (await stat(join(run.directory, 'steps/01-step-1.log')).catch(() => undefined))?.size ?? 0;
  for (let before = -1, now = 0; now < 4_000_000 || now !== before; now = await size()) {
    before = now;
    await delay(300);
  }
}

const clock = fastClock(100);

describe('a step whose lines find no way to Pulumi Cloud', () => {
  it.each<[string, object, (run: ClaimedRun) => void, string]>([
    ['an interrupt', {}, (run) => run.interrupt(), 'interrupted'],
    ['a lost lease', {}, (run) => run.stop.request({ by: 'lease', reason: 'no heartbeat was accepted' }), 'lease-lost'],
    ['its timeout', { timeout: '6s' }, () => undefined, 'failed'],
  ])(
    'can still print what it says at its end, and so come to it, after %s',
    { timeout: 60_000 },
    async (_, more, bringAbout, outcome) => {
      const run = await claimed({
        job: jobOf({ run: BUSY, ...more }),
        config: { cancel_grace_period: '2000s' },
        options: { clock },
      });
      run.cloud.script({ method: 'POST', path: /\/1\/logs/, times: Infinity, answer: { status: 503 } });
      const end = run.serve();
      await heldBack(run);
      bringAbout(run);
      expect(await end).toMatchObject({ outcome, steps: [{}, { status: 'failed', exitCode: 130 }] });
      expect(run.target.containers[0]!.signals).toEqual(['SIGINT']);
      expect(await run.file('steps/01-step-1.log')).toMatch(/\ninterrupted\nstate saved\n/);
      run.expectOrderlyEnd();
    },
  );
});

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
